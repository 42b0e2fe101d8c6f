import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type pg from 'pg';
import { connectTo } from '../../../src/db/connection.ts';
import { type Cluster, openCluster } from '../../../src/db/embedded/cluster.ts';
import { migrate } from '../../../src/db/migrate.ts';
import type { TestDatabase } from './database.ts';
import { freePort } from './redis.ts';
import { createDataDir } from './service.ts';
import { until } from './until.ts';

/** A primary PostgreSQL and its standby. */
export interface PostgresPair extends TestDatabase {
  /** Names both servers, the standby first, and asks for the one that accepts writes. */
  url: string;
  /** Names only the present standby, and does not ask. */
  standbyUrl: () => string;
  /** The standby receives nothing more. */
  cutReplication: () => Promise<void>;
  /** The standby has everything that was committed before the call. */
  untilReplicated: () => Promise<void>;
  /** kill -9 of the primary, and promotion of the standby, which then is alone. */
  failOver: () => Promise<void>;
  /** Replaces the killed server by a copy of the primary. */
  addStandby: () => Promise<void>;
}

const STANDBY = 'standby';

const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  // The servers crash, not the machine.
  fsync: 'off',
  wal_keep_size: '1GB',
};

interface Server {
  port: number;
  cluster: Cluster;
  child: ChildProcess | undefined;
}

/** @param isSynchronous whether the standby confirms each commit; otherwise a failover may lose the last ones */
export async function startPostgresPair({ isSynchronous = true } = {}): Promise<PostgresPair> {
  const { dataDir, remove } = await createDataDir();
  const servers: Server[] = [];
  for (const name of ['a', 'b']) {
    servers.push({ port: await freePort(), cluster: await openCluster(join(dataDir, name)), child: undefined });
  }
  let [primary, other] = servers as [Server, Server];
  const urlOf = (ports: number[], name: string) =>
    `postgresql://postgres@${ports.map((port) => `127.0.0.1:${port}`).join()}/${name}`;
  const onServer = async (server: Server, work: (client: pg.Client) => Promise<unknown>) => {
    const client = await connectTo({ connectionString: urlOf([server.port], 'postgres') });
    await work(client).finally(() => client.end());
  };

  const start = async (server: Server) => {
    const flags = Object.entries({ ...SETTINGS, port: server.port }).flatMap(([name, value]) => [
      '-c',
      `${name}=${value}`,
    ]);
    const { folder, account, binaries } = server.cluster;
    server.child = spawn(binaries.postgres, ['-D', folder, ...flags], { ...account, cwd: '/', stdio: 'ignore' });
    await until(() =>
      onServer(server, async () => {}).then(
        () => true,
        () => false,
      ),
    );
  };
  const kill = async ({ child }: Server) => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  };

  const set = async (client: pg.Client, setting: string) => {
    await client.query(`ALTER SYSTEM SET ${setting}`);
    await client.query('SELECT pg_reload_conf()');
  };

  const addStandby = async () => {
    const { folder, account } = other.cluster;
    await rm(folder, { recursive: true, force: true });
    await onServer(primary, async (client) => {
      await client.query("SELECT pg_backup_start('standby', true)");
      await copyRunning(primary.cluster.folder, folder);
      const { rows } = await client.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop(false)');
      await writeFile(join(folder, 'backup_label'), rows[0]!.labelfile);
    });
    await writeFile(join(folder, 'standby.signal'), '');
    const source = `host=127.0.0.1 port=${primary.port} user=postgres application_name=${STANDBY}`;
    await appendFile(
      join(folder, 'postgresql.auto.conf'),
      `primary_conninfo = '${source}'\nsynchronous_standby_names = ''\n`,
    );
    if (account.uid !== undefined) await run('chown', ['-R', `${account.uid}:${account.gid}`, folder]);
    await start(other);
    await onServer(primary, async (client) => {
      if (isSynchronous) await set(client, `synchronous_standby_names = '${STANDBY}'`);
      const wanted = isSynchronous ? "sync_state = 'sync'" : "state = 'streaming'";
      await untilRow(client, `SELECT FROM pg_stat_replication WHERE ${wanted}`);
    });
  };

  await start(primary);
  await onServer(primary, (client) => client.query('CREATE DATABASE atrium'));
  const first = await connectTo({ connectionString: urlOf([primary.port], 'atrium') });
  await migrate(first, new URL('../../../prisma/migrations', import.meta.url));
  await first.end();
  await addStandby();
  const url = `${urlOf([other.port, primary.port], 'atrium')}?target_session_attrs=read-write`;
  return {
    config: { connectionString: url },
    url,
    standbyUrl: () => urlOf([other.port], 'atrium'),
    cutReplication: () =>
      onServer(other, async (client) => {
        await set(client, "primary_conninfo = ''");
        await untilRow(client, 'SELECT WHERE NOT EXISTS (SELECT FROM pg_stat_wal_receiver)');
      }),
    untilReplicated: () =>
      onServer(primary, async (client) => {
        const { rows } = await client.query<{ end: string }>('SELECT pg_current_wal_lsn() AS end');
        await untilRow(client, `SELECT FROM pg_stat_replication WHERE replay_lsn >= '${rows[0]!.end}'`);
      }),
    failOver: async () => {
      await kill(primary);
      await onServer(other, (client) => client.query('SELECT pg_promote()'));
      [primary, other] = [other, primary];
    },
    addStandby,
    drop: async () => {
      for (const server of servers) await kill(server);
      await remove();
    },
  };
}

const run = promisify(execFile);

const untilRow = (client: pg.Client, statement: string) =>
  until(async () => (await client.query(statement)).rows.length > 0);

/** Files may vanish in the meantime; the log, which the standby replays, has what is missing. */
async function copyRunning(from: string, to: string): Promise<void> {
  await run('cp', ['-a', from, to]).catch((error: Error & { stderr: string }) => {
    const others = error.stderr.split('\n').filter((line) => line && !line.includes('No such file or directory'));
    if (others.length > 0) throw error;
  });
  for (const file of ['postmaster.pid', 'postmaster.opts', 'pg_wal'])
    await rm(join(to, file), { recursive: true, force: true });
  await mkdir(join(to, 'pg_wal'), { mode: 0o700 });
}
