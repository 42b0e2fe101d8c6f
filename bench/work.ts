import { deepStrictEqual } from 'node:assert';
import type { IndependentSettings } from './bare/independent.ts';
import {
  call,
  createGroup,
  createPerson,
  forEach,
  messageBody,
  type Person,
  sendMessage,
  tokenHeader,
} from './calls.ts';
import type { Comparison, Figures } from './comparison.ts';
import { costOfEach } from './cpu.ts';
import type { Environment } from './environment.ts';
import { httpLoad } from './http-load.ts';
import { startScript } from './processes.ts';
import { queries } from './seeded.ts';
import { startSeededUsers } from './seeded-users.ts';
import { APPLICATION } from './service.ts';

const DIALOGS = 200;
const MESSAGES = 100_000;
const RECORDS = 100_000;
const USERS = 10_000;
const TOGETHER = 100;
/** Different requests of a kind, one after the other. */
const REQUESTS = 200;
const CLASS = 'work_cars';
const FIELDS = `[{ name: "make", type: STRING, index: true }, { name: "price", type: INTEGER, index: true },
  { name: "rating", type: FLOAT }, { name: "sold", type: BOOLEAN }, { name: "registered", type: DATE },
  { name: "place", type: LOCATION }]`;
const TEXT = 'Shall we meet for lunch at noon?';
const INDEXES = '[{ fields: ["make", "price"] }]';

const CAR = {
  make: 'make-7',
  price: 25_000,
  rating: 4.5,
  sold: false,
  registered: '2023-02-28 23:59:59',
  place: '50.1, 8.7',
};

/** One side: where it listens, and the ids that it has stored. */
interface Side {
  url: string;
  pid: number;
  messageIds: string[];
  recordIds: string[];
  userIds: number[];
}

interface Work {
  name: string;
  status: number;
  /** Requests, one per turn. */
  paths?: (side: Side) => string[];
  path?: string;
  bodies?: string[];
  /** Prefix of the independent server's paths. */
  under?: string;
  /** The service performs the work by this operation instead; one request per item of `variables`. */
  graphql?: { query: string; variables: object[] };
}

/** Requests that clients send most, beside a server and a schema that are written for them and for nothing else. */
export async function work(environment: Environment): Promise<Comparison[]> {
  const { url, databaseUrl, pid } = await startSeededUsers(USERS, environment, 'work');
  const people: Person[] = [];
  for (const name of ['fay', 'gus', 'hal', 'ivy', 'jon']) people.push(await createPerson(url, name));
  const dialogIds: string[] = [];
  await forEach(Array(DIALOGS).keys(), 8, async (n) => dialogIds.push(await createGroup(url, people, `work ${n}`)));
  const service = { url, pid, ...(await seed(url, people, dialogIds)) };

  await queries(databaseUrl, ['VACUUM ANALYZE', 'CREATE DATABASE work_bare']);
  const bareUrl = new URL(databaseUrl);
  bareUrl.pathname = '/work_bare';
  const settings: IndependentSettings = {
    databaseUrl: bareUrl.href,
    people,
    dialogIds,
    messages: MESSAGES,
    records: RECORDS,
    users: USERS,
  };
  const started = await startScript(new URL('./bare/independent.ts', import.meta.url), settings, environment.cleanup);
  const numbers = Array.from({ length: REQUESTS }, (_, n) => n * Math.floor(RECORDS / REQUESTS));
  const bare: Side = {
    url: started.url,
    pid: started.child.pid!,
    messageIds: numbers.map(idOf),
    recordIds: numbers.map(idOf),
    userIds: service.userIds,
  };
  return Promise.all(worksOf(dialogIds).map((each) => comparisonOf(each, [service, bare], people[1]!, environment)));
}

const idOf = (n: number) => n.toString(16).padStart(24, '0');

/** Messages, records and users of the service, and those of them that are read one by one. */
async function seed(url: string, people: Person[], dialogIds: string[]): Promise<Omit<Side, 'url' | 'pid'>> {
  const [messageIds, recordIds]: [string[], string[]] = [[], []];
  await forEach(Array(MESSAGES).keys(), 32, async (n) => {
    const sent = await sendMessage(
      url,
      people[n % 5]!,
      dialogIds[n % DIALOGS]!,
      `Message number ${n} of a long dialog`,
    );
    if (n % (MESSAGES / REQUESTS) === 0) messageIds.push(JSON.parse(sent)._id);
  });
  const query = `mutation { createClass(input: { name: "${CLASS}", fields: ${FIELDS}, indexes: ${INDEXES} }) { id } }`;
  const apiKey = { Authorization: `ApiKey ${APPLICATION.apiKey}` };
  await call(`${url}/graphql`, 200, { method: 'POST', headers: apiKey, json: { query } });
  await forEach(Array(RECORDS / TOGETHER).keys(), 4, async (batch) => {
    const cars = Array.from({ length: TOGETHER }, (_, place) => {
      const n = batch * TOGETHER + place;
      return [String(place + 1), { ...CAR, make: `make-${n % 50}`, price: (n * 7919) % RECORDS }];
    });
    const json = { record: Object.fromEntries(cars) };
    const answer = await call(`${url}/data/${CLASS}/multi.json`, 201, {
      method: 'POST',
      headers: tokenHeader(people[0]!),
      json,
    });
    if (batch % (RECORDS / TOGETHER / REQUESTS) === 0) recordIds.push(JSON.parse(answer).items[0]._id);
  });
  const userIds = Array.from({ length: REQUESTS }, (_, n) => 1 + Math.floor((n * USERS) / REQUESTS));
  return { messageIds, recordIds, userIds };
}

function worksOf(dialogIds: string[]): Work[] {
  const turns = Array.from({ length: REQUESTS }, (_, n) => n);
  const create = {
    name: 'create a message, 200 dialogs',
    status: 201,
    path: '/chat/Message.json',
    bodies: dialogIds.map((id) => messageBody(id, TEXT)),
  };
  const list = {
    name: 'list the latest 50 messages',
    status: 200,
    paths: () =>
      dialogIds.map((id) => `/chat/Message.json?chat_dialog_id=${id}&limit=50&sort_desc=date_sent&mark_as_read=0`),
  };
  const cars = {
    name: '20 of 100,000 records, filtered and sorted',
    status: 200,
    paths: () =>
      turns.map((n) => `/data/${CLASS}.json?make=make-${n % 50}&price[gte]=${n * 400}&sort_asc=price&limit=20`),
  };
  return [
    create,
    { ...create, name: 'create a message, one dialog', bodies: create.bodies.slice(0, 1) },
    list,
    { ...list, name: `${list.name}, JSON by PostgreSQL`, under: '/json' },
    {
      ...create,
      name: 'create a message over GraphQL',
      graphql: {
        query: 'mutation Send($input: SendMessageInput!) { sendMessage(input: $input) { id text dateSent senderId } }',
        variables: dialogIds.map((dialogId) => ({ input: { dialogId, text: TEXT, sendToChat: true } })),
      },
    },
    {
      ...list,
      name: 'list the latest 50 messages over GraphQL',
      graphql: {
        query: `query List($dialogId: ID!) {
          messages(dialogId: $dialogId, first: 50) { edges { node { id text dateSent senderId } } }
        }`,
        variables: dialogIds.map((dialogId) => ({ dialogId })),
      },
    },
    {
      name: 'get a message',
      status: 200,
      paths: ({ messageIds }) => messageIds.map((id) => `/chat/Message/${id}.json`),
    },
    { name: 'create a record', status: 201, path: `/data/${CLASS}.json`, bodies: [JSON.stringify(CAR)] },
    {
      name: `create ${TOGETHER} records at once`,
      status: 201,
      path: `/data/${CLASS}/multi.json`,
      bodies: [JSON.stringify({ record: Object.fromEntries(turns.slice(0, TOGETHER).map((n) => [`${n + 1}`, CAR])) })],
    },
    {
      name: 'get a record',
      status: 200,
      paths: ({ recordIds }) => recordIds.map((id) => `/data/${CLASS}/${id}.json`),
    },
    cars,
    { ...cars, name: `${cars.name}, JSON by PostgreSQL`, under: '/json' },
    { name: 'get a user', status: 200, paths: ({ userIds }) => userIds.map((id) => `/users/${id}.json`) },
    {
      name: 'users filtered and sorted, with total',
      status: 200,
      paths: ({ userIds }) =>
        userIds.map(
          (id) =>
            `/users.json?filter[]=${encodeURIComponent(`number id between ${id},${id + 199}`)}&order=desc%20string%20login`,
        ),
    },
  ];
}

async function comparisonOf(
  { name, status, path, paths, bodies, under = '', graphql }: Work,
  [service, bare]: [Side, Side],
  person: Person,
  { seconds, postgresDir }: Environment,
): Promise<Comparison> {
  const headers = { ...tokenHeader(person), 'Content-Type': 'application/json' };
  const method = bodies ? ('POST' as const) : ('GET' as const);
  const pathsOf = (side: Side) => paths?.(side).map((one) => (side === service ? one : under + one));
  const fieldsOf = async (side: Side) => {
    const json = bodies && JSON.parse(bodies[0]!);
    const first = side.url + (pathsOf(side)?.[0] ?? path!);
    return fields(JSON.parse(await call(first, status, { method, headers, json })));
  };
  if (!graphql) {
    deepStrictEqual(await fieldsOf(bare), await fieldsOf(service), `${name}: both sides have the same fields`);
  }

  const load = (side: Side) => async (): Promise<Figures> => {
    const requests =
      graphql && side === service
        ? {
            url: `${side.url}/graphql`,
            method: 'POST' as const,
            bodies: graphql.variables.map((variables) => JSON.stringify({ query: graphql.query, variables })),
            status: 200,
          }
        : {
            url: side.url + (path ?? ''),
            method,
            ...(bodies ? { bodies } : {}),
            ...(paths ? { paths: pathsOf(side)! } : {}),
            status,
          };
    let figures: Figures = {};
    const { node, postgres } = await costOfEach({ pid: side.pid, postgresDir }, async () => {
      let answered = 0;
      figures = await httpLoad({
        ...requests,
        headers,
        isRight: (body) => body.length > 2 && !body.startsWith('{"errors"'),
        seconds,
        onAnswered: (count) => {
          answered = count;
        },
      });
      return answered;
    });
    return { ...figures, 'µs of node': node, 'µs of PostgreSQL': postgres };
  };
  return { name, service: load(service), bare: load(bare), note: () => NOTE };
}

/** Names of the fields of an answer, those of the first item for each list. */
function fields(value: unknown): unknown {
  if (Array.isArray(value)) return value.length > 0 && typeof value[0] === 'object' ? [fields(value[0])] : 'list';
  if (value === null || typeof value !== 'object') return 'value';
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, member]) => [name, fields(member)])
      .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
  );
}

const NOTE =
  'work – beside an independent server with its own schema (bench/bare/independent.ts): session, membership and rows ' +
  'in one statement; µs are CPU time per request';
