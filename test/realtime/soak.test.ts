import { afterAll, beforeAll, expect, test } from 'vitest';
import { APPLICATION, useApp } from '../support/app.ts';
import { createDialog, type QuickUser, quickUsers } from '../support/chat.ts';
import { type OwnDatabase, startOwnDatabase } from '../support/own-database.ts';
import { createDataDir, type Service, startService } from '../support/service.ts';
import { Listener } from '../support/soak/listener.ts';
import { pause, Random } from '../support/soak/random.ts';
import { type Acknowledged, Writer } from '../support/soak/writer.ts';
import { until } from '../support/sockets.ts';
import { sql } from '../support/sql.ts';

/** How long is written; `SOAK_SECONDS=600 npx vitest run test/realtime/soak.test.ts` looks harder. */
const SECONDS = Number(process.env.SOAK_SECONDS ?? 15);
const SEED = Number(process.env.SOAK_SEED ?? Date.now() % 1_000_000);
/** How long listeners may take to hear the end once nobody writes any more. */
const PATIENCE = 60_000;

const USERS = 30;
const DIALOGS = 12;
const LISTENERS = 50;
const WRITERS = 20;

let database: OwnDatabase;
let folder: Awaited<ReturnType<typeof createDataDir>>;

// The application and its users are made by a process of the test's own; the storm is over two others.
useApp({
  database: async () => {
    database = await startOwnDatabase();
    return database;
  },
});

const services: Service[] = [];

const startProcess = () => startService(folder.dataDir, { DATABASE_URL: database.url });

beforeAll(async () => {
  folder = await createDataDir();
  services.push(...(await Promise.all([startProcess(), startProcess()])));
});

afterAll(async () => {
  await Promise.all(services.map((service) => service.kill()));
  await folder.remove();
});

/** What goes wrong meanwhile, one after the other. */
const TROUBLES: ((random: Random) => Promise<void>)[] = [
  async (random) => {
    const nth = random.between(0, services.length);
    await services[nth]!.kill();
    await replace(nth);
  },
  async () => {
    await database.stop();
    await database.start();
  },
  async (random) => {
    const nth = random.between(0, services.length);
    expect(await services[nth]!.stop()).toBe(0);
    await replace(nth);
  },
  async () => {
    await database.crash();
  },
];

const outputs: string[] = [];

async function replace(nth: number): Promise<void> {
  outputs.push(services[nth]!.output());
  services[nth] = await startProcess();
}

interface Stage {
  users: QuickUser[];
  /** Who is in which dialog. */
  dialogs: { id: string; users: QuickUser[] }[];
  since: string;
}

async function stage(random: Random): Promise<Stage> {
  const users = await quickUsers(USERS);
  const dialogs: Stage['dialogs'] = [];
  for (let nth = 0; nth < DIALOGS; nth++) {
    const inDialog = random.sample(users, random.between(2, USERS / 2));
    dialogs.push({ id: await createDialog(inDialog[0]!, inDialog.slice(1)), users: inDialog });
  }
  const [row] = await sql<{ position: string }>('SELECT max(position) AS position FROM events_outbox');
  return {
    users: users.filter((user) => dialogs.some((dialog) => dialog.users.includes(user))),
    dialogs,
    since: row!.position,
  };
}

const dialogsOf = ({ dialogs }: Stage, user: QuickUser) =>
  dialogs.filter(({ users }) => users.includes(user)).map(({ id }) => id);

test(`nothing is lost, doubled or out of order in ${SECONDS} seconds of killed processes and databases`, {
  timeout: SECONDS * 1000 + 5 * PATIENCE,
}, async ({ onTestFailed }) => {
  onTestFailed(() => console.error(`The soak test failed with SOAK_SEED=${SEED}.`));
  const random = new Random(SEED);
  const set = await stage(random);
  const urls = () => services.map(({ url }) => url);
  const listeners = Array.from({ length: LISTENERS }, (_, nth) => {
    const user = random.pick(set.users);
    const dialogId = random.chance(0.4) ? random.pick(dialogsOf(set, user)) : undefined;
    const via = nth % 10 < 7 ? 'socket' : nth % 10 < 9 ? 'stream' : 'polls';
    const options = { user, dialogId, via, withMessages: random.chance(0.5), since: set.since } as const;
    return new Listener(options, urls, new Random(SEED + 1_000 + nth));
  });
  const writers = Array.from({ length: WRITERS }, (_, nth) => {
    const user = random.pick(set.users);
    return new Writer(user, dialogsOf(set, user), urls, new Random(SEED + 2_000 + nth), nth);
  });

  const listening = listeners.map((listener) => listener.listen());
  const end = Date.now() + SECONDS * 1000;
  let troubles = 0;
  const isOver = () => Date.now() >= end && troubles >= TROUBLES.length;
  const writing = writers.map((writer) => writer.writeUntil(isOver));
  while (!isOver()) {
    await pause(random.between(500, 1500));
    await TROUBLES[troubles++ % TROUBLES.length]!(random);
  }
  await Promise.all(writing);
  const last = new Map<string, Acknowledged>();
  for (const { id, users } of set.dialogs) {
    const writer = new Writer(users[0]!, [id], urls, random, `last ${id}`);
    await writer.send(id);
    writers.push(writer);
    last.set(id, writer.acknowledged[0]!);
  }

  const told = await toldEvents(set.since);
  const giveUp = Date.now() + PATIENCE;
  await until(() => Date.now() > giveUp || listeners.every((one) => hasHeardAll(one, told, set)));
  for (const listener of listeners) listener.stop();
  await Promise.all(listening);

  await expectStoredOnce(writers.flatMap(({ acknowledged }) => acknowledged));
  for (const listener of listeners) expectHeardOnce(listener, expectedOf(listener, told, set));
  expect([...outputs, ...services.map((service) => service.output())].flatMap(faultsIn)).toEqual([]);
  expect(listeners.reduce((sum, { connections }) => sum + connections, 0)).toBeGreaterThan(LISTENERS);
});

/** What a service has printed that it never should, with the lines behind it, which say where. */
function faultsIn(output: string): string[] {
  const lines = output.split('\n');
  const isFault = (line: string) => /a resolver failed|could not be understood|nhandled/.test(line);
  return lines.flatMap((line, index) => (isFault(line) ? [lines.slice(index, index + 15).join('\n')] : []));
}

interface Told {
  position: bigint;
  dialogId: string;
  kind: string;
  audienceIds: number[] | null;
  /** It tells of a message that is deleted since: where messages are looked at, it need not be told. */
  isGone: boolean;
}

/** What the stream holds behind a position. */
async function toldEvents(since: string): Promise<Told[]> {
  const rows = await sql<Omit<Told, 'position'> & { position: string }>(
    `SELECT e.position, e.dialog_id AS "dialogId", upper(left(e.kind::text, 1)) || substr(e.kind::text, 2) AS kind,
       e.audience_ids AS "audienceIds", m.id IS NULL AS "isGone"
     FROM events_outbox e LEFT JOIN messages m ON m.application_id = e.application_id AND m.id = e.subject_id
     WHERE e.position > $1 AND e.application_id = $2 AND e.dialog_id IS NOT NULL ORDER BY e.position`,
    [since, APPLICATION.id],
  );
  return rows.map((row) => ({ ...row, position: BigInt(row.position) }));
}

function expectedOf({ options: { user, dialogId } }: Listener, told: Told[], set: Stage): Told[] {
  const dialogIds = new Set(dialogId === undefined ? dialogsOf(set, user) : [dialogId]);
  return told.filter((one) => dialogIds.has(one.dialogId) && (one.audienceIds?.includes(user.id) ?? true));
}

/** The last events are of messages that stay. */
function hasHeardAll(listener: Listener, told: Told[], set: Stage): boolean {
  const last = expectedOf(listener, told, set).at(-1)!;
  return listener.heard.some(({ position }) => position >= last.position);
}

function expectHeardOnce({ options, heard, faults }: Listener, expected: Told[]): void {
  const who = `user ${options.user.id} by ${options.via}, ${options.dialogId ?? 'all dialogs'}`;
  expect(faults, who).toEqual([]);
  const looksAtMessages = options.withMessages || options.via === 'polls';
  const heardAt = new Set(heard.map(({ position }) => position));
  const due = expected.filter(({ position, kind, isGone }) => {
    const mayBeLeftOut = looksAtMessages && isGone && /^Message(Sent|Edited)$/.test(kind);
    return heardAt.has(position) || !mayBeLeftOut;
  });
  const text = ({ position, kind, dialogId }: Pick<Told, 'position' | 'kind' | 'dialogId'>) =>
    `${position} ${kind} ${dialogId}`;
  expect(heard.map(text), who).toEqual(due.map(text));
}

/** Each message whose sender was told so is stored, once, and was announced once. */
async function expectStoredOnce(acknowledged: Acknowledged[]): Promise<void> {
  expect(acknowledged.length).toBeGreaterThan(0);
  expect(new Set(acknowledged.map(({ id }) => id)).size).toBe(acknowledged.length);
  const keys = await sql<{ userId: number; key: string; messageId: string; announced: number }>(
    `SELECT user_id AS "userId", key, message_id AS "messageId",
       (SELECT count(*)::int FROM events_outbox e WHERE e.subject_id = k.message_id AND e.kind = 'messageSent') AS announced
     FROM message_keys k WHERE application_id = $1`,
    [APPLICATION.id],
  );
  const stored = keys
    .map(({ userId, key, messageId, announced }) => `${userId} ${key} ${messageId} ${announced}`)
    .sort();
  expect(stored).toEqual(acknowledged.map(({ senderId, clientId, id }) => `${senderId} ${clientId} ${id} 1`).sort());
}
