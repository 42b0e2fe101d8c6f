import { MigrationError } from '../errors.ts';
import { PAGE } from '../source.ts';

/** Items that may be added while a list is read. */
const MARGIN = 10_000;

export class Bound {
  readonly #what: string;
  readonly #reported: number;
  #seen = 0;

  constructor(what: string, reported: number) {
    this.#what = what;
    this.#reported = reported;
  }

  add(count: number): void {
    this.#seen += count;
    if (this.#seen > this.#reported + MARGIN) {
      throw new MigrationError(`${this.#what}: the other server reported ${this.#reported}, but returns many more`);
    }
  }
}

interface Listing<Id, Item> {
  what: string;
  after: NoInfer<Id>;
  /** Ends the listing with undefined. */
  read: (after: Id) => Promise<{ total_entries: number; items: Item[] } | undefined>;
  onTotal?: (total: number) => void;
}

/** Pages in ascending order of ids. @throws {MigrationError} the list might never end */
export async function* pagesById<Id extends string | number, Item extends { id: Id }>({
  what,
  after,
  read,
  onTotal,
}: Listing<Id, Item>): AsyncGenerator<{ items: Item[]; after: Id }, void, void> {
  let bound: Bound | undefined;
  for (let last: Id = after; ; ) {
    const page = await read(last);
    if (!page) return;
    if (!bound) onTotal?.(page.total_entries);
    bound ??= new Bound(what, page.total_entries);
    bound.add(page.items.length);
    for (const { id } of page.items) {
      if (id <= last) throw new MigrationError(`${what}: ${id} follows ${last}, which is not the requested order`);
      last = id;
    }
    yield { items: page.items, after: last };
    if (page.items.length < PAGE) return;
  }
}
