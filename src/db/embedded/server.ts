import { spawn, spawnSync } from 'node:child_process';
import { closeSync, constants, existsSync, fchownSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Cluster } from './cluster.ts';
import { chooseEndpoint, isTrustworthy, removeEndpoint, type ServerAddress } from './endpoint.ts';
import { disownStranger, isAlive, type PidFile, readPidFile } from './pid-file.ts';

/** The connection's lock keeps other processes from stopping the server. */
export type Server = PidFile & { connection: pg.Client; adopted: boolean };

/** Advisory lock in the database `postgres`, held in shared mode by every process that uses the server. */
const USERS_LOCK = 4_201_873;

/** The last backends of a predecessor may take a while to exit, and another process may be starting the same server. */
const CONFLICT_TIMEOUT_MS = 15_000;

const START_TIMEOUT_MS = 120_000;
const STOP_TIMEOUT_MS = 60_000;

const LOG_LIMIT_BYTES = 10_000_000;

/** @throws the server exits on start; the message ends with its log output */
export async function joinServer(cluster: Cluster, flags: string[], signal: AbortSignal): Promise<Server> {
  const begin = Date.now();
  let launch: Launch | undefined;
  let answer: ConnectionAttempt = 'absent';

  while (Date.now() - begin < START_TIMEOUT_MS && !signal.aborted) {
    const found = readPidFile(cluster.folder);
    answer = found ? await connect(cluster, found) : 'absent';
    if (found && answer instanceof pg.Client) {
      return { ...found, connection: answer, adopted: found.pid !== launch?.pid };
    }

    if (launch?.ended !== undefined) {
      const { error, isTransient } = explainExit(launch);
      if (!isTransient || Date.now() - begin > CONFLICT_TIMEOUT_MS) {
        removeEndpoint(launch.endpoint);
        throw error;
      }
      launch = undefined;
      await sleep(200);
    } else if (!launch && answer === 'absent') {
      launch = await launchServer(cluster, flags);
    }
    await sleep(20);
  }
  throw new Error(`The embedded PostgreSQL is not ready after ${Math.round((Date.now() - begin) / 1000)} s: ${answer}`);
}

export async function leaveServer(cluster: Cluster, server: Server): Promise<void> {
  try {
    if (await isLastUser(server.connection)) await stopServer(cluster, server);
  } finally {
    await server.connection.end().catch(() => {});
  }
}

/** Releases the shared lock first, so that two processes that leave at once do not count each other as users. */
async function isLastUser(connection: pg.Client): Promise<boolean> {
  try {
    await connection.query('SELECT pg_advisory_unlock_shared($1)', [USERS_LOCK]);
    const sql = 'SELECT pg_try_advisory_lock($1) AS alone';
    const { rows } = await connection.query<{ alone: boolean }>(sql, [USERS_LOCK]);
    return rows[0]?.alone === true;
  } catch {
    return false;
  }
}

type ConnectionAttempt = pg.Client | 'absent' | (string & {});

async function connect(cluster: Cluster, { host, port }: ServerAddress): Promise<ConnectionAttempt> {
  if (!isTrustworthy(cluster, { host, port })) return 'absent';

  const connection = new pg.Client({ host, port, user: 'postgres', database: 'postgres', ssl: false });
  // An unhandled `error` event would crash the process; `end` reports the loss.
  connection.on('error', () => {});
  try {
    await connection.connect();
    // Blocks while the last user stops the server, and then fails.
    await connection.query('SELECT pg_advisory_lock_shared($1)', [USERS_LOCK]);
    return connection;
  } catch (error) {
    connection.end().catch(() => {});
    return error instanceof pg.DatabaseError ? error.message : 'absent';
  }
}

type Launch = {
  pid: number | undefined;
  endpoint: ServerAddress;
  log: Log;
  ended: Error | number | string | undefined;
};

async function launchServer(cluster: Cluster, flags: string[]): Promise<Launch> {
  const { folder, account, binaries } = cluster;
  const endpoint = await chooseEndpoint(cluster);
  disownStranger(folder);

  const log = openLog(cluster);
  const child = spawn(binaries.postgres, ['-D', folder, ...settings(endpoint), ...flags], {
    ...account,
    cwd: '/',
    // Detached, because the database must survive Ctrl-C until the service has finished its work.
    detached: true,
    stdio: ['ignore', log.file, log.file],
    windowsHide: true,
  });
  closeSync(log.file);
  child.unref();

  const launch: Launch = { pid: child.pid, endpoint, log, ended: undefined };
  child.on('error', (error) => {
    launch.ended = error;
  });
  child.on('exit', (code, signal) => {
    launch.ended ??= code ?? signal ?? 'unknown';
  });
  return launch;
}

/** `isTransient`: another process caused the exit, so a retry may succeed. */
function explainExit({ ended, log }: Launch): { error: Error; isTransient: boolean } {
  const output = readFileSync(log.path).subarray(log.start).toString('utf8');
  const status = ended instanceof Error ? ended.message : `it exited with ${ended}`;
  const error = new Error(`The embedded PostgreSQL did not start: ${status}\n${output.slice(-4000).trim()}`);
  // Status 0: another process connected first and has already stopped the server.
  return { error, isTransient: ended === 0 || /lock file|shared memory block/.test(output) };
}

function settings({ host, port }: ServerAddress): string[] {
  const isWindows = process.platform === 'win32';
  const values = {
    listen_addresses: isWindows ? host : '',
    unix_socket_directories: isWindows ? '' : host,
    unix_socket_permissions: '0700',
    port,
    timezone: 'UTC',
    log_timezone: 'UTC',
    // `explainExit` matches English messages.
    lc_messages: 'C',
    log_checkpoints: 'off',
  };
  return Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

type Log = { path: string; file: number; start: number };

function openLog({ folder, account }: Cluster): Log {
  const path = join(folder, 'log');
  if (existsSync(path) && statSync(path).size > LOG_LIMIT_BYTES) renameSync(path, `${path}.1`);

  // The account could have placed a symbolic link for root to write through.
  const mode = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0);
  const file = openSync(path, mode, 0o600);
  if (account.uid !== undefined && account.gid !== undefined) fchownSync(file, account.uid, account.gid);
  return { path, file, start: statSync(path).size };
}

async function stopServer(cluster: Cluster, server: Server): Promise<void> {
  if (process.platform === 'win32') {
    // On Windows a signal would kill the server.
    spawnSync(cluster.binaries.pgCtl, ['stop', '-D', cluster.folder, '-m', 'fast', '-W'], { stdio: 'ignore' });
  } else if (isAlive(server.pid)) {
    // Fast shutdown: does not wait for clients.
    process.kill(server.pid, 'SIGINT');
  }

  const begin = Date.now();
  while (isAlive(server.pid) && readPidFile(cluster.folder)?.pid === server.pid) {
    if (Date.now() - begin > STOP_TIMEOUT_MS)
      throw new Error(`The embedded PostgreSQL (${server.pid}) did not stop within 60 s`);
    await sleep(20);
  }
  removeEndpoint(server);
}
