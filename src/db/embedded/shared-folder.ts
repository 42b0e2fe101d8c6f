import { lstatSync, mkdirSync } from 'node:fs';
import { type Account, canEnter } from './account.ts';

/** /var/tmp is second: it survives a reboot, but systems remove old files from it. */
const CANDIDATES = ['/var/lib/atrium-embedded', '/var/tmp/atrium-embedded'];

/** Owned by root and open to the account. @throws root cannot create one */
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
