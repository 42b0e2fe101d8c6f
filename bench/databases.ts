import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startEmbedded } from '../src/db/embedded.ts';
import { freePort, startRedis } from '../test/support/app/redis.ts';
import { createGroup, createPerson, messageBody, once, tokenHeader } from './calls.ts';
import type { Comparison, Figures } from './comparison.ts';
import { cpuOfPostgres, cpuOfProcess } from './cpu.ts';
import type { Environment } from './environment.ts';
import { CONNECTIONS, type HttpLoad, httpLoad } from './http-load.ts';
import { queries } from './seeded.ts';
import { type APPLICATION, environmentOf, startService } from './service.ts';

const APPLICATIONS = 2;

interface Side {
  pid: number;
  postgresDirs: string[];
  /** One for each application. */
  loads: Pick<HttpLoad, 'url' | 'headers' | 'bodies'>[];
}

/** Two applications that write messages, each with a PostgreSQL server of its own, or both in one database. */
export async function databases(environment: Environment): Promise<Comparison[]> {
  const { databaseUrl, postgresDir, folder, seconds, cleanup } = environment;

  const startSide = async (name: string, further: { url: string; dataDir: string }[]): Promise<Side> => {
    await queries(databaseUrl, [`CREATE DATABASE ${name}`]);
    const first = new URL(databaseUrl);
    first.pathname = `/${name}`;
    const redisPort = await freePort();
    cleanup.add(await startRedis(redisPort));
    const home = { databaseUrl: first.href, dataDir: join(folder, name) };
    const shared = {
      REDIS_URL: `redis://127.0.0.1:${redisPort}`,
      ...(further.length > 0 && { DATABASE_SHARDS: further.map(({ url }) => url).join(' ') }),
    };
    const run = (...args: string[]) => runCli({ ...environmentOf(home), ...shared }, args);
    if (further.length > 0) await run('database', 'shards', 'init');
    const { url, child } = await startService(home, cleanup, [], shared);
    const loads = [];
    for (let nth = 0; nth < APPLICATIONS; nth++) {
      const { applicationId, ...keys } = await run('app', 'create', '--name', `bench ${nth}`);
      loads.push(await loadOf(url, { id: applicationId, ...keys }));
    }
    if (further.length > 0) requireSpread(await run('database', 'shards', 'status'));
    return { pid: child.pid!, postgresDirs: [postgresDir, ...further.map(({ dataDir }) => dataDir)], loads };
  };
  const one = once(() => startSide('one_database', []));
  const two = once(async () => {
    const dataDir = join(folder, 'second-postgres');
    const { url, stop } = await startEmbedded({ dataDir, database: 'bench' });
    cleanup.add(stop);
    return startSide('two_databases', [{ url, dataDir }]);
  });
  return [
    {
      name: 'messages of two applications, in two databases',
      service: async () => measure(await two(), seconds),
      bare: async () => measure(await one(), seconds),
      note: () => NOTE,
    },
    {
      name: 'messages of one application, in one of two databases',
      service: async () => measure(await two(), seconds, 1),
      bare: async () => measure(await one(), seconds, 1),
      note: () => NOTE,
    },
  ];
}

/** The first database also has the application of the start. */
function requireSpread(databases: { applications: number }[]): void {
  const counts = databases.map(({ applications }) => applications).join(' and ');
  if (counts !== '2 and 1' && counts !== '1 and 2') throw new Error(`the databases have ${counts} applications`);
}

const NOTE = 'databases – compared with one database, with Redis on both sides';

async function loadOf(url: string, application: typeof APPLICATION): Promise<Side['loads'][number]> {
  const people = [await createPerson(url, 'ada', application), await createPerson(url, 'bob', application)];
  const dialogId = await createGroup(url, people, 'bench');
  return {
    url: `${url}/chat/Message.json`,
    headers: { ...tokenHeader(people[0]!), 'Content-Type': 'application/json' },
    bodies: [messageBody(dialogId, 'Shall we meet?')],
  };
}

/** @param applications number of those that write */
async function measure({ pid, postgresDirs, loads }: Side, seconds: number, applications = APPLICATIONS) {
  const cpu = () => ({
    node: cpuOfProcess(pid),
    postgres: postgresDirs.reduce((sum, dataDir) => sum + cpuOfPostgres(dataDir), 0),
  });
  let answered = 0;
  const before = cpu();
  const figures = await Promise.all(
    loads.slice(0, applications).map((load) =>
      httpLoad({
        ...load,
        method: 'POST',
        status: 201,
        isRight: (body) => body.includes('Shall we meet?'),
        seconds,
        connections: CONNECTIONS / applications,
        onAnswered: (count) => {
          answered += count;
        },
      }),
    ),
  );
  const after = cpu();
  return {
    'requests/s': figures.reduce((sum, one) => sum + one['requests/s']!, 0),
    'µs of node': (after.node - before.node) / answered,
    'µs of PostgreSQL': (after.postgres - before.postgres) / answered,
  } satisfies Figures;
}

async function runCli(env: Record<string, string>, args: string[]) {
  const options = { env: { PATH: process.env.PATH, ...env } };
  const cli = ['--env-file=production.env', 'dist/cli.js', ...args, '--json'];
  return JSON.parse((await promisify(execFile)(process.execPath, cli, options)).stdout);
}
