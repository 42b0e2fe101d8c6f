import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';

/** Empty for the current user. */
export type Account = { uid?: number; gid?: number };

/**
 * PostgreSQL refuses to run as root. Its account is then the owner of the folder; if that is root too, the account
 * `postgres` or, without one, `nobody`.
 */
export function accountFor(folder: string): Account {
  if (process.getuid?.() !== 0) return {};
  const { uid, gid } = statSync(folder);
  if (uid !== 0) return { uid, gid };
  return findAccount('postgres') ?? findAccount('nobody') ?? { uid: 65534, gid: 65534 };
}

export function canEnter(account: Account, folder: string): boolean {
  if (account.uid === undefined) return true;
  return spawnSync('/bin/sh', ['-c', 'cd "$0"', folder], { ...account, cwd: '/', stdio: 'ignore' }).status === 0;
}

function findAccount(name: string): Account | undefined {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((entry) => entry.startsWith(`${name}:`));
  const [, , uid, gid] = line?.split(':') ?? [];
  return uid && gid ? { uid: Number(uid), gid: Number(gid) } : undefined;
}
