import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import pg from 'pg';
import { afterEach, expect, test, vi } from 'vitest';
import { type Account, accountFor, canEnter } from '../../../src/db/embedded/account.ts';
import { type EmbeddedPostgres, startEmbedded } from '../../../src/db/embedded.ts';

vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

/** Safe, because the operating system does not crash during these tests. */
const flags = ['-c', 'fsync=off'];
const isRoot = process.getuid?.() === 0;
const noUsers: Account = { uid: 65534, gid: 65534 };
const source = new URL('../../../src/db/embedded.ts', import.meta.url);

const cleanups: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

test('a stopped database has its data at the next start', async () => {
  const dataDir = join(temporaryFolder(), 'data', 'postgres');
  const first = await start(dataDir);
  expect(first.adopted).toBe(false);
  await query(first, 'CREATE TABLE note (text TEXT)');
  await query(first, "INSERT INTO note VALUES ('kept')");
  await first.stop();
  expect(isStopped(dataDir)).toBe(true);
  expect(existsSync(first.config.host)).toBe(false);

  const second = await start(dataDir);
  expect(await query(second, 'TABLE note')).toEqual([{ text: 'kept' }]);
});

test('text is sorted by code point, letters of every script have case, and the time zone is UTC', async () => {
  const postgres = await start(join(temporaryFolder(), 'postgres'));
  expect(await query(postgres, "SELECT lower('ÉÄЖ') AS lower, 'Z' < 'a' AS code_points")).toEqual([
    { lower: 'éäж', code_points: true },
  ]);
  expect(await query(postgres, 'SHOW timezone')).toEqual([{ TimeZone: 'UTC' }]);
});

test('processes that start concurrently on an empty folder share one server', async () => {
  const dataDir = join(temporaryFolder(), 'postgres');
  const users = await Promise.all([startProcess(dataDir), startProcess(dataDir), start(dataDir)]);

  expect(new Set(users.map(({ pid }) => pid)).size).toBe(1);
  expect(users.filter(({ adopted }) => !adopted)).toHaveLength(1);
  expect(readdirSync(join(dataDir, '..'))).toEqual(['postgres']);
});

test('a server runs while a process uses it and stops with its last user', async () => {
  const dataDir = join(temporaryFolder(), 'postgres');
  const first = await startProcess(dataDir);
  const second = await start(dataDir);

  await first.stop();
  expect(await query(second, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  await second.stop();
  expect(isStopped(dataDir)).toBe(true);
});

test('processes that stop concurrently leave no server running', async () => {
  const dataDir = join(temporaryFolder(), 'postgres');
  const users = await Promise.all([startProcess(dataDir), startProcess(dataDir), start(dataDir), start(dataDir)]);

  await Promise.all(users.map((user) => user.stop()));
  expect(isStopped(dataDir)).toBe(true);
});

test('the server of a killed process is adopted with its data', async () => {
  const dataDir = join(temporaryFolder(), 'postgres');
  const killed = await startProcess(dataDir);
  await query(killed, 'CREATE TABLE note AS SELECT 1 AS id');
  await killed.kill();

  const adopter = await start(dataDir);
  expect(adopter).toMatchObject({ adopted: true, pid: killed.pid });
  expect(await query(adopter, 'TABLE note')).toEqual([{ id: 1 }]);
  await adopter.stop();
  expect(isStopped(dataDir)).toBe(true);
});

test('the next start recovers the data after process and server were killed', async () => {
  const dataDir = join(temporaryFolder(), 'postgres');
  const killed = await startProcess(dataDir);
  await query(killed, 'CREATE TABLE note AS SELECT 1 AS id');
  await killed.kill();
  process.kill(killed.pid, 'SIGKILL');

  const next = await start(dataDir);
  expect(next.adopted).toBe(false);
  expect(await query(next, 'TABLE note')).toEqual([{ id: 1 }]);
});

test('a killed server is restarted at the same address for all processes that use it', async () => {
  const dataDir = join(temporaryFolder(), 'postgres');
  const other = await startProcess(dataDir);
  const postgres = await start(dataDir);
  const killed = postgres.pid;

  process.kill(killed, 'SIGKILL');
  await expect.poll(() => query(postgres, 'SELECT 1 AS one').catch(String), { timeout: 300_000 }).toEqual([{ one: 1 }]);
  await expect.poll(() => countUsers(postgres), { timeout: 300_000 }).toBe(2);
  expect(postgres.pid).not.toBe(killed);

  await other.stop();
  expect(await query(postgres, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  await postgres.stop();
  expect(isStopped(dataDir)).toBe(true);
});

test('stop returns while the server is lost and cannot be restarted', async () => {
  const dataDir = join(temporaryFolder(), 'postgres');
  const postgres = await start(dataDir);
  writeFileSync(join(dataDir, 'postgresql.conf'), 'nonsense = 1\n');
  process.kill(postgres.pid, 'SIGKILL');
  await expect.poll(() => readFileSync(join(dataDir, 'log'), 'utf8'), { timeout: 300_000 }).toContain('nonsense');
  await postgres.stop();
});

test.runIf(process.platform === 'linux')('the pid of a dead server may belong to another process', async () => {
  const dataDir = join(temporaryFolder(), 'postgres');
  const killed = await startProcess(dataDir);
  process.kill(killed.pid, 'SIGKILL');
  await killed.kill();

  const stranger = spawn('/bin/sleep', ['600'], { ...accountFor(dataDir), cwd: '/', stdio: 'ignore' });
  cleanups.push(() => void stranger.kill());
  const pidFile = join(dataDir, 'postmaster.pid');
  writeFileSync(pidFile, readFileSync(pidFile, 'utf8').replace(/^\d+/, String(stranger.pid)));

  const next = await start(dataDir);
  expect(next.adopted).toBe(false);
  expect(stranger.exitCode ?? stranger.signalCode).toBeNull();
});

test('a server that cannot start reports the reason', async () => {
  const dataDir = join(temporaryFolder(), 'postgres');
  const starting = startEmbedded({ dataDir, flags: ['-c', 'shared_buffers=much'] });
  await expect(starting).rejects.toThrow(/did not start.*\n.*invalid value for parameter "shared_buffers": "much"/s);
});

test('a folder with a database of another major version is rejected and not changed', async () => {
  const dataDir = temporaryFolder();
  writeFileSync(join(dataDir, 'PG_VERSION'), '99\n');
  await expect(startEmbedded({ dataDir })).rejects.toThrow(/contains a database of PostgreSQL 99, .* version is \d\d$/);
  expect(readdirSync(dataDir)).toEqual(['PG_VERSION']);
});

test('a folder with other files is rejected and not changed', async () => {
  const dataDir = temporaryFolder();
  writeFileSync(join(dataDir, 'diary.txt'), 'Dear diary');
  await expect(startEmbedded({ dataDir })).rejects.toThrow('is not empty and contains no PostgreSQL database');
  expect(readdirSync(dataDir)).toEqual(['diary.txt']);
});

test.runIf(isRoot)(
  'if PostgreSQL cannot enter a folder of root, a pointer in it names the folder of the data',
  async () => {
    const dataDir = join(temporaryFolder(0o700), 'postgres');
    const users = await Promise.all([startProcess(dataDir), start(dataDir)]);
    expect(new Set(users.map(({ pid }) => pid)).size).toBe(1);

    expect(readdirSync(dataDir)).toEqual(['location']);
    const [place = ''] = readFileSync(join(dataDir, 'location'), 'utf8').split('\n');
    cleanups.unshift(() => rmSync(place, { recursive: true }));
    expect(readFileSync(join(place, 'PG_VERSION'), 'utf8')).toMatch(/^\d+\n$/);

    await query(users[1], 'CREATE TABLE note AS SELECT 1 AS id');
    await Promise.all(users.map((user) => user.stop()));
    expect(await query(await start(dataDir), 'TABLE note')).toEqual([{ id: 1 }]);
  },
);

test.runIf(isRoot && canEnter(noUsers, join(source.pathname, '..')))(
  'an ordinary user starts a server that root can share',
  async () => {
    const folder = temporaryFolder(0o700);
    chownSync(folder, 65534, 65534);
    const dataDir = join(folder, 'data', 'postgres');
    const ordinary = await startProcess(dataDir, noUsers);
    const root = await start(dataDir);
    expect(root).toMatchObject({ adopted: true, pid: ordinary.pid });

    await ordinary.stop();
    await root.stop();
    const again = await start(dataDir);
    expect((await startProcess(dataDir, noUsers)).pid).toBe(again.pid);
  },
);

test.runIf(isRoot && canEnter(noUsers, join(source.pathname, '..')))('data of another user is rejected', async () => {
  const dataDir = join(temporaryFolder(), 'postgres');
  mkdirSync(dataDir);
  await expect(startProcess(dataDir, noUsers)).rejects.toThrow('belongs to another user (uid 0)');
});

function temporaryFolder(mode = 0o755): string {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-embedded-'));
  chmodSync(folder, mode);
  cleanups.push(() => rmSync(folder, { recursive: true }));
  return folder;
}

async function start(dataDir: string): Promise<EmbeddedPostgres> {
  const postgres = await startEmbedded({ dataDir, flags });
  // A killed server leaves the folder of its socket to its successor.
  cleanups.push(() => rmSync(postgres.config.host, { recursive: true, force: true }));
  cleanups.push(() => postgres.stop());
  return postgres;
}

type User = Pick<EmbeddedPostgres, 'config' | 'adopted' | 'pid'> & { stop(): Promise<void>; kill(): Promise<void> };

async function startProcess(dataDir: string, account: Account = {}): Promise<User> {
  const script = `
    import { startEmbedded } from ${JSON.stringify(source.href)};
    const { config, adopted, pid, stop } = await startEmbedded(${JSON.stringify({ dataDir, flags })});
    console.log(JSON.stringify({ config, adopted, pid }));
    process.stdin.on('end', () => stop().then(() => process.exit())).resume();
  `;
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', script], { ...account });
  const exit = once(child, 'close');
  const stop = async () => {
    child.stdin.end();
    await exit;
  };
  const kill = async () => {
    child.kill('SIGKILL');
    await exit;
  };
  cleanups.push(stop);

  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  for await (const line of createInterface({ input: child.stdout })) return { ...JSON.parse(line), stop, kill };
  throw new Error(errors);
}

async function query({ config }: Pick<EmbeddedPostgres, 'config'>, sql: string): Promise<unknown[]> {
  const client = new pg.Client(config);
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

async function countUsers({ config }: EmbeddedPostgres): Promise<unknown> {
  const sql = "SELECT count(*)::int AS users FROM pg_locks WHERE locktype = 'advisory' AND mode = 'ShareLock'";
  const [row] = (await query({ config }, sql)) as { users: number }[];
  return row?.users;
}

/** A server removes its lock file last. Its process may remain as a zombie, which looks alive. */
function isStopped(dataDir: string): boolean {
  return !existsSync(join(dataDir, 'postmaster.pid'));
}
