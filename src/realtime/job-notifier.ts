import { addTo, removeFrom } from '../lib/collections.ts';
import type { Bus } from './bus.ts';
import { LiveEvent, LiveQueue } from './live-queue.ts';

export interface JobChange {
  applicationId: number;
  id: string;
}

const TOPIC = 'jobs';

/** Publishes that jobs of administrators changed, to all processes. Signals may be lost. */
export class JobNotifier {
  readonly #bus: Bus;
  readonly #listeners = new Set<(change: JobChange) => void>();
  readonly #subscriptions = new Map<number, Set<LiveQueue<JobChange>>>();

  constructor(bus: Bus) {
    this.#bus = bus;
    bus.on(TOPIC, (change) => {
      for (const listener of this.#listeners) listener(change as JobChange);
      this.#deliver(change as JobChange);
    });
  }

  onChange(listener: (change: JobChange) => void): void {
    this.#listeners.add(listener);
  }

  changed(change: JobChange): void {
    for (const listener of this.#listeners) listener(change);
    this.progressed(change);
  }

  /** Does not notify listeners of this process. */
  progressed({ applicationId, id }: JobChange): void {
    this.#deliver({ applicationId, id });
    this.#bus.publish(TOPIC, { applicationId, id });
  }

  subscribe(applicationId: number): LiveQueue<JobChange> {
    const queue = new LiveQueue<JobChange>((left) => removeFrom(this.#subscriptions, applicationId, left));
    addTo(this.#subscriptions, applicationId, queue);
    return queue;
  }

  get subscriptionCount(): number {
    return [...this.#subscriptions.values()].reduce((count, { size }) => count + size, 0);
  }

  endSubscriptions(): void {
    for (const queues of [...this.#subscriptions.values()]) for (const queue of [...queues]) void queue.return();
  }

  #deliver(change: JobChange): void {
    const event = new LiveEvent(change);
    for (const queue of this.#subscriptions.get(change.applicationId) ?? []) queue.push(event);
  }
}
