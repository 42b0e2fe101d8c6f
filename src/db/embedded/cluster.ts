import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  existsSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmdirSync,
  statSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { type Account, accountFor, canEnter } from './account.ts';
import { type Binaries, findBinaries } from './binaries.ts';
import { buildOnce } from './build-once.ts';
import { claimFile } from './claim-file.ts';
import { sharedFolder } from './shared-folder.ts';

export type Cluster = { folder: string; account: Account; binaries: Binaries };

/** File in `dataDir` with the path of the data, if PostgreSQL cannot reach `dataDir` itself. */
const POINTER = 'location';

/** Code-point order and Unicode letters, identical on every platform. */
const LOCALE = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];

/** @throws the folder has a cluster of another major version, or other content; it remains unchanged */
export async function openCluster(dataDir: string): Promise<Cluster> {
  mkdirSync(dataDir, { recursive: true });
  const home = realpathSync(dataDir);
  requireOwner(home);
  const folder = readPointer(home) ?? home;
  requireOwner(folder);
  const account = accountFor(folder);
  const binaries = await findBinaries(account);

  const isEmpty = requireClusterOrEmpty(folder, binaries.major);
  if (!isEmpty) {
    if (!canEnter(account, folder))
      throw new Error(`${folder} is not accessible to its owner, the user that PostgreSQL runs as`);
    return { folder, account, binaries };
  }
  const location = folder === home && !canEnter(account, dirname(home)) ? moveElsewhere(home, account) : folder;
  await createCluster(location, account, binaries);
  return { folder: location, account, binaries };
}

/** @throws the data is missing (an empty database in its place would look like data loss), or `home` is a copy */
function readPointer(home: string): string | undefined {
  const pointer = join(home, POINTER);
  if (!existsSync(pointer)) return undefined;
  const [folder = '', firstHome = home] = readFileSync(pointer, 'utf8').split('\n');
  if (!existsSync(folder)) throw new Error(`${folder}, the database folder according to ${pointer}, does not exist`);

  // A folder may be moved, but its copy must not share the database of the original.
  const isCopy = firstHome !== home && existsSync(join(firstHome, POINTER));
  if (isCopy) throw new Error(`${home} is a copy of ${firstHome}; remove ${pointer} to start with an empty database`);
  return folder;
}

function requireOwner(folder: string): void {
  const self = process.getuid?.();
  if (self === undefined || self === 0) return;
  const { uid } = statSync(folder);
  if (uid !== self) throw new Error(`${folder} belongs to another user (uid ${uid}); start as that user or as root`);
}

function requireClusterOrEmpty(folder: string, major: string): boolean {
  // A pointer at this point is new: another process is creating the cluster.
  const entries = readdirSync(folder).filter((name) => !name.startsWith(POINTER));
  if (entries.length === 0) return true;
  if (!entries.includes('PG_VERSION')) throw new Error(`${folder} is not empty and contains no PostgreSQL database`);

  const found = readFileSync(join(folder, 'PG_VERSION'), 'utf8').trim();
  if (found === major) return false;
  throw new Error(`${folder} contains a database of PostgreSQL ${found}, but the embedded version is ${major}`);
}

function moveElsewhere(home: string, account: Account): string {
  const folder = join(sharedFolder(account), `data-${randomBytes(8).toString('hex')}`);
  mkdirSync(folder, { mode: 0o700 });
  giveTo(account, folder);

  const text = `${folder}\n${home}`;
  const claimed = claimFile(join(home, POINTER), text);
  if (claimed === text) return folder;
  rmdirSync(folder);
  return readPointer(home) ?? folder;
}

/** Does not block the event loop, so that the service loads its modules at the same time. */
function createCluster(folder: string, account: Account, { initdb }: Binaries): Promise<void> {
  return buildOnce(folder, async (temporary) => {
    giveTo(account, temporary);
    const args = ['-D', temporary, '-U', 'postgres', '--auth=trust', '--no-instructions', ...LOCALE];
    await promisify(execFile)(initdb, args, { ...account, cwd: '/' }).catch((error) => {
      const { message, stdout = '', stderr = '' } = error as Error & { stdout?: string; stderr?: string };
      throw new Error(`initdb failed: ${`${stdout}${stderr}`.trim() || message}`);
    });
  });
}

/** Does not follow symbolic links, because the account could place one to gain ownership of its target. */
export function giveTo({ uid, gid }: Account, path: string): void {
  if (uid !== undefined && gid !== undefined) lchownSync(path, uid, gid);
}
