import type { Logger } from 'pino';
import { allShards, homeOf, onShard } from '../db/shards.ts';
import type { Bus } from './bus.ts';
import type { Clock } from './clock.ts';
import { Hub } from './hub.ts';
import type { Outbox } from './outbox.ts';

export type LiveEvents = Omit<Hub, 'readUpTo'>;

/** One hub for each database server, because each has an outbox with positions of its own. */
export function createHub(outbox: Outbox, bus: Bus, log: Logger, clock?: Clock): LiveEvents {
  const hubs = allShards().map((shard) => onShard(shard, () => new Hub(outbox, bus, log, clock)));
  return hubs.length === 1 ? hubs[0]! : new Hubs(hubs);
}

class Hubs implements LiveEvents {
  readonly #hubs: readonly Hub[];

  constructor(hubs: readonly Hub[]) {
    this.#hubs = hubs;
  }

  start(): void {
    for (const [number, hub] of this.#hubs.entries()) onShard(allShards()[number]!, () => hub.start());
  }

  stop(): void {
    for (const hub of this.#hubs) hub.stop();
  }

  endSubscriptions(): void {
    for (const hub of this.#hubs) hub.endSubscriptions();
  }

  get subscriptionCount(): number {
    return this.#hubs.reduce((count, hub) => count + hub.subscriptionCount, 0);
  }

  get positions(): (bigint | undefined)[] {
    return this.#hubs.flatMap(({ positions }) => positions);
  }

  get removals(): number {
    return this.#hubs.reduce((count, { removals }) => count + removals, 0);
  }

  subscribe: Hub['subscribe'] = (target, cursor) =>
    this.#of(target.viewer.applicationId, (hub) => hub.subscribe(target, cursor));

  changes: Hub['changes'] = (target, cursor, most) =>
    this.#of(target.viewer.applicationId, (hub) => hub.changes(target, cursor, most));

  onCredentialsChanged: Hub['onCredentialsChanged'] = (viewer, listener) =>
    this.#of('applicationId' in viewer ? viewer.applicationId : 0, (hub) => hub.onCredentialsChanged(viewer, listener));

  broadcast: Hub['broadcast'] = (row) => void this.#of(row.applicationId, async (hub) => hub.broadcast(row));

  hasRecordFilter: Hub['hasRecordFilter'] = (recordClass, text) =>
    this.#hubs.some((hub) => hub.hasRecordFilter(recordClass, text));

  async #of<Result>(applicationId: number, work: (hub: Hub) => Promise<Result>): Promise<Result> {
    const shard = await homeOf(applicationId);
    return onShard(shard, () => work(this.#hubs[shard.number]!));
  }
}
