import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { hash, verify } from '@node-rs/argon2';
import type { Context } from '../../context.ts';
import { ServiceUnavailableError } from '../../lib/errors.ts';
import { type JobOwner, Semaphore } from '../../lib/semaphore.ts';

/** Each run keeps a core busy, and 19 MiB, for tens of milliseconds: more at once would only starve everything else. */
const CORES = availableParallelism();

/** A few seconds of waiting on a small machine; further callers get 503. */
const QUEUE = {
  maxWaiting: 100,
  /** Of one application, and of one network in it, so that neither fills the queue. */
  maxWaitingPerOwner: [80, 50],
  refuse: () => new ServiceUnavailableError(),
};

const signIns = new Semaphore({ concurrency: CORES, ...QUEUE });
/** Of its own, and smaller: anybody may sign up at any rate, and no sign-in waits behind that. */
const signUps = new Semaphore({ concurrency: Math.max(1, Math.floor(CORES / 2)), ...QUEUE });

/** Whose turn a hash takes: networks of an application alternate, and so do applications. */
export function hashOwner(applicationId: number, { network }: Pick<Context, 'network'>): JobOwner {
  return [`application:${applicationId}`, `network:${network}`];
}

/** Argon2id with the library's defaults (19 MiB, 2 passes, 1 lane: OWASP's recommendation). */
export function hashPassword(password: string, owner?: JobOwner): Promise<string> {
  return signIns.run(() => hash(password), owner);
}

/** The same for a user who signs up. */
export function hashFirstPassword(password: string, owner: JobOwner): Promise<string> {
  return signUps.run(() => hash(password), owner);
}

/** Takes the same time whether or not there is a hash to compare with, so that nobody learns which logins exist. */
export async function isPassword(
  password: string,
  passwordHash: string | null | undefined,
  owner?: JobOwner,
): Promise<boolean> {
  // Made once, outside the semaphore: a refusal would be remembered as the decoy.
  decoy ??= hash(randomBytes(16).toString('hex'));
  const isKnown = passwordHash != null && isAffordable(passwordHash);
  const compared = isKnown ? passwordHash : await decoy;
  const matches = await signIns.run(() => verify(compared, password), owner);
  return matches && isKnown;
}

/** Most that a hash may cost: 64 MiB, 4 passes, 4 lanes. */
const MAX_COST = { memory: 65_536, passes: 4, lanes: 4 };

/** Hashes also come from imported archives, and each says itself how much memory and time it costs to verify. */
function isAffordable(passwordHash: string): boolean {
  const [, memory, passes, lanes] = /^\$argon2id\$v=19\$m=(\d{1,6}),t=(\d),p=(\d)\$/.exec(passwordHash) ?? [];
  return Number(memory) <= MAX_COST.memory && Number(passes) <= MAX_COST.passes && Number(lanes) <= MAX_COST.lanes;
}

let decoy: Promise<string> | undefined;
