import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cli, cliJson } from '../../support/app/cli.ts';
import { type OwnDatabase, startOwnDatabase } from '../../support/app/postgres-server.ts';
import { REDIS } from '../../support/app/redis.ts';
import { failToStart, startService } from '../../support/app/service.ts';
import { until } from '../../support/app/until.ts';
import { temporaryFolder } from '../../support/fixtures/archives.ts';
import { Random } from '../../support/fixtures/random.ts';
import { Listener } from '../chaos/listener.ts';
import { Writer } from '../chaos/writer.ts';
import {
  type Chat,
  type Installation,
  onDatabase,
  request,
  startChat,
  startInstallation,
  tablesOf,
} from './installation.ts';

if (!REDIS) console.info('Redis is not installed: several databases are not tested.');

const WRITERS = 4;
const MESSAGES = 10;

/** One database with an application becomes two, as in docs/scaling.md; two processes of the service. */
describe.skipIf(!REDIS)('two databases', () => {
  let installation: Installation;
  let databases: OwnDatabase[];
  let env: Record<string, string>;
  let chats: Chat[];
  let lastFile: number;
  const urls = () => installation.urls();

  beforeAll(async () => {
    chats = [];
    installation = await startInstallation(async ({ DATA_DIR, DATABASE_URL }) => {
      const single = await startService(DATA_DIR, { DATABASE_URL });
      const earlier = await cliJson({ DATA_DIR, DATABASE_URL }, 'app', 'create', '--name', 'earlier');
      chats.push({ ...(await startChat(single.url, earlier)), database: 0 });
      lastFile = await createFile(single.url, chats[0]!);
      await single.stop();
    });
    ({ databases, env } = installation);
    expect(await cliJson(env, 'database', 'shards', 'init')).toEqual({ databases: 2 });
    const applications = await Promise.all(
      [1, 2, 3, 4].map((nth) => cliJson(env, 'app', 'create', '--name', `app ${nth}`)),
    );
    chats.push(...(await Promise.all(applications.map((application) => startChat(urls()[0]!, application)))));
  });
  afterAll(() => installation.end());

  test('each application is on one server, and is served by every process', async () => {
    await exchangeMessages(chats);
    const status = await cliJson(env, 'database', 'shards', 'status');
    expect(status.map(({ applications }: { applications: number }) => applications).sort()).toEqual([2, 4]);
    for (const [number, database] of databases.entries()) {
      const own = await applicationsIn(database, 'applications', 'id');
      expect(own).toEqual(expect.arrayContaining(chats.filter((chat) => chat.database === number).map(idOf)));
      for (const table of await tablesOf(database)) {
        const named = await applicationsIn(database, table, 'application_id');
        expect(
          named.filter((id) => id !== 0 && !own.includes(id)),
          table,
        ).toEqual([]);
      }
    }
  });

  test('numbers of files are unique among the servers', async () => {
    const numbers = await Promise.all(chats.map((chat) => createFile(urls()[0]!, chat)));
    expect(new Set(numbers).size).toBe(chats.length);
    expect(Math.min(...numbers)).toBeGreaterThan(lastFile);
  });

  test('while a server is away, the applications of the others are served, and its own afterwards', async () => {
    const [away, others] = [chats.filter(isOnSecond), chats.filter((chat) => !isOnSecond(chat))];
    await databases[1]!.stop();
    try {
      for (const chat of away) {
        await until(async () => (await send(chat)).errors?.[0]?.extensions.code === 'SERVICE_UNAVAILABLE');
      }
      await exchangeMessages(others);
    } finally {
      await databases[1]!.start();
    }
    await exchangeMessages(chats);
  });

  test('a server that hangs holds no place of the applications of the others', async () => {
    const [away, others] = [chats.filter(isOnSecond), chats.filter((chat) => !isOnSecond(chat))];
    const unfreeze = databases[1]!.freeze();
    try {
      const floods = away.flatMap((chat) => Array.from({ length: 50 }, () => send(chat)));
      await exchangeMessages(others);
      const answers = await Promise.all(floods);
      expect(answers.map(({ errors }) => errors?.[0]?.extensions.code)).toEqual(
        answers.map(() => 'SERVICE_UNAVAILABLE'),
      );
    } finally {
      unfreeze();
    }
    await exchangeMessages(chats);
  });

  test('a process that starts while a server is away serves the others, and its own when it is back', async () => {
    const [away, others] = [chats.filter(isOnSecond), chats.filter((chat) => !isOnSecond(chat))];
    await databases[1]!.stop();
    const late = await startService(env.DATA_DIR!, env);
    try {
      const ask = ({ alice }: Chat) => request(late.url, '{ me { id } }', {}, alice.headers);
      for (const chat of others) expect((await ask(chat)).data.me.id).toBe(chat.alice.id);
      for (const chat of away) expect((await ask(chat)).errors[0].extensions.code).toBe('SERVICE_UNAVAILABLE');
      await databases[1]!.start();
      for (const chat of away) await until(async () => (await ask(chat)).data?.me.id === chat.alice.id);
    } finally {
      await late.kill();
      await databases[1]!.start();
    }
    await exchangeMessages(chats);
  });

  test('keys and sessions of no application are refused, also by a service with several databases', async () => {
    const [{ alice }] = chats as [Chat];
    const headers = { Authorization: 'ApiKey nothing', 'On-Behalf-Of': String(alice.id) };
    const answer = await request(urls()[0]!, '{ me { id } }', {}, headers);
    expect(answer.errors[0].extensions.code).toBe('UNAUTHENTICATED');
  });

  test.each([
    [
      'another order',
      () => ({ DATABASE_URL: databases[1]!.url, DATABASE_SHARDS: databases[0]!.url }),
      'set up as database',
    ],
    ['a database too few', () => ({ DATABASE_SHARDS: '' }), 'the installation has 2 databases, but 1 are listed'],
    ['no Redis', () => ({ REDIS_URL: '' }), 'REDIS_URL: is required with DATABASE_SHARDS'],
    ['the same database twice', () => ({ DATABASE_SHARDS: databases[0]!.url }), 'set up as database 0'],
  ])('a service with %s does not start, and says why in one line', async (_name, changed, reason) => {
    const { code, output } = await failToStart({ ...env, ...changed() });
    expect(code).not.toBe(0);
    expect(output.trim().split('\n')).toEqual([expect.stringContaining(reason)]);
  });

  test('the status shows the load of each server', async () => {
    const isOver = { value: false };
    const load = (async () => {
      while (!isOver.value) await send(chats.find(isOnSecond)!);
    })();
    const { stdout } = await cli(env, 'database', 'shards', 'status').finally(() => {
      isOver.value = true;
    });
    await load;
    const [head, ...rows] = stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/ +/));
    expect(head).toEqual([
      'database',
      'applications',
      'users',
      'postgresVersion',
      'bytes',
      'connections',
      'transactionsPerSecond',
    ]);
    const [first, second] = rows.map((row) =>
      Object.fromEntries(head!.map((name, place) => [name, Number(row[place])])),
    );
    expect(Math.min(first!.connections!, second!.connections!)).toBeGreaterThan(1);
    expect(second!.transactionsPerSecond).toBeGreaterThan(first!.transactionsPerSecond!);
  });

  test('one archive has the applications of all servers, and another installation divides them again', async () => {
    const folder = await temporaryFolder();
    const [file, copy] = [join(folder, 'all.tar.gz'), join(folder, 'copy.tar.gz')];
    await writeFile(join(folder, 'passphrase'), 'a passphrase of the archive');
    const passphrase = ['--passphrase-file', join(folder, 'passphrase')];
    const { applications } = await cliJson(env, 'export', file, ...passphrase);
    expect(applications.map(({ id }: { id: number }) => id)).toEqual(expect.arrayContaining(chats.map(idOf)));

    const other = await startInstallation();
    try {
      // The first application of the service stops the import before the other server stores anything.
      const refused = await cli(other.env, 'import', file, ...passphrase);
      expect(refused.stderr).toBe('atrium: application 1 already exists\n');
      const stored = await Promise.all(other.databases.map((one) => applicationsIn(one, 'applications', 'id')));
      expect(stored).toEqual([[], [1]]);
      for (const one of other.databases) await onDatabase(one, 'TRUNCATE applications CASCADE');

      await cliJson(other.env, 'import', file, ...passphrase);
      for (const [number, one] of other.databases.entries()) {
        const divided = applications.map(({ id }: { id: number }) => id).filter((id: number) => id % 2 === number);
        expect((await applicationsIn(one, 'applications', 'id')).sort()).toEqual(divided.sort());
      }
      for (const { alice, dialogId } of chats) {
        const query =
          'query ($dialogId: ID!) { messages(dialogId: $dialogId, first: 50) { edges { node { id text } } } }';
        const read = async (url: string) =>
          (await request(url, query, { dialogId }, alice.headers)).data.messages.edges;
        const edges = await read(urls()[0]!);
        expect(edges).not.toEqual([]);
        expect(await read(other.urls()[1]!)).toEqual(edges);
      }
      const again = await cliJson(other.env, 'export', copy, ...passphrase);
      expect(again.applications).toEqual(applications);
    } finally {
      await other.end();
    }
  });

  test('a database that is not set up is refused, and one with applications cannot be set up', async () => {
    const third = await startOwnDatabase();
    try {
      const longer = { ...env, DATABASE_SHARDS: `${databases[1]!.url} ${third.url}` };
      const refused = await cli(longer, 'status');
      expect(refused.stderr).toContain('database shards init');
      await cliJson({ DATABASE_URL: third.url, DATA_DIR: env.DATA_DIR! }, 'app', 'create', '--name', 'of another');
      const used = await cli(longer, 'database', 'shards', 'init');
      expect(used.stderr).toBe('atrium: database 2 already stores applications; use an empty database\n');
    } finally {
      await third.drop();
    }
  });

  const isOnSecond = ({ database }: Chat) => database === 1;
  const idOf = ({ applicationId }: Chat) => applicationId;

  async function exchangeMessages(some: Chat[]): Promise<void> {
    const exchanges = some.map(async (chat, ordinal) => {
      const listener = new Listener(
        { user: chat.bob, dialogId: chat.dialogId, via: 'socket', withMessages: true, since: chat.since },
        urls,
        new Random(ordinal),
      );
      const listening = listener.listen();
      const writers = Array.from({ length: WRITERS }, (_, nth) => {
        const name = `${Date.now()}-${nth}`;
        return new Writer(chat.alice, [chat.dialogId], urls, new Random(nth), name);
      });
      await Promise.all(
        writers.map(async (writer) => {
          for (let count = 0; count < MESSAGES; count++) await writer.send(chat.dialogId);
        }),
      );
      await until(() => listener.received.length >= WRITERS * MESSAGES);
      listener.stop();
      await listening;
      expect(listener.faults).toEqual([]);
      const positions = listener.received.map(({ position }) => position);
      expect(positions).toEqual([...new Set(positions)].sort((one, other) => Number(one - other)));
      expect(positions).toHaveLength(WRITERS * MESSAGES);
      chat.since = String(positions.at(-1));
      const acknowledged = writers.flatMap((writer) => writer.acknowledged.map(({ id }) => id));
      const { rows } = await onDatabaseOf(chat, 'SELECT id FROM messages WHERE id = ANY($1)', [acknowledged]);
      expect(rows).toHaveLength(WRITERS * MESSAGES);
    });
    await Promise.all(exchanges);
  }

  function send({ alice, dialogId }: Chat) {
    const query = 'mutation ($input: SendMessageInput!) { sendMessage(input: $input) { id } }';
    return request(urls()[0]!, query, { input: { dialogId, text: 'hello' } }, alice.headers);
  }

  async function createFile(url: string, { alice }: Chat): Promise<number> {
    const response = await fetch(`${url}/blobs.json`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...alice.headers },
      body: JSON.stringify({ blob: { name: 'a.txt', content_type: 'text/plain' } }),
    });
    return ((await response.json()) as { blob: { id: number } }).blob.id;
  }

  function onDatabaseOf(chat: Chat, text: string, values: unknown[]) {
    return onDatabase(databases[chat.database]!, text, values);
  }
});

async function applicationsIn(database: OwnDatabase, table: string, column: string): Promise<number[]> {
  const { rows } = await onDatabase(
    database,
    `SELECT DISTINCT ${column} AS id FROM ${table} WHERE ${column} IS NOT NULL`,
  );
  return rows.map(({ id }) => id);
}
