import type { Viewer } from '../../lib/access.ts';
import { RateLimitedError } from '../../lib/errors.ts';
import { ConnectionLimit } from './connection-limit.ts';
import type { Counters } from './counters.ts';
import { LIMITS, type Limit, type LimitName, type RateCount, rateKey } from './definitions.ts';
import { Quota } from './quota.ts';

const SHARES = 60;

export interface RateLimitSettings {
  counters: Counters;
  limits?: Partial<Record<LimitName, Limit>> | undefined;
  onExceeded?: (limit: LimitName) => void;
}

export class RateLimits {
  readonly connections = new ConnectionLimit();
  readonly #counters: Counters;
  readonly #quotas: Record<LimitName, Quota>;
  readonly #onExceeded: (limit: LimitName) => void;

  constructor({ counters, limits, onExceeded = () => {} }: RateLimitSettings) {
    this.#counters = counters;
    this.#onExceeded = onExceeded;
    const create = (name: LimitName) => {
      const limit = limits?.[name] ?? LIMITS[name];
      const shareSize = counters.isShared && limit.quota % SHARES === 0 ? limit.quota / SHARES : 1;
      return new Quota(limit, counters.create(name, limit), shareSize);
    };
    const names = Object.keys(LIMITS) as LimitName[];
    this.#quotas = Object.fromEntries(names.map((name) => [name, create(name)])) as Record<LimitName, Quota>;
  }

  meter(network: string, viewer: Viewer): Meter {
    return new Meter(this.#quotas, viewer, network, this.#onExceeded);
  }

  async stop(): Promise<void> {
    for (const quota of Object.values(this.#quotas)) quota.stop();
    await this.#counters.stop();
  }
}

export class Meter {
  readonly #quotas: Record<LimitName, Quota>;
  readonly #viewer: Viewer;
  readonly #network: string;
  readonly #onExceeded: (limit: LimitName) => void;
  #tightest: RateCount | undefined;

  constructor(
    quotas: Record<LimitName, Quota>,
    viewer: Viewer,
    network: string,
    onExceeded: (limit: LimitName) => void,
  ) {
    this.#quotas = quotas;
    this.#viewer = viewer;
    this.#network = network;
    this.#onExceeded = onExceeded;
  }

  async count(limit: LimitName): Promise<void> {
    const { isExceeded, resetSeconds } = await this.tally(limit);
    if (isExceeded) throw new RateLimitedError(resetSeconds);
  }

  async tally(limit: LimitName): Promise<RateCount> {
    const count = await this.#quotas[limit].count(rateKey(limit, this.#viewer, this.#network));
    if (count.isExceeded) this.#onExceeded(limit);
    if (!this.#tightest || count.isExceeded || count.remaining < this.#tightest.remaining) this.#tightest = count;
    return count;
  }

  /** Counts only if the quota is exceeded. Call it before work that is not counted. @throws {RateLimitedError} */
  async requireCapacity(limit: LimitName): Promise<void> {
    if (this.#quotas[limit].isUsedUp(rateKey(limit, this.#viewer, this.#network))) await this.count(limit);
  }

  /** Under a key of its own, which the headers of the response do not show. @throws {RateLimitedError} */
  async countOf(limit: LimitName, key: string): Promise<void> {
    const { isExceeded, resetSeconds } = await this.#quotas[limit].count(key);
    if (!isExceeded) return;
    this.#onExceeded(limit);
    throw new RateLimitedError(resetSeconds);
  }

  isUsedUp(limit: LimitName, key: string): boolean {
    return this.#quotas[limit].isUsedUp(key);
  }

  get hasCounted(): boolean {
    return this.#tightest !== undefined;
  }

  /** Of the used counter that is closest to its limit. */
  get state(): RateCount {
    return this.#tightest ?? this.#quotas.default.peek(rateKey('default', this.#viewer, this.#network));
  }
}
