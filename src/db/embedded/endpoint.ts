import { existsSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { canEnter } from './account.ts';
import { claimFile } from './claim-file.ts';
import { type Cluster, giveTo } from './cluster.ts';
import type { PidFile } from './pid-file.ts';

export type ServerAddress = Pick<PidFile, 'host' | 'port'>;

/** Any port works, because each socket has its own folder. */
const SOCKET_PORT = 5432;

/** macOS limits socket paths to 103 bytes; the names of the folder and the socket take 31. */
const LONGEST_PARENT = 72;

/** Recorded in the cluster, so that all processes use the same folder even if they have different TMPDIRs. */
export async function chooseEndpoint(cluster: Cluster): Promise<ServerAddress> {
  if (process.platform === 'win32') return { host: '127.0.0.1', port: await findFreePort() };

  const note = join(cluster.folder, 'socket');
  const noted = existsSync(note) ? readFileSync(note, 'utf8') : undefined;
  if (noted && canUse(cluster, noted)) return { host: noted, port: SOCKET_PORT };

  rmSync(note, { force: true });
  const made = makeSocketFolder(cluster);
  const host = claimFile(note, made);
  giveTo(cluster.account, note);
  if (host !== made) rmdirSync(made);
  return { host, port: SOCKET_PORT };
}

/** Whether only the cluster's owner and root can have created a socket there. */
export function isTrustworthy({ account }: Cluster, { host }: ServerAddress): boolean {
  if (process.platform === 'win32') return true;
  const stat = lstatSync(host, { throwIfNoEntry: false });
  const owner = account.uid ?? process.getuid?.();
  return !!stat?.isDirectory() && stat.uid === owner && (stat.mode & 0o077) === 0;
}

export function removeEndpoint({ host }: ServerAddress): void {
  if (process.platform === 'win32') return;
  try {
    rmdirSync(host);
  } catch {
    // Not empty: it has the socket of the next server, or of a killed one, which the next server replaces.
  }
}

function canUse(cluster: Cluster, host: string): boolean {
  try {
    mkdirSync(host, { mode: 0o700 });
    giveTo(cluster.account, host);
  } catch {
    // It exists, or its parent does not; the following check decides.
  }
  return isTrustworthy(cluster, { host, port: SOCKET_PORT });
}

function makeSocketFolder({ account }: Cluster): string {
  const parents = [tmpdir(), '/tmp'];
  const parent = parents.find((path) => Buffer.byteLength(path) <= LONGEST_PARENT && canEnter(account, path));
  if (!parent)
    throw new Error(`No folder for the socket of the embedded PostgreSQL: cannot use ${parents.join(' or ')}`);
  const folder = mkdtempSync(join(parent, 'atrium-pg-'));
  giveTo(account, folder);
  return folder;
}

function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
