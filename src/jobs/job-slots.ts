import type { QueuedFor, QueuedJob, WorkQueue } from '../db/work-queue.ts';
import { traced } from '../platform/observability/tracing.ts';

export interface SlotSettings<Data extends QueuedFor> {
  name: string;
  slots: number;
  slotsPerApplication: number;
  /** `again` requeues the job immediately, `retry` after a pause. */
  work: (data: Data) => Promise<'done' | 'again' | 'retry'>;
  onError: (error: unknown) => void;
  onFree: () => void;
}

export class JobSlots<Data extends QueuedFor> {
  readonly #queue: WorkQueue;
  readonly #settings: SlotSettings<Data>;
  readonly #running = new Map<Promise<void>, number>();

  constructor(queue: WorkQueue, settings: SlotSettings<Data>) {
    this.#queue = queue;
    this.#settings = settings;
  }

  async fill(): Promise<boolean> {
    const { name, slots, onFree } = this.#settings;
    if (this.#running.size >= slots) return false;
    const job = await this.#queue.take<Data>(name, this.#busyApplications());
    if (!job) return false;
    const running = this.#do(job).finally(() => {
      this.#running.delete(running);
      onFree();
    });
    this.#running.set(running, job.data.applicationId);
    return true;
  }

  async settled(): Promise<void> {
    await Promise.all(this.#running.keys());
  }

  #busyApplications(): number[] {
    const counts = new Map<number, number>();
    for (const id of this.#running.values()) counts.set(id, (counts.get(id) ?? 0) + 1);
    return [...counts].filter(([, count]) => count >= this.#settings.slotsPerApplication).map(([id]) => id);
  }

  async #do({ id, data }: QueuedJob<Data>): Promise<void> {
    const { name, work, onError } = this.#settings;
    try {
      const outcome = await traced(`job ${name}`, { isRoot: true }, () => work(data));
      if (outcome === 'done') await this.#queue.done(name, id);
      else if (outcome === 'again') await this.#queue.again(name, id);
      else await this.#queue.failed(name, id);
    } catch (error) {
      await this.#queue.failed(name, id).catch(() => {});
      onError(error);
    }
  }
}
