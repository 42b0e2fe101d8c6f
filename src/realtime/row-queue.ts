import { setTimeout as delay } from 'node:timers/promises';
import { isDatabaseUnavailable } from '../db/failures.ts';
import { LiveEvent, LiveQueue } from './live-queue.ts';

const BATCH = 100;
const RETRY_MS = 250;

export interface RowSource<Row extends { id: bigint }> {
  /** The next wanted rows after a position, up to and including `upTo`, in their order. */
  read: (after: bigint, upTo: bigint, limit: number) => Promise<Row[]>;
  leave: (queue: RowQueue<Row>) => void;
}

/** Rows of a table whose ids become visible in their order, for one subscriber, who reads them at its own speed. */
export class RowQueue<Row extends { id: bigint }> extends LiveQueue<Row> {
  readonly #source: RowSource<Row>;
  #position: bigint;
  #end: bigint;
  #read: LiveEvent<Row>[] = [];

  /** @param after rows after this position are delivered, first the existing ones */
  constructor(source: RowSource<Row>, after: bigint) {
    super((queue) => source.leave(queue as RowQueue<Row>));
    this.#source = source;
    this.#position = after;
    this.#end = after;
  }

  /** Rows up to this position exist. */
  reach(end: bigint): void {
    if (end <= this.#end) return;
    this.#end = end;
    this.signal();
  }

  override takeReady(max: number): LiveEvent<Row>[] {
    return this.#read.splice(0, max);
  }

  protected override get hasMissed(): boolean {
    return this.#read.length > 0 || this.#position < this.#end;
  }

  protected override async nextMissed(): Promise<LiveEvent<Row> | undefined> {
    while (this.#read.length === 0 && this.#position < this.#end && this.isOpen) {
      const end = this.#end;
      try {
        const rows = await this.#source.read(this.#position, end, BATCH);
        this.#position = rows.length === BATCH ? rows.at(-1)!.id : end;
        this.#read = rows.map((row) => new LiveEvent(row));
      } catch (error) {
        if (!isDatabaseUnavailable(error)) throw error;
        await delay(RETRY_MS, undefined, { ref: false });
      }
    }
    return this.#read.shift();
  }

  protected override clear(): void {
    super.clear();
    this.#read = [];
  }
}
