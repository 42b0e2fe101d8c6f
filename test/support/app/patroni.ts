import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { chown, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { type Account, accountFor } from '../../../src/db/embedded/account.ts';
import { migrate } from '../../../src/db/migrate.ts';
import type { TestDatabase } from './database.ts';
import { freePort } from './redis.ts';
import { createDataDir } from './service.ts';
import { until } from './until.ts';

/** A primary and a synchronous standby under Patroni, behind HAProxy, with the files of docs/operations.md. */
export interface PatroniCluster extends TestDatabase {
  /** Of HAProxy. */
  url: string;
  /** kill -9 of PostgreSQL, or of the complete server with its Patroni. Returns when the standby is promoted. */
  killPrimary: (part: 'postgres' | 'server') => Promise<void>;
  /** Returns when the standby is promoted. */
  switchOver: () => Promise<void>;
  /** Starts what was killed, and waits until the standby confirms each commit again. */
  restore: () => Promise<void>;
}

const PROGRAMS = ['patroni', 'patronictl', 'haproxy', 'etcd'];

/** Of the packages of Debian and Ubuntu, whose programs are not in the `PATH`. */
const POSTGRES = '/usr/lib/postgresql';

function findProgram(name: string): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(':'), '/usr/sbin'];
  return folders.map((folder) => join(folder, name)).find(existsSync);
}

export function findPostgres(): string | undefined {
  const versions = existsSync(POSTGRES) ? readdirSync(POSTGRES).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = versions.filter((version) => Number(version) >= 15).map((version) => join(POSTGRES, version, 'bin'));
  return folders.find((folder) => existsSync(join(folder, 'pg_rewind')));
}

/** Names of what is not installed. */
export const missingForPatroni = [
  ...PROGRAMS.filter((name) => !findProgram(name)),
  ...(findPostgres() ? [] : ['PostgreSQL']),
];

interface Node {
  name: string;
  /** For sockets, and the passwords that Patroni writes. */
  home: string;
  port: number;
  api: number;
  config: string;
  child: ChildProcess | undefined;
  account: Account;
}

export async function startPatroni(): Promise<PatroniCluster> {
  const { dataDir, remove } = await createDataDir();
  const guide = await readFile(resolve(import.meta.dirname, '../../../docs/operations.md'), 'utf8');
  const etcd = await startEtcd(dataDir);
  const nodes = [await prepareNode('db1', dataDir), await prepareNode('db2', dataDir)];
  const proxyPort = await freePort();
  const children = [etcd.child];

  for (const node of nodes) await writeFile(node.config, patroniFile(guide, node, { dataDir, etcd: etcd.port }));
  for (const node of nodes) startNode(node);
  await until(() => isReplicated(nodes));

  const haproxy = join(dataDir, 'haproxy.cfg');
  await writeFile(haproxy, haproxyFile(guide, nodes, proxyPort));
  children.push(spawn(findProgram('haproxy')!, ['-db', '-f', haproxy], { stdio: 'ignore' }));

  const password = /password: (.+)/.exec(block(guide, 'yaml'))![1];
  const owner = await connectWhenPossible(`postgresql://postgres:${password}@127.0.0.1:${proxyPort}/postgres`);
  for (const statement of block(guide, 'sql').trim().split('\n')) await owner.query(statement);
  await owner.end();
  const url = /DATABASE_URL='(.+:5000.+)'/.exec(guide)![1]!.replace(':5000', `:${proxyPort}`);
  const client = await connectWhenPossible(url);
  await migrate(client, new URL('../../../prisma/migrations', import.meta.url));
  await client.end();

  const promoted = async (change: (primary: Node) => Promise<void>) => {
    const primary = (await primaryOf(nodes))!;
    const standby = nodes.find((node) => node !== primary)!;
    await change(primary);
    await until(async () => (await statusOf(standby, '/primary')) === 200);
  };
  return {
    config: { connectionString: url },
    url,
    killPrimary: (part) =>
      promoted(async (primary) => {
        const postmaster = await readFile(join(dataDir, primary.name, 'postmaster.pid'), 'utf8');
        if (part === 'server') await kill(primary.child);
        process.kill(Number(postmaster.split('\n', 1)[0]), 'SIGKILL');
      }),
    switchOver: () =>
      promoted(async (primary) => {
        const args = ['-c', primary.config, 'switchover', '--force'];
        await promisify(execFile)(findProgram('patronictl')!, args);
      }),
    restore: async () => {
      for (const node of nodes) if (!isRunning(node.child)) startNode(node);
      await until(() => isReplicated(nodes));
    },
    drop: async () => {
      for (const { child } of nodes) {
        child?.kill('SIGTERM'); // stops PostgreSQL, too
        if (child && isRunning(child)) await once(child, 'exit');
      }
      for (const child of children) await kill(child);
      await remove();
    },
  };
}

/** The first block of this language in the section about Patroni. */
function block(guide: string, language: string): string {
  const section = guide.slice(guide.indexOf('### Patroni and HAProxy'));
  const indented = new RegExp(`^( *)\`\`\`${language}\\n([\\s\\S]*?)^ *\`\`\`$`, 'm').exec(section)!;
  return indented[2]!.replaceAll(new RegExp(`^${indented[1]}`, 'gm'), '');
}

/** Replaces each text, which must be there. */
function replaced(text: string, replacements: [string, string][]): string {
  return replacements.reduce((changed, [from, to]) => {
    if (!changed.includes(from)) throw new Error(`docs/operations.md does not contain ${from}`);
    return changed.replaceAll(from, to);
  }, text);
}

function patroniFile(guide: string, node: Node, { dataDir, etcd }: { dataDir: string; etcd: number }): string {
  return replaced(block(guide, 'yaml'), [
    ['name: db1', `name: ${node.name}`],
    ['0.0.0.0:8008', `127.0.0.1:${node.api}`],
    ['db1.internal:8008', `127.0.0.1:${node.api}`],
    ['[etcd1.internal:2379, etcd2.internal:2379, etcd3.internal:2379]', `127.0.0.1:${etcd}`],
    ['0.0.0.0:5432', `127.0.0.1:${node.port}`],
    ['db1.internal:5432', `127.0.0.1:${node.port}`],
    ['/var/lib/postgresql/atrium', join(dataDir, node.name)],
    ['/usr/lib/postgresql/15/bin', findPostgres()!],
    // The servers crash, not the machine.
    ['    parameters:\n', '    parameters:\n        fsync: off\n'],
    ['  authentication:\n', `  parameters:\n    unix_socket_directories: ${node.home}\n  authentication:\n`],
  ]);
}

function haproxyFile(guide: string, [one, two]: Node[], port: number): string {
  return replaced(block(guide, 'text'), [
    ['127.0.0.1:5000', `127.0.0.1:${port}`],
    ['db1.internal:5432 check port 8008', `127.0.0.1:${one!.port} check port ${one!.api}`],
    ['db2.internal:5432 check port 8008', `127.0.0.1:${two!.port} check port ${two!.api}`],
  ]);
}

async function startEtcd(dataDir: string): Promise<{ child: ChildProcess; port: number }> {
  const [port, peers] = [await freePort(), await freePort()];
  const [own, ofPeers] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${peers}`];
  const flags = {
    'data-dir': join(dataDir, 'etcd'),
    'listen-client-urls': own,
    'advertise-client-urls': own,
    'listen-peer-urls': ofPeers,
    'initial-advertise-peer-urls': ofPeers,
    'initial-cluster': `default=${ofPeers}`,
  };
  const child = spawn(
    findProgram('etcd')!,
    Object.entries(flags).map(([name, value]) => `--${name}=${value}`),
    { stdio: 'ignore' },
  );
  await until(async () => {
    const response = await fetch(`${own}/health`).catch(() => undefined);
    return response?.ok ?? false;
  });
  return { child, port };
}

async function prepareNode(name: string, dataDir: string): Promise<Node> {
  const account = accountFor(dataDir);
  const home = join(dataDir, `${name}-home`);
  for (const folder of [join(dataDir, name), home]) {
    await mkdir(folder, { mode: 0o700 });
    if (account.uid !== undefined) await chown(folder, account.uid, account.gid!);
  }
  const config = join(dataDir, `${name}.yml`);
  return { name, home, port: await freePort(), api: await freePort(), config, child: undefined, account };
}

function startNode(node: Node): void {
  const env = { ...process.env, HOME: node.home };
  node.child = spawn(findProgram('patroni')!, [node.config], { ...node.account, env, cwd: '/', stdio: 'ignore' });
}

const isRunning = (child: ChildProcess | undefined) => child?.exitCode === null && child.signalCode === null;

async function kill(child: ChildProcess | undefined): Promise<void> {
  if (!child || !isRunning(child)) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

async function statusOf({ api }: Node, path: string): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${api}${path}`).catch(() => undefined);
  return response?.status ?? 0;
}

async function primaryOf(nodes: Node[]): Promise<Node | undefined> {
  for (const node of nodes) if ((await statusOf(node, '/primary')) === 200) return node;
  return undefined;
}

/** One is the primary, and Patroni may promote the other without loss. */
async function isReplicated(nodes: Node[]): Promise<boolean> {
  const statuses = await Promise.all(
    nodes.map(async (node) => [await statusOf(node, '/primary'), await statusOf(node, '/sync')]),
  );
  return statuses.some(([primary]) => primary === 200) && statuses.some(([, sync]) => sync === 200);
}

async function connectWhenPossible(connectionString: string): Promise<pg.Client> {
  for (;;) {
    const client = new pg.Client({ connectionString });
    client.on('error', () => {});
    const connected = await client.connect().then(
      () => true,
      () => false,
    );
    if (connected) return client;
  }
}
