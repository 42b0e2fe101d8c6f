import { lstatSync, mkdirSync } from 'node:fs';
import { type Account, canEnter } from './account.ts';

/** /var/tmp comes second: it survives a reboot, but systems clean it of old files. */
const CANDIDATES = ['/var/lib/atrium-embedded', '/var/tmp/atrium-embedded'];

/**
 * A folder of root's that the account can enter, for what it cannot reach where it belongs.
 * @throws there is none, for instance because somebody else has made a folder of that name
 */
export function sharedFolder(account: Account): string {
  const folder = CANDIDATES.find((candidate) => isOurs(candidate) && canEnter(account, candidate));
  if (!folder) throw new Error(`No folder for the embedded PostgreSQL: root cannot make ${CANDIDATES.join(' or ')}`);
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
