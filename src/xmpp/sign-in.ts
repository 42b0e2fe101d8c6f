import { MINUTE, SECOND } from '../lib/time.ts';
import type { ChatCredentials } from '../resolvers/sessions/chat-sign-in.ts';
import { type ChatAddresses, readLocalPart } from './addresses.ts';

const MAX_SECRET_BYTES = 1_024;

/**
 * Clients retry a refused sign-in every three seconds without end, unless an answer takes longer. The delays also apply
 * without rate limits. Tests shorten them.
 */
export const SIGN_IN = {
  /** Of the second and each later refusal of a network or user within `WINDOW_MS`. */
  delayMs: 5 * SECOND,
  /** Streams without a sign-in. */
  timeoutMs: 30 * SECOND,
  /** Streams whose sign-in was refused. */
  timeoutAfterRefusalMs: 3 * MINUTE,
};

const WINDOW_MS = 10 * MINUTE;
/** Of a user within `MINUTE`; more are refused without a check of the password. */
const MAX_REFUSALS = 30;
const MAX_KEYS = 20_000;

/** The message of SASL PLAIN; undefined if it is malformed or asks for another identity. */
export function readPlain(base64: string, addresses: ChatAddresses): ChatCredentials | undefined {
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length > MAX_SECRET_BYTES) return undefined;
  const [authorizationId, login, secret, ...others] = bytes.toString('utf8').split('\0');
  const user = login === undefined ? undefined : readLocalPart(login);
  if (!user || !secret || others.length > 0) return undefined;
  if (authorizationId && authorizationId.toLowerCase() !== addresses.user(user)) return undefined;
  return { ...user, secret };
}

interface Refusals {
  times: number[];
}

/** Refused sign-ins of this process, by network and by user. */
export class RefusedSignIns {
  readonly #refusals = new Map<string, Refusals>();
  readonly #now: () => Date;

  constructor(now: () => Date) {
    this.#now = now;
  }

  /** @returns whether the answer must be delayed */
  add(...keys: string[]): boolean {
    const now = this.#now().getTime();
    const counts = keys.map((key) => {
      const times = [...this.#timesOf(key, now), now].slice(-MAX_REFUSALS);
      this.#refusals.delete(key);
      this.#refusals.set(key, { times });
      return times.length;
    });
    for (const oldest of this.#refusals.keys()) {
      if (this.#refusals.size <= MAX_KEYS) break;
      this.#refusals.delete(oldest);
    }
    return counts.some((count) => count > 1);
  }

  /** Whether so many were refused in the last minute that the next one is not worth a check. */
  isExhausted(key: string): boolean {
    const now = this.#now().getTime();
    return this.#timesOf(key, now).filter((at) => at > now - MINUTE).length >= MAX_REFUSALS;
  }

  #timesOf(key: string, now: number): number[] {
    return (this.#refusals.get(key)?.times ?? []).filter((at) => at > now - WINDOW_MS);
  }
}
