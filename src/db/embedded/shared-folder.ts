import { lstatSync, mkdirSync } from 'node:fs';
import { type Account, canEnter } from './account.ts';

/** /var/tmp is second: it survives a reboot, but systems remove old files from it. */
const CANDIDATES = ['/var/lib/atrium-embedded', '/var/tmp/atrium-embedded'];

/**
 * A folder owned by root that the account can enter, for files that it cannot reach elsewhere.
 * @throws root cannot create one, for example because another user owns a folder of that name
 */
export function sharedFolder(account: Account): string {
  const folder = CANDIDATES.find((candidate) => isOurs(candidate) && canEnter(account, candidate));
  if (!folder) throw new Error(`No folder for the embedded PostgreSQL: root cannot create ${CANDIDATES.join(' or ')}`);
  return folder;
}

function isOurs(folder: string): boolean {
  try {
    mkdirSync(folder, { mode: 0o755 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return false;
  }
  const stat = lstatSync(folder);
  const isWritableByOthers = (stat.mode & 0o022) !== 0;
  return stat.isDirectory() && stat.uid === 0 && !isWritableByOthers;
}
