import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startGoogle } from '../test/support/fakes/google.ts';
import {
  call,
  createGroup,
  createPerson,
  forEach,
  messageBody,
  type Person,
  sendMessage,
  signInBody,
  tokenHeader,
} from './calls.ts';
import { ASSUMPTIONS, costTable, machines } from './capacity-table.ts';
import { type Comparison, type Figures, median } from './comparison.ts';
import { type Cost, costOfEach } from './cpu.ts';
import { Deliveries } from './deliveries.ts';
import type { Environment } from './environment.ts';
import { CONNECTIONS, httpLoad } from './http-load.ts';
import { MEASURABLE, memoryOf } from './process-memory.ts';
import { queries, type Seeded, startSeeded } from './seeded.ts';
import { APPLICATION, environmentOf } from './service.ts';
import { subscribers } from './subscribers.ts';

const DIALOGS = 100;
const MESSAGES = 50;
const SOCKETS = 4_000;
const DEVICES = 500;
const SUBSCRIBERS = 5;
const SIGN_INS = 2_000;
const TIMEOUT_MS = 60_000;
const TEXT = 'Shall we meet for lunch at noon?';

/** What users do for each message that one of them sends. */
const MIX = { send: 1, deliver: 1, list: 2, get: 1, create: 0.2 };
const REQUESTS_OF_MIX = MIX.send + MIX.list + MIX.get + MIX.create;

type Operation = keyof typeof MIX | 'deliverFurther' | 'push' | 'signIn';

const NAMES: Record<Operation, string> = {
  send: 'send a message without subscribers',
  deliver: `deliver it to ${SUBSCRIBERS} subscribers`,
  deliverFurther: 'deliver it to one more subscriber',
  list: 'list 50 messages',
  get: 'get a record',
  create: 'create a record',
  signIn: 'sign in with a password',
  push: 'push to one device',
};

/** What operations cost one by one, and whether a mix of them costs as much as their sum. */
export async function capacity(environment: Environment): Promise<Comparison[]> {
  const { seconds, postgresDir } = environment;
  const seeded = await startSeeded('capacity', environment, MEASURABLE);
  const { url, pid } = seeded;
  const people: Person[] = [];
  for (const login of ['fay', 'gus', 'hal', 'ivy', 'jon']) people.push(await createPerson(url, login));
  const { memory, deliveries } = await connectIdle(seeded, people, environment);
  const dialogs = await createDialogs(url, people);
  const recordId = await createClass(url);
  const push = await setUpPushes(seeded, people, environment);
  const subscribed = await createDialogs(url, people);
  for (const dialogId of subscribed)
    await subscribers(url, { people, dialogId, count: SUBSCRIBERS }, () => {}, environment.cleanup);
  // Otherwise the server does both during the measurement.
  await queries(seeded.databaseUrl, ['VACUUM ANALYZE', 'CHECKPOINT']);

  const costOf = (run: () => Promise<number>) => costOfEach({ pid, postgresDir }, run);
  const post = async (bodies: string[], { connections = CONNECTIONS, path = '/graphql', status = 200 } = {}) => {
    let count = 0;
    const headers = { ...(path === '/graphql' ? tokenHeader(people[1]!) : {}), 'Content-Type': 'application/json' };
    const figures = await httpLoad({
      url: url + path,
      method: 'POST',
      headers,
      bodies,
      status,
      isRight: (body) => body.length > 2 && !body.includes('"errors"'),
      seconds,
      connections,
      onAnswered: (answered) => {
        count = answered;
      },
    });
    return { count, rate: figures['requests/s']! };
  };
  const requests = requestsOf(recordId);
  // As many connections as the operation has in the mix, because concurrent requests of a kind share statements.
  const costOfPart = (name: keyof typeof MIX, bodies: string[]) => {
    const connections = Math.max(1, Math.round((CONNECTIONS * MIX[name]) / REQUESTS_OF_MIX));
    return costOf(async () => (await post(bodies, { connections })).count);
  };
  const signIns = () => Array.from({ length: SIGN_INS }, () => JSON.stringify(signInBody('fay', 'bench-password')));

  const rounds: Record<Operation, Cost>[] = [];
  const measureEach = async (): Promise<Record<Operation, Cost>> => {
    const send = await costOfPart('send', dialogs.map(requests.send));
    const costs = {
      send,
      deliver: minus(await costOfPart('send', subscribed.map(requests.send)), send),
      deliverFurther: await costOf(deliveries),
      list: await costOfPart('list', dialogs.map(requests.list)),
      get: await costOfPart('get', [requests.get]),
      create: await costOfPart('create', [requests.create]),
      signIn: await costOf(async () => (await post(signIns(), { path: '/session.json', status: 201 })).count),
      push: await costOf(push),
    };
    rounds.push(costs);
    return costs;
  };
  const mix = [...subscribed.keys()].flatMap((nth) => [
    requests.send(subscribed[nth]!),
    ...Array<string>(MIX.list).fill(requests.list(dialogs[nth]!)),
    requests.get,
    ...(nth % Math.round(1 / MIX.create) === 0 ? [requests.create] : []),
  ]);
  /** That the service, PostgreSQL and the load got during the mix. */
  let cores = 0;
  const measure = async (): Promise<Figures> => {
    let rate = 0;
    const { node, postgres, load } = await costOf(async () => {
      const posted = await post(mix);
      rate = posted.rate;
      return posted.count;
    });
    cores = ((node + postgres + load) * rate) / 1e6;
    return { 'requests/s': rate, 'µs of node': node, 'µs of PostgreSQL': postgres };
  };
  const predict = async (): Promise<Figures> => {
    const { node, postgres, load } = sumOf(await measureEach());
    const rate = Math.min(1e6 / node, (cores * 1e6) / (node + postgres + load));
    return { 'requests/s': rate, 'µs of node': node, 'µs of PostgreSQL': postgres };
  };
  const medians = () =>
    Object.fromEntries(
      Object.keys(NAMES).map((name) => [name, medianOf(rounds.map((costs) => costs[name as Operation]))]),
    ) as Record<Operation, Cost>;
  return [
    {
      name: 'a mix of requests',
      service: measure,
      bare: predict,
      note: ({ unit }) => (unit === 'requests/s' ? report(medians(), memory) : ''),
    },
  ];
}

/** Per request. */
function sumOf(costs: Record<Operation, Cost>): Cost {
  const parts = Object.entries(MIX).map(([name, times]) => scaled(costs[name as Operation], times / REQUESTS_OF_MIX));
  return parts.reduce(plus);
}

function report(costs: Record<Operation, Cost>, memory: number): string {
  const ofMix = Object.entries(MIX).map(([name, times]) => scaled(costs[name as Operation], times));
  const perMessage = [...ofMix, costs.push].reduce(plus);
  return [
    'capacity – the service column is the measured mix, the bare column its prediction: the sum of the costs of its ' +
      'operations, and how many requests fit into the CPU time that the mix, PostgreSQL and the load got',
    costTable(Object.entries(NAMES).map(([name, title]) => [title, costs[name as Operation]])),
    `An idle subscriber takes ${memory.toFixed(1)} KB.`,
    `For each message: ${SUBSCRIBERS} deliveries, a push, ${MIX.list} lists, ${MIX.get} record read and ${MIX.create} created. ` +
      `Each user signs in once a day. ${ASSUMPTIONS}`,
    machines({ perMessage, perDay: costs.signIn, memory }),
  ].join('\n\n');
}

const plus = (a: Cost, b: Cost): Cost => ({
  node: a.node + b.node,
  postgres: a.postgres + b.postgres,
  load: a.load + b.load,
});
const scaled = (a: Cost, factor: number): Cost => ({
  node: a.node * factor,
  postgres: a.postgres * factor,
  load: a.load * factor,
});
const minus = (a: Cost, b: Cost): Cost => plus(a, scaled(b, -1));
const medianOf = (costs: Cost[]): Cost => ({
  node: median(costs.map(({ node }) => node)),
  postgres: median(costs.map(({ postgres }) => postgres)),
  load: median(costs.map(({ load }) => load)),
});

async function createDialogs(url: string, people: Person[]): Promise<string[]> {
  const ids: string[] = [];
  await forEach(Array(DIALOGS).keys(), 8, async (nth) => {
    const id = await createGroup(url, people, `capacity ${nth}`);
    for (let number = 0; number < MESSAGES; number++) await sendMessage(url, people[number % people.length]!, id, TEXT);
    ids.push(id);
  });
  return ids;
}

async function createClass(url: string): Promise<string> {
  const headers = { Authorization: `ApiKey ${APPLICATION.apiKey}` };
  const fields = { make: 'String', value: 'Integer', rating: 'Float', sold: 'Boolean' };
  await call(`${url}/class.json`, 201, { method: 'POST', headers, json: { name: CLASS, fields } });
  return JSON.parse(await call(`${url}/data/${CLASS}.json`, 201, { method: 'POST', headers, json: CAR }))._id;
}

const CLASS = 'capacity_cars';
const CAR = { make: 'BMW', value: 25_000, rating: 4.5, sold: false };

/** Bodies of GraphQL requests. */
function requestsOf(recordId: string) {
  const body = (query: string, variables: object) => JSON.stringify({ query, variables });
  return {
    send: (dialogId: string) =>
      body('mutation Send($input: SendMessageInput!) { sendMessage(input: $input) { id text dateSent senderId } }', {
        input: { dialogId, text: TEXT, sendToChat: true },
      }),
    list: (dialogId: string) =>
      body(
        `query List($dialogId: ID!) {
          messages(dialogId: $dialogId, first: 50) { edges { node { id text dateSent senderId } } }
        }`,
        { dialogId },
      ),
    get: body(`query Get($id: ID!) { record(className: "${CLASS}", id: $id) { id fields createdAt } }`, {
      id: recordId,
    }),
    create: body(
      'mutation Create($input: CreateRecordInput!) { createRecord(input: $input) { id fields createdAt } }',
      {
        input: { className: CLASS, fields: CAR },
      },
    ),
  };
}

/** @returns KB of each idle subscriber, and a run that counts deliveries */
async function connectIdle({ url, pid, child }: Seeded, people: Person[], { cleanup, seconds }: Environment) {
  const dialogId = await createGroup(url, people, 'capacity fan-out');
  const sending = new Deliveries(SOCKETS, {
    pid,
    send: (text) =>
      call(`${url}/chat/Message.json`, 201, {
        method: 'POST',
        headers: tokenHeader(people[0]!),
        json: JSON.parse(messageBody(dialogId, text)),
      }),
  });
  let count = 0;
  const onFrame = (socket: number, frame: Buffer) => {
    count++;
    sending.onFrame(socket, frame);
  };
  await sendMessage(url, people[0]!, dialogId, TEXT);
  const before = await memoryOf({ child });
  await subscribers(url, { people, dialogId, count: SOCKETS }, onFrame, cleanup);
  await sending.untilAllListen();
  const after = await memoryOf({ child });
  // Like `sockets`, without the young generation of V8, which grows with the load.
  const memory = (after.rss - after.young - (before.rss - before.young)) / SOCKETS / 1024;
  const deliveries = async () => {
    count = 0;
    await sending.rate(seconds);
    return count;
  };
  return { memory, deliveries };
}

/** @returns a run that pushes messages to many devices, one after the other */
async function setUpPushes({ url, databaseUrl }: Seeded, people: Person[], { folder, cleanup, seconds }: Environment) {
  const google = await startGoogle(() => new Date());
  cleanup.add(google.stop);
  const account = join(folder, 'service-account.json');
  await writeFile(account, JSON.stringify(google.serviceAccount));
  const options = ['--application', String(APPLICATION.id), '--environment', 'production', '--endpoint', google.url];
  await promisify(execFile)(
    process.execPath,
    ['--env-file=production.env', 'dist/cli.js', 'push', 'fcm', ...options, '--service-account', account],
    { env: { PATH: process.env.PATH, ...environmentOf({ databaseUrl, dataDir: join(folder, 'capacity') }) } },
  );
  const dialogId = await createGroup(url, people, 'capacity pushes');
  await queries(databaseUrl, [
    `INSERT INTO users (application_id, login, login_key, created_at, updated_at)
     SELECT ${APPLICATION.id}, 'device-' || n, 'device-' || n, now(), now() FROM generate_series(1, ${DEVICES}) n`,
    `INSERT INTO members (application_id, dialog_id, user_id, joined_at)
     SELECT application_id, '${dialogId}', id, now() FROM users WHERE login LIKE 'device-%'`,
    `UPDATE dialogs SET member_version = member_version + 1 WHERE id = '${dialogId}'`,
    `INSERT INTO push_subscriptions (application_id, user_id, channel, environment, platform, udid, sequence, created_at,
       updated_at)
     SELECT application_id, id, 'gcm', 'production', 'android', login, 'token-' || id, now(), now()
     FROM users WHERE login LIKE 'device-%'`,
  ]);
  return async () => {
    google.pushes.length = 0;
    const end = performance.now() + seconds * 1000;
    for (let sent = 1; performance.now() < end; sent++) {
      await sendMessage(url, people[0]!, dialogId, TEXT);
      const deadline = performance.now() + TIMEOUT_MS;
      while (google.pushes.length < sent * DEVICES) {
        if (performance.now() > deadline) throw new Error(`${google.pushes.length} pushes of ${sent} messages arrived`);
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    }
    return google.pushes.length;
  };
}
