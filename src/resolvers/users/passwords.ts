import { randomBytes } from 'node:crypto';
import type { Context } from '../../context.ts';
import { lanes } from '../../db/lanes.ts';
import type { FairnessPath } from '../../lib/semaphore.ts';
import { argon2 } from './argon2.ts';
import { importedHash } from './imported-hashes.ts';

/** Argon2id with the parameters that OWASP recommends. Tests lower it; each hash contains its own cost. */
export const PASSWORD_COST = { memoryKib: 19_456, passes: 2, lanes: 1 };

const hash = async (password: string) => (await argon2()).hash(password, PASSWORD_COST);

export function hashOwner(applicationId: number, { network }: Pick<Context, 'network'>): FairnessPath {
  return [`application:${applicationId}`, `network:${network}`];
}

export function hashPassword(password: string, owner?: FairnessPath): Promise<string> {
  return lanes.signIns.run(() => hash(password), owner);
}

export function hashFirstPassword(password: string, owner: FairnessPath): Promise<string> {
  return lanes.signUps.run(() => hash(password), owner);
}

/** Takes the same time without a hash, so that timing does not reveal which logins exist. */
export async function isPassword(
  password: string,
  passwordHash: string | null | undefined,
  owner?: FairnessPath,
): Promise<boolean> {
  // Outside the semaphore, because a refusal would be cached as the decoy.
  decoy ??= hash(randomBytes(16).toString('hex'));
  const imported = passwordHash == null ? undefined : importedHash(passwordHash);
  const isKnown = passwordHash != null && (imported !== undefined || isAffordable(passwordHash));
  const compared = isKnown ? passwordHash : await decoy;
  const verify = imported ?? (async () => (await argon2()).verify(compared, password));
  const matches = await lanes.signIns.run(() => verify(password), owner);
  return matches && isKnown;
}

/** Whether it has the present algorithm and cost. */
export function isCurrentHash(passwordHash: string): boolean {
  const { memoryKib, passes, lanes: parallel } = PASSWORD_COST;
  return passwordHash.startsWith(`$argon2id$v=19$m=${memoryKib},t=${passes},p=${parallel}$`);
}

/** Whether a sign-in can verify it: argon2id, bcrypt, scrypt or PBKDF2, at a cost that it affords. */
export function isVerifiable(passwordHash: string): boolean {
  return importedHash(passwordHash) !== undefined || isAffordable(passwordHash);
}

/** Maximum cost of verifying a hash: 64 MiB, 4 passes, 4 lanes. */
const MAX_COST = { memory: 65_536, passes: 4, lanes: 4 };

/** Imported hashes contain their own cost parameters, which are untrusted. */
function isAffordable(passwordHash: string): boolean {
  const [, memory, passes, lanes] = /^\$argon2id\$v=19\$m=(\d{1,6}),t=(\d),p=(\d)\$/.exec(passwordHash) ?? [];
  return Number(memory) <= MAX_COST.memory && Number(passes) <= MAX_COST.passes && Number(lanes) <= MAX_COST.lanes;
}

let decoy: Promise<string> | undefined;
