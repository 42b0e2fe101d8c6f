// The same work on a schema of its own, written for speed: one or two prepared statements a request, no GraphQL, no
// permissions but session and membership. Nothing here is taken from the service.
import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import pg from 'pg';
import { announce, settingsOf } from './settings.ts';

export interface IndependentSettings {
  databaseUrl: string;
  people: { id: number; token: string }[];
  dialogIds: string[];
  messages: number;
  records: number;
  users: number;
}

const { databaseUrl, people, dialogIds, messages, records, users } = await settingsOf<IndependentSettings>();
const pool = new pg.Pool({ connectionString: databaseUrl, max: 10, options: '-c jit=off' });
const hashOf = (token: string) => createHash('sha256').update(token).digest('hex');

await pool.query(`
  CREATE TABLE sessions (token_hash text PRIMARY KEY, user_id int NOT NULL, expires_at timestamptz NOT NULL);
  CREATE TABLE dialogs (id text PRIMARY KEY, last_seq int NOT NULL, last_text text, last_at timestamptz);
  CREATE TABLE members (dialog_id text, user_id int, unread int NOT NULL DEFAULT 0, PRIMARY KEY (dialog_id, user_id));
  CREATE TABLE messages (id text PRIMARY KEY, dialog_id text NOT NULL, seq int NOT NULL, sender_id int NOT NULL,
    recipient_id int NOT NULL, text text NOT NULL, attachments jsonb NOT NULL, custom_fields jsonb NOT NULL,
    date_sent int NOT NULL, created_at timestamptz NOT NULL, updated_at timestamptz NOT NULL, read_ids int[] NOT NULL,
    delivered_ids int[] NOT NULL, UNIQUE (dialog_id, seq));
  CREATE TABLE cars (id text PRIMARY KEY, user_id int NOT NULL, make text, price int, rating float8, sold boolean,
    registered bigint, place point, created_at timestamptz NOT NULL, updated_at timestamptz NOT NULL);
  CREATE TABLE users (id int PRIMARY KEY, login text UNIQUE, email text UNIQUE, full_name text, phone text,
    external_user_id bigint, tags text[], created_at timestamptz NOT NULL, updated_at timestamptz NOT NULL)`);
await pool.query(`INSERT INTO sessions SELECT *, now() + interval '1 day' FROM unnest($1::text[], $2::int[])`, [
  people.map(({ token }) => hashOf(token)),
  people.map(({ id }) => id),
]);
await pool.query(`INSERT INTO dialogs SELECT id, $2 FROM unnest($1::text[]) id`, [
  dialogIds,
  messages / dialogIds.length,
]);
await pool.query('INSERT INTO members SELECT d.id, p FROM dialogs d, unnest($1::int[]) p', [
  people.map(({ id }) => id),
]);
await pool.query(
  `INSERT INTO messages SELECT lpad(to_hex(n), 24, '0'), ($1::text[])[1 + n % $2], 1 + n / $2,
    ($3::int[])[1 + n % 5], 0, 'Message number ' || n || ' of a long dialog', '[]', '{}', 1700000000 + n,
    to_timestamp(1700000000 + n), to_timestamp(1700000000 + n), ARRAY[($3::int[])[1 + n % 5]],
    ARRAY[($3::int[])[1 + n % 5]]
  FROM generate_series(0, $4::int - 1) n`,
  [dialogIds, dialogIds.length, people.map(({ id }) => id), messages],
);
await pool.query(
  `INSERT INTO cars SELECT lpad(to_hex(n), 24, '0'), $2, 'make-' || n % 50, n::bigint * 7919 % $1, n % 80 / 8.0,
    n % 3 = 0, 1700000000000 + n, point(50.1, 8.7), to_timestamp(1700000000 + n), to_timestamp(1700000000 + n)
  FROM generate_series(0, $1::int - 1) n`,
  [records, people[0]!.id],
);
await pool.query(
  `INSERT INTO users SELECT n, 'user-' || n, n || '@bench.test', 'User ' || n, '+' || (4900000000 + n), n,
    ARRAY['tag-' || (n - 1) / 5], now() - make_interval(secs => $1 - n), now() - make_interval(secs => $1 - n)
  FROM generate_series(1, $1::int) n`,
  [users],
);
await pool.query('CREATE INDEX ON cars (make, price, id)');
await pool.query('VACUUM ANALYZE');

type Handler = (request: IncomingMessage, url: URL) => Promise<{ status: number; body: string } | undefined>;

async function rows<Row extends pg.QueryResultRow>(name: string, text: string, values: unknown[]): Promise<Row[]> {
  return (await pool.query<Row>({ name, text, values })).rows;
}

interface Message {
  id: string;
  dialog_id: string;
  sender_id: number;
  recipient_id: number;
  text: string;
  attachments: unknown[];
  custom_fields: object;
  date_sent: number;
  created_at: Date;
  updated_at: Date;
  read_ids: number[];
  delivered_ids: number[];
}

const seconds = (moment: Date) => `${moment.toISOString().slice(0, 19)}Z`;

const presentMessage = (row: Message) => ({
  ...row.custom_fields,
  _id: row.id,
  message: row.text,
  attachments: row.attachments,
  created_at: seconds(row.created_at),
  updated_at: seconds(row.updated_at),
  chat_dialog_id: row.dialog_id,
  date_sent: row.date_sent,
  sender_id: row.sender_id,
  recipient_id: row.recipient_id,
  read_ids: row.read_ids,
  delivered_ids: row.delivered_ids,
  read: 0,
  reactions: null,
});

interface Car {
  id: string;
  user_id: number;
  make: string;
  price: number;
  rating: number;
  sold: boolean;
  registered: string;
  place: { x: number; y: number };
  created_at: Date;
  updated_at: Date;
}

const presentCar = ({ id, user_id, created_at, updated_at, place, registered, ...fields }: Car) => ({
  _id: id,
  user_id,
  _parent_id: null,
  created_at: Math.floor(created_at.getTime() / 1000),
  updated_at: Math.floor(updated_at.getTime() / 1000),
  ...fields,
  registered: Number(registered),
  place: [place.x, place.y],
});

/** Part of a record that is asked for alone. */
const PERMISSIONS = { read: { access: 'open' }, update: { access: 'owner' }, delete: { access: 'owner' } };

const tokenOf = (request: IncomingMessage) => hashOf(request.headers['svc-token'] as string);
const SESSION = 'FROM sessions s WHERE s.token_hash = $1 AND s.expires_at > now()';

async function readBody(request: IncomingMessage): Promise<Record<string, unknown>> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  return JSON.parse(text);
}

const createMessage: Handler = async (request) => {
  const { chat_dialog_id, message } = await readBody(request);
  const [created] = await rows<Message>(
    'create-message',
    `WITH s AS (SELECT s.user_id ${SESSION}),
      d AS (UPDATE dialogs SET last_seq = last_seq + 1, last_text = $3, last_at = now()
        FROM s, members m WHERE id = $2 AND m.dialog_id = $2 AND m.user_id = s.user_id
        RETURNING last_seq, s.user_id),
      u AS (UPDATE members SET unread = unread + 1 FROM d WHERE dialog_id = $2 AND members.user_id <> d.user_id)
    INSERT INTO messages SELECT $4, $2, last_seq, user_id, 0, $3, '[]', '{}', extract(epoch FROM now())::int, now(),
      now(), ARRAY[user_id], ARRAY[user_id] FROM d RETURNING *`,
    [tokenOf(request), chat_dialog_id, message, randomBytes(12).toString('hex')],
  );
  return created && { status: 201, body: JSON.stringify(presentMessage(created)) };
};

const listMessages: Handler = async (request, url) => {
  const found = await rows<Message>(
    'list-messages',
    `SELECT m.* FROM (SELECT s.user_id ${SESSION}) s
      JOIN members p ON p.dialog_id = $2 AND p.user_id = s.user_id,
      LATERAL (SELECT * FROM messages WHERE dialog_id = $2 ORDER BY seq DESC LIMIT 50) m`,
    [tokenOf(request), url.searchParams.get('chat_dialog_id')],
  );
  const page = { skip: 0, limit: 50, items: found.map(presentMessage) };
  return found.length > 0 ? { status: 200, body: JSON.stringify(page) } : undefined;
};

const getMessage: Handler = async (request, url) => {
  const [found] = await rows<Message>(
    'get-message',
    `SELECT m.* FROM (SELECT s.user_id ${SESSION}) s, messages m JOIN members p USING (dialog_id)
      WHERE m.id = $2 AND p.user_id = s.user_id`,
    [tokenOf(request), idOf(url)],
  );
  return found && { status: 200, body: JSON.stringify(presentMessage(found)) };
};

type CarInput = Record<'make' | 'price' | 'rating' | 'sold' | 'registered' | 'place', unknown>;

const milliseconds = (moment: unknown) => Date.parse(`${String(moment).replace(' ', 'T')}Z`);

const createCars: Handler = async (request) => {
  const { record } = await readBody(request);
  const cars = Object.values(record as Record<string, CarInput>);
  const column = (field: keyof CarInput) => cars.map((car) => car[field]);
  const created = await rows<Car>(
    'create-cars',
    `INSERT INTO cars SELECT c.id, s.user_id, c.make, c.price, c.rating, c.sold, c.registered, c.place::point, now(), now()
      FROM (SELECT s.user_id ${SESSION}) s, unnest($2::text[], $3::text[], $4::int[], $5::float8[], $6::boolean[],
        $7::bigint[], $8::text[]) AS c (id, make, price, rating, sold, registered, place) RETURNING *`,
    [
      tokenOf(request),
      cars.map(() => randomBytes(12).toString('hex')),
      column('make'),
      column('price'),
      column('rating'),
      column('sold'),
      column('registered').map(milliseconds),
      column('place'),
    ],
  );
  const items = created.map((car) => ({ ...presentCar(car), permissions: PERMISSIONS }));
  return { status: 201, body: JSON.stringify({ class_name: 'work_cars', items }) };
};

const createCar: Handler = async (request) => {
  const { make, price, rating, sold, registered, place } = (await readBody(request)) as CarInput;
  const [created] = await rows<Car>(
    'create-car',
    `INSERT INTO cars SELECT $2, s.user_id, $3, $4, $5, $6, $7, $8::point, now(), now() ${SESSION} RETURNING *`,
    [tokenOf(request), randomBytes(12).toString('hex'), make, price, rating, sold, milliseconds(registered), place],
  );
  return created && { status: 201, body: JSON.stringify({ ...presentCar(created), permissions: PERMISSIONS }) };
};

const getCar: Handler = async (request, url) => {
  const [found] = await rows<Car>(
    'get-car',
    `SELECT c.* FROM (SELECT s.user_id ${SESSION}) s, cars c WHERE c.id = $2`,
    [tokenOf(request), idOf(url)],
  );
  return found && { status: 200, body: JSON.stringify({ ...presentCar(found), permissions: PERMISSIONS }) };
};

const listCars: Handler = async (request, url) => {
  const found = await rows<Car>(
    'list-cars',
    `SELECT c.* FROM (SELECT s.user_id ${SESSION}) s,
      LATERAL (SELECT * FROM cars WHERE make = $2 AND price >= $3 ORDER BY price LIMIT 20) c`,
    [tokenOf(request), url.searchParams.get('make'), url.searchParams.get('price[gte]')],
  );
  const page = { class_name: 'work_cars', skip: 0, limit: 20, items: found.map(presentCar) };
  return { status: 200, body: JSON.stringify(page) };
};

const SECONDS = `YYYY-MM-DD"T"HH24:MI:SS"Z"`;

/** The same answers, written by PostgreSQL. */
const listMessagesAsJson: Handler = async (request, url) => {
  const [found] = await rows<{ page: string }>(
    'list-messages-json',
    `SELECT json_build_object('skip', 0, 'limit', 50, 'items', json_agg(json_build_object('_id', m.id,
        'message', m.text, 'attachments', m.attachments, 'created_at', to_char(m.created_at AT TIME ZONE 'UTC', '${SECONDS}'),
        'updated_at', to_char(m.updated_at AT TIME ZONE 'UTC', '${SECONDS}'), 'chat_dialog_id', m.dialog_id,
        'date_sent', m.date_sent, 'sender_id', m.sender_id, 'recipient_id', m.recipient_id, 'read_ids', m.read_ids,
        'delivered_ids', m.delivered_ids, 'read', 0, 'reactions', null)))::text AS page
      FROM (SELECT s.user_id ${SESSION}) s
      JOIN members p ON p.dialog_id = $2 AND p.user_id = s.user_id,
      LATERAL (SELECT * FROM messages WHERE dialog_id = $2 ORDER BY seq DESC LIMIT 50) m`,
    [tokenOf(request), url.searchParams.get('chat_dialog_id')],
  );
  return found && { status: 200, body: found.page };
};

const listCarsAsJson: Handler = async (request, url) => {
  const [found] = await rows<{ page: string }>(
    'list-cars-json',
    `SELECT json_build_object('class_name', 'work_cars', 'skip', 0, 'limit', 20, 'items', json_agg(json_build_object(
        '_id', c.id, 'user_id', c.user_id, '_parent_id', null, 'created_at', floor(extract(epoch FROM c.created_at)),
        'updated_at', floor(extract(epoch FROM c.updated_at)), 'make', c.make, 'price', c.price, 'rating', c.rating,
        'sold', c.sold, 'registered', c.registered, 'place', json_build_array(c.place[0], c.place[1]))))::text AS page
      FROM (SELECT s.user_id ${SESSION}) s,
      LATERAL (SELECT * FROM cars WHERE make = $2 AND price >= $3 ORDER BY price LIMIT 20) c`,
    [tokenOf(request), url.searchParams.get('make'), url.searchParams.get('price[gte]')],
  );
  return found && { status: 200, body: found.page };
};

interface User {
  id: number;
  created_at: Date;
  updated_at: Date;
  tags: string[];
  external_user_id: string;
}

const presentUser = ({ created_at, updated_at, tags, external_user_id, ...user }: User) => ({
  ...user,
  website: null,
  custom_data: null,
  blob_id: null,
  facebook_id: null,
  twitter_id: null,
  parents_contacts: '',
  age_over16: false,
  allow_statistics_analysis: false,
  allow_sales_activities: false,
  last_request_at: null,
  external_user_id: Number(external_user_id),
  user_tags: tags.join(','),
  created_at: seconds(created_at),
  updated_at: seconds(updated_at),
});

const getUser: Handler = async (request, url) => {
  const [found] = await rows<User>(
    'get-user',
    `SELECT u.* FROM (SELECT s.user_id ${SESSION}) s, users u WHERE u.id = $2`,
    [tokenOf(request), Number(idOf(url))],
  );
  return found && { status: 200, body: JSON.stringify({ user: presentUser(found) }) };
};

const listUsers: Handler = async (request, url) => {
  const [, first, last] = /between (\d+),(\d+)$/.exec(url.searchParams.get('filter[]')!)!;
  const found = await rows<User & { total: string }>(
    'list-users',
    `SELECT u.*, count(*) OVER () AS total FROM (SELECT s.user_id ${SESSION}) s, users u
      WHERE u.id BETWEEN $2 AND $3 ORDER BY u.login DESC LIMIT 10`,
    [tokenOf(request), first, last],
  );
  const items = found.map(({ total: _, ...user }) => ({ user: presentUser(user) }));
  const page = { current_page: 1, per_page: 10, total_entries: Number(found[0]?.total ?? 0), items };
  return { status: 200, body: JSON.stringify(page) };
};

const HANDLERS: [method: string, path: RegExp, handler: Handler][] = [
  ['POST', /^\/chat\/Message\.json$/, createMessage],
  ['GET', /^\/chat\/Message\.json$/, listMessages],
  ['GET', /^\/chat\/Message\/\w+\.json$/, getMessage],
  ['POST', /^\/data\/work_cars\.json$/, createCar],
  ['POST', /^\/data\/work_cars\/multi\.json$/, createCars],
  ['GET', /^\/data\/work_cars\.json$/, listCars],
  ['GET', /^\/data\/work_cars\/\w+\.json$/, getCar],
  ['GET', /^\/json\/chat\/Message\.json$/, listMessagesAsJson],
  ['GET', /^\/json\/data\/work_cars\.json$/, listCarsAsJson],
  ['GET', /^\/users\.json$/, listUsers],
  ['GET', /^\/users\/\w+\.json$/, getUser],
];

const idOf = ({ pathname }: URL) => pathname.slice(pathname.lastIndexOf('/') + 1, -'.json'.length);

announce(
  createServer((request, response) => {
    answer(request, response).catch((error: Error) => response.writeHead(500).end(error.message));
  }),
);

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url!, 'http://bare');
  const found = HANDLERS.find(([method, path]) => method === request.method && path.test(url.pathname));
  const { status, body } = (await found?.[2](request, url)) ?? { status: 404, body: '{}' };
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) });
  response.end(body);
}
