import { deepStrictEqual, strictEqual } from 'node:assert';
import pg from 'pg';
import { call, type Person, tokenHeader } from './calls.ts';
import type { Comparison, Figures } from './comparison.ts';
import type { Environment } from './environment.ts';
import { httpLoad } from './http-load.ts';
import { type SeededUsers, startSeededUsers } from './seeded-users.ts';
import { APPLICATION } from './service.ts';

const BOOK = 10_000;
const FEW = 1_000;
const MANY = 1_000_000;
const REGISTERED = 100;
const SECONDS_AT_MOST = 3;

const UPLOAD_NOTE = `contacts upload – bare: the same ${BOOK.toLocaleString('en')} rows replaced by two statements of one transaction, without HTTP, JSON or rules`;
const MATCH_NOTE = `contacts matching – a book of ${BOOK.toLocaleString('en')} among ${FEW} users beside among ${MANY.toLocaleString('en')}: the ratio is the growth, at most 2`;

export async function contacts(environment: Environment): Promise<Comparison[]> {
  const few = await startSeededUsers(FEW, environment, 'contacts');
  const many = await startSeededUsers(MANY, environment, 'contacts');
  return [
    await uploads(environment),
    {
      name: 'contacts matching, 1k : 1M',
      service: await matching(few, environment),
      bare: await matching(many, environment),
      note: () => MATCH_NOTE,
    },
  ];
}

interface Contact {
  name: string;
  phone: string;
}

/** Two books without common phone numbers, so that each upload replaces all contacts. */
const BOOKS = [book(70_000_000_000), book(80_000_000_000)];

function book(first: number): Contact[] {
  return Array.from({ length: BOOK }, (_, nth) => ({ name: `Contact number ${nth}`, phone: String(first + nth) }));
}

async function uploads({ serviceUrl, databaseUrl, people, seconds, cleanup }: Environment): Promise<Comparison> {
  const [ada, bob] = people as [Person, Person];
  const duration = Math.min(seconds, SECONDS_AT_MOST);
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  cleanup.add(() => client.end());

  const replaced = { created: BOOK, updated: 0, deleted: BOOK };
  let turn = 0;
  const upload = async (isFirst = false) => {
    const json = { contacts: BOOKS[turn++ % 2], force: 1 };
    const answer = await call(`${serviceUrl}/address_book.json`, 200, {
      method: 'POST',
      headers: tokenHeader(ada),
      json,
    });
    deepStrictEqual(JSON.parse(answer), isFirst ? { ...replaced, deleted: 0 } : replaced);
  };
  await upload(true);

  let bareTurn = 0;
  const replace = async () => {
    const contacts = BOOKS[bareTurn++ % 2]!;
    await client.query('BEGIN');
    await client.query("DELETE FROM contacts WHERE application_id = $1 AND user_id = $2 AND udid = ''", [
      APPLICATION.id,
      bob.id,
    ]);
    await client.query(
      `INSERT INTO contacts (application_id, user_id, udid, phone, name)
      SELECT $1, $2, '', s.phone, s.name FROM unnest($3::text[], $4::text[]) AS s (phone, name)`,
      [APPLICATION.id, bob.id, contacts.map(({ phone }) => phone), contacts.map(({ name }) => name)],
    );
    await client.query('COMMIT');
  };
  const check = async () => {
    const books = [];
    for (const { id } of [ada, bob]) {
      books.push(
        (await client.query('SELECT phone, name FROM contacts WHERE user_id = $1 ORDER BY position', [id])).rows,
      );
    }
    for (const [nth, rows] of books.entries()) {
      const last = BOOKS[((nth === 0 ? turn : bareTurn) + 1) % 2]!;
      deepStrictEqual(
        rows,
        last.map(({ phone, name }) => ({ phone, name })),
        'both sides have replaced the book',
      );
    }
  };
  return {
    name: `contacts upload of ${BOOK.toLocaleString('en')}`,
    service: () => oneAfterTheOther(upload, duration),
    bare: () => oneAfterTheOther(replace, duration),
    check,
    note: () => UPLOAD_NOTE,
  };
}

async function oneAfterTheOther(act: () => Promise<void>, seconds: number): Promise<Figures> {
  const start = performance.now();
  const end = start + seconds * 1000;
  let done = 0;
  while (performance.now() < end) {
    await act();
    done++;
  }
  return { 'uploads/s': (done * 1000) / (performance.now() - start) };
}

async function matching({ url, size, caller }: SeededUsers, environment: Environment): Promise<Comparison['service']> {
  const headers = tokenHeader(caller);
  // Spread over the table, as in real address books.
  const registered = Array.from({ length: REGISTERED }, (_, nth) => Math.floor(((nth + 0.5) * size) / REGISTERED));
  const known = registered.map((number) => ({ name: `User ${number}`, phone: `+${4_900_000_000 + number}` }));
  const json = { contacts: [...known, ...BOOKS[0]!.slice(REGISTERED)] };
  const uploaded = await call(`${url}/address_book.json`, 200, { method: 'POST', headers, json });
  strictEqual(JSON.parse(uploaded).created, BOOK);

  const path = '/address_book/registered_users.json?compact=1';
  const expected = await call(url + path, 200, { headers });
  const phones = JSON.parse(expected).items.map(({ user }: { user: { phone: string } }) => user.phone);
  deepStrictEqual(
    phones,
    known.map(({ phone }) => phone),
    'contacts matching: who is found',
  );
  return () =>
    httpLoad({
      url,
      method: 'GET',
      headers,
      paths: [path],
      status: 200,
      isRight: (body) => body === expected,
      seconds: Math.min(environment.seconds, SECONDS_AT_MOST),
    });
}
