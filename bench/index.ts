import { spawnSync } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbedded } from '../src/db/embedded.ts';
import { access } from './access.ts';
import { createPerson } from './calls.ts';
import { capacity } from './capacity.ts';
import { Cleanup } from './cleanup.ts';
import { type Comparison, compare, type Outcome } from './comparison.ts';
import { console, consoleLists } from './console.ts';
import { databases } from './databases.ts';
import type { Benchmark, Environment } from './environment.ts';
import { fanOut } from './fan-out.ts';
import { graphql } from './graphql.ts';
import { growth } from './growth.ts';
import { memory } from './memory.ts';
import { type Options, readOptions } from './options.ts';
import { publicDialog } from './public-dialog.ts';
import { reconnects } from './reconnects.ts';
import { queries } from './seeded.ts';
import { startService } from './service.ts';
import { sockets } from './sockets.ts';
import { start } from './start.ts';
import { machine, table } from './table.ts';
import { work } from './work.ts';
import { write } from './write.ts';
import { xmpp } from './xmpp.ts';

const BENCHMARKS: Record<string, Benchmark> = {
  work,
  access,
  graphql,
  start,
  memory,
  'fan-out': fanOut,
  sockets,
  xmpp,
  reconnects,
  'public-dialog': publicDialog,
  console,
  'console-lists': consoleLists,
  growth,
  databases,
  capacity,
};

/** Timeout of a run, without its rounds. */
const TIMEOUT_MS = 600_000;
const COMPARISONS = 150;

const cleanup = new Cleanup();
try {
  const options = readOptions(process.argv.slice(2));
  await Promise.race([run(options), interrupted(), outOfTime(options)]);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
  process.exitCode = 1;
} finally {
  await cleanup.run();
  process.exit();
}

async function run(options: Options): Promise<void> {
  const chosen = options.names.length > 0 ? options.names : Object.keys(BENCHMARKS);
  const unknown = chosen.find((name) => !Object.hasOwn(BENCHMARKS, name));
  if (unknown) throw new Error(`unknown benchmark "${unknown}"; choose from ${Object.keys(BENCHMARKS).join(', ')}`);
  build();

  const { environment, postgres } = await createEnvironment(options);
  const comparisons: Comparison[] = [];
  for (const name of chosen) comparisons.push(...(await BENCHMARKS[name]!(environment)));

  const outcomes: Outcome[] = [];
  for (const comparison of comparisons) outcomes.push(...(await compare(comparison, options)));
  process.stdout.write(`\n${table(outcomes)}\n${machine(postgres)}`);
  if (options.write) await write(outcomes, postgres, options);
}

function build(): void {
  const shell = process.platform === 'win32';
  const { status } = spawnSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit', shell });
  if (status !== 0) throw new Error('the build of the service failed');
}

async function createEnvironment({
  seconds,
  messages,
  profile,
}: Options): Promise<{ environment: Environment; postgres: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'atrium-bench-'));
  cleanup.add(() => rm(folder, { recursive: true, force: true }));
  await chmod(folder, 0o755); // as root, PostgreSQL runs as another user, who needs access
  const cluster = process.env.DATABASE_URL
    ? { url: process.env.DATABASE_URL, dataDir: await dataDirectoryOfEmpty(process.env.DATABASE_URL) }
    : await startCluster(join(folder, 'postgres'));
  const home = { databaseUrl: cluster.url, dataDir: join(folder, 'data') };
  const { url: serviceUrl, child } = await startService(
    home,
    cleanup,
    profile ? ['--cpu-prof', `--cpu-prof-dir=${profile}`] : [],
  );
  const people = [];
  for (const login of ['ada', 'bob', 'cleo', 'dan', 'eve']) people.push(await createPerson(serviceUrl, login));
  const environment = {
    serviceUrl,
    servicePid: child.pid!,
    databaseUrl: cluster.url,
    postgresDir: cluster.dataDir,
    folder,
    people,
    seconds,
    messages,
    cleanup,
  };
  return { environment, postgres: await versionOf(cluster.url) };
}

async function startCluster(dataDir: string) {
  const { url, stop } = await startEmbedded({ dataDir, database: 'bench' });
  cleanup.add(stop);
  return { url, dataDir };
}

async function versionOf(databaseUrl: string): Promise<string> {
  return `PostgreSQL ${await resultOf("current_setting('server_version')", databaseUrl)}`;
}

/** Needs a superuser, and a server on this machine. */
async function dataDirectoryOfEmpty(databaseUrl: string): Promise<string> {
  const tables = "(SELECT count(*)::int FROM information_schema.tables WHERE table_schema = 'public')";
  if ((await resultOf(tables, databaseUrl)) !== 0)
    throw new Error('the database of DATABASE_URL contains tables: create an empty one');
  return String(await resultOf("current_setting('data_directory')", databaseUrl));
}

async function resultOf(expression: string, databaseUrl: string): Promise<unknown> {
  const [row] = await queries(databaseUrl, [`SELECT ${expression} AS value`]);
  return row!.value;
}

function interrupted(): Promise<never> {
  return new Promise((_, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => reject(new Error(`stopped by ${signal}`)));
    process.on('uncaughtException', reject);
  });
}

function outOfTime({ rounds, seconds }: Options): Promise<never> {
  const limit = TIMEOUT_MS + COMPARISONS * (rounds + 1) * 2 * (seconds + 2) * 1000;
  return new Promise((_, reject) => {
    setTimeout(() => reject(new Error('out of time')), limit).unref();
  });
}
