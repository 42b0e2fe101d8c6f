import { CircuitBreaker } from '../../lib/circuit-breaker.ts';
import { Semaphore, type SemaphoreLimits } from '../../lib/semaphore.ts';
import { MINUTE, SECOND } from '../../lib/time.ts';
import { traced } from '../../platform/observability/tracing.ts';
import type { Push, PushGateway, PushOutcome } from './gateway.ts';

export interface PushOwner {
  applicationId: number;
  /** 0 for an API key, and for messages. */
  creatorId: number;
  userId: number;
}

export interface HeldBack {
  kind: 'held back';
  answer: string;
  waitMs: number;
}

export interface NotBegun {
  kind: 'not begun';
}

class QueueFullError extends Error {}

const refuse = () => new QueueFullError('too many pushes are waiting');

/**
 * Per process. Levels of owners: application, gateway, creator of the event, owner of the device. An application with
 * six hung gateways leaves room for other applications, a hung gateway for the others of its application, and a user
 * has a small share of each.
 */
const DEVICE_LIMITS: SemaphoreLimits = {
  concurrency: 4_096,
  concurrencyPerOwner: [1_536, 256, 32, 8],
  maxWaiting: 16_384,
  maxWaitingPerOwner: [2_048, 1_024, 256, 64],
  refuse,
};

/** All applications share one mail server, over five connections. Levels: application, creator, user. */
const MAIL_LIMITS: SemaphoreLimits = {
  concurrency: 8,
  concurrencyPerOwner: [5, 2, 1],
  maxWaiting: 4_096,
  maxWaitingPerOwner: [256, 64, 16],
  refuse,
};

const BREAKER = { failures: 5, minWaitMs: 2 * SECOND, maxWaitMs: MINUTE };
const SHARED_BREAKER = { ...BREAKER, owners: 5, probes: 8 };
const ACCOUNT_BREAKER = { ...BREAKER, owners: 1, probes: 1 };

/** Users can name any number of hosts, so the oldest circuit is removed. */
const MAX_BREAKERS = 10_000;

export class PushTraffic {
  readonly #now: () => number;
  readonly #semaphores = { devices: new Semaphore(DEVICE_LIMITS), mails: new Semaphore(MAIL_LIMITS) };
  readonly #breakers = new Map<string, CircuitBreaker>();

  constructor(now: () => Date) {
    this.#now = () => now().getTime();
  }

  get load(): { inFlight: number; openCircuits: number } {
    return {
      inFlight: this.#semaphores.devices.load.running + this.#semaphores.mails.load.running,
      openCircuits: [...this.#breakers.values()].filter(({ isOpen }) => isOpen).length,
    };
  }

  /** @param begin returns false to cancel the push */
  async send(
    gateway: PushGateway,
    push: Push,
    owner: PushOwner,
    begin: () => boolean,
  ): Promise<PushOutcome | HeldBack | NotBegun> {
    const { key, isShared } = gateway.circuitOf(push);
    const prober = isShared ? `${owner.applicationId}/${owner.userId}` : '';
    const held = this.#heldBack(key, prober);
    if (held) return held;
    try {
      return await this.#semaphores[gateway.traffic].run(
        async () =>
          this.#heldBack(key, prober) ?? (begin() ? this.#ask(gateway, push, prober) : { kind: 'not begun' as const }),
        ownerPath(gateway, isShared ? push.channel : key, owner),
      );
    } catch (error) {
      if (error instanceof QueueFullError) return { kind: 'not begun' };
      throw error;
    }
  }

  async #ask(gateway: PushGateway, push: Push, prober: string): Promise<PushOutcome> {
    const { key, isShared } = gateway.circuitOf(push);
    const breaker = this.#breakers.get(key) ?? this.#newBreaker(isShared);
    this.#breakers.set(key, breaker);
    if (this.#breakers.size > MAX_BREAKERS) this.#breakers.delete(this.#breakers.keys().next().value!);
    try {
      return await breaker.run(
        prober,
        () => traced(`push ${push.channel}`, { kind: 'client' }, () => gateway.send(push)),
        (outcome) => isAnswered(outcome, isShared),
      );
    } finally {
      if (breaker.isIdle) this.#breakers.delete(key);
    }
  }

  #newBreaker(isShared: boolean): CircuitBreaker {
    return new CircuitBreaker({ now: this.#now, ...(isShared ? SHARED_BREAKER : ACCOUNT_BREAKER) });
  }

  #heldBack(key: string, prober: string): HeldBack | undefined {
    const waitMs = this.#breakers.get(key)?.waitOf(prober) ?? 0;
    return waitMs > 0 ? { kind: 'held back', answer: 'not sent: the provider does not respond', waitMs } : undefined;
  }
}

function ownerPath(
  { traffic }: PushGateway,
  gateway: string,
  { applicationId, creatorId, userId }: PushOwner,
): string[] {
  const application = `application:${applicationId}`;
  // An API key may send to many users at once, so the limit applies to each of them.
  const creator = creatorId === 0 ? `to:${userId}` : `by:${creatorId}`;
  const user = `user:${userId}`;
  return traffic === 'mails' ? [application, creator, user] : [application, gateway, creator, user];
}

/** A refusal without a request does not count, because the browser's own data can cause it. */
function isAnswered(outcome: PushOutcome, isShared: boolean): boolean | undefined {
  if (outcome.kind === 'refused' && isShared) return undefined;
  return !(outcome.kind === 'later' && outcome.isUnreachable);
}
