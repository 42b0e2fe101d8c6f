import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, chmod, chown, cp, mkdir, readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { accountFor } from '../../../src/db/embedded/account.ts';
import { cli, cliJson } from '../../support/app/cli.ts';
import { findPostgres } from '../../support/app/patroni.ts';
import { freePort, REDIS, startRedis } from '../../support/app/redis.ts';
import { createDataDir, type Service, startService } from '../../support/app/service.ts';
import { until } from '../../support/app/until.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const PROGRAMS = findPostgres();
const PASSWORD = 'secret';

if (!PROGRAMS || !REDIS)
  console.info('Redis or the programs of PostgreSQL are missing: deploy/databases.yaml is not run.');

/** The databases of deploy/databases.yaml without containers: each server has an address of its own. */
describe.skipIf(!PROGRAMS || !REDIS)('two databases with standbys', () => {
  const addresses: Record<string, string> = {
    database: '127.0.0.1',
    standby: '127.0.0.2',
    'database-two': '127.0.0.3',
    'standby-two': '127.0.0.4',
  };
  const running = new Map<string, ChildProcess>();
  let folder: Awaited<ReturnType<typeof createDataDir>>;
  let port: number;
  let env: Record<string, string>;
  let service: Service | undefined;
  let stopRedis = async () => {};

  beforeAll(async () => {
    folder = await createDataDir();
    port = await freePort();
    for (const script of ['follow.sh', 'replicate.sh'])
      await cp(join(ROOT, 'deploy', script), join(folder.dataDir, script));
    const { services } = parse(await readFile(join(ROOT, 'deploy/databases.yaml'), 'utf8'), { merge: true });
    for (const name of ['database', 'database-two']) {
      await createDatabase(name);
      start(name, 'exec postgres');
      await until(() => isReady(name));
    }
    for (const name of ['standby', 'standby-two']) {
      await createVolume(name);
      start(name, services[name].command.at(-1));
    }
    await until(() => isSynchronous('database'));
    await until(() => isSynchronous('database-two'));

    const redisPort = await freePort();
    stopRedis = await startRedis(redisPort);
    env = {
      ...(await urlsOfExample()),
      REDIS_URL: `redis://127.0.0.1:${redisPort}`,
      DATA_DIR: folder.dataDir,
      TMPDIR: '/absent', // the file system of a container is read-only
    };
  }, 120_000);

  afterAll(async () => {
    await service?.kill();
    for (const name of running.keys()) await kill(name);
    await stopRedis();
    await folder.remove();
  });

  test('a standby replaces its primary, which then becomes the standby', { timeout: 120_000 }, async () => {
    expect(await cliJson(env, 'database', 'shards', 'init')).toEqual({ databases: 2 });
    service = await startService(folder.dataDir, env);
    for (const name of ['even', 'odd']) await cliJson(env, 'app', 'create', '--name', name);
    const names = async () => (await cliJson(env, 'app', 'list')).map(({ name }: { name: string }) => name).sort();
    const before = await names();

    const [promote, follow, synchronize] = await commandsOfGuide();
    await kill('database');
    await run('standby', promote!);
    await until(async () => (await fetch(`${service!.url}/readyz`)).status === 200);
    await until(async () => (await cli(env, 'app', 'list')).code === 0);
    expect(await names()).toEqual(before);
    await cliJson(env, 'app', 'create', '--name', 'promoted');

    await createVolume('database');
    await run('database', follow!);
    start('database', 'exec postgres');
    await run('standby', synchronize!);
    await until(() => isSynchronous('standby'));
    await cliJson(env, 'app', 'create', '--name', 'replicated');
    expect(await names()).toEqual([...before, 'promoted', 'replicated'].sort());
  });

  const volume = (name: string) => join(folder.dataDir, name);

  /** As the image creates it. */
  async function createVolume(name: string): Promise<void> {
    await rm(volume(name), { recursive: true, force: true });
    await mkdir(volume(name));
    await chmod(volume(name), 0o1777);
    const { uid, gid } = accountFor(folder.dataDir);
    if (uid !== undefined) await chown(volume(name), uid, gid!);
  }

  /** What the image does at its first start. */
  async function createDatabase(name: string): Promise<void> {
    await createVolume(name);
    await run(name, 'initdb --username=$POSTGRES_USER --pwfile=<(echo $POSTGRES_PASSWORD) --auth=scram-sha-256');
    await appendFile(join(volume(name), 'pg_hba.conf'), '\nhost all all all scram-sha-256\n');
    const settings = ["unix_socket_directories = ''", 'fsync = off', ''];
    await appendFile(join(volume(name), 'postgresql.conf'), settings.join('\n'));
    await run(name, `pg_ctl start --wait --options="-c listen_addresses=$PGHOST" --log=/dev/null`);
    await run(name, 'createdb atrium');
    await run(name, 'sh /docker-entrypoint-initdb.d/replicate.sh');
    await run(name, 'pg_ctl stop --wait');
  }

  /** Runs a command of a container with the addresses and folders of the test. */
  function shell(name: string, command: string) {
    const here = command
      .replaceAll(/\/(?:docker-entrypoint-initdb.d\/)?(\w+\.sh)/g, join(folder.dataDir, '$1'))
      .replace(/(?<=follow\.sh )\S+/, (primary) => addresses[primary]!)
      .replace('exec postgres', 'exec postgres -c listen_addresses=$PGHOST');
    const settings = {
      PATH: `${PROGRAMS}:${process.env.PATH}`,
      PGDATA: volume(name),
      PGHOST: addresses[name],
      PGPORT: String(port),
      PGUSER: 'atrium',
      PGPASSWORD: PASSWORD,
      POSTGRES_USER: 'atrium',
      POSTGRES_PASSWORD: PASSWORD,
    };
    return [['-ec', here], { ...accountFor(folder.dataDir), cwd: '/', env: settings }] as const;
  }

  async function run(name: string, command: string): Promise<string> {
    const [args, options] = shell(name, command);
    return (await promisify(execFile)('bash', args, options)).stdout.trim();
  }

  function start(name: string, command: string): void {
    const [args, options] = shell(name, command);
    running.set(name, spawn('bash', args, { ...options, stdio: 'ignore' }));
  }

  async function kill(name: string): Promise<void> {
    const child = running.get(name)!;
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  const isReady = (name: string) =>
    run(name, 'pg_isready').then(
      () => true,
      () => false,
    );

  async function isSynchronous(primary: string): Promise<boolean> {
    const read = `psql --dbname=postgres -Atc 'SELECT sync_state FROM pg_stat_replication'`;
    return (await run(primary, read).catch(() => '')) === 'sync';
  }

  async function urlsOfExample(): Promise<Record<string, string>> {
    const example = await readFile(join(ROOT, 'deploy/example.env'), 'utf8');
    const several = [...example.matchAll(/^# (DATABASE_\w+)=(.+)$/gm)].map(([, name, url]) => [
      name,
      url!.replace('<password>', PASSWORD).replace(/(?<=@)[^/]+/, (hosts) =>
        hosts
          .split(',')
          .map((host) => `${addresses[host]}:${port}`)
          .join(),
      ),
    ]);
    return Object.fromEntries(several);
  }

  /** Those that run in containers after the death of a primary. */
  async function commandsOfGuide(): Promise<string[]> {
    const guide = await readFile(join(ROOT, 'docs/operations.md'), 'utf8');
    const steps = guide.slice(guide.indexOf('4. When a primary dies'), guide.indexOf('While a standby is down'));
    const commands = [...steps.matchAll(/docker compose (?:exec|run --rm --no-deps) \S+ ((?:.+\\\n)*.+)/g)];
    return commands.map(([, command]) => command!);
  }
});
