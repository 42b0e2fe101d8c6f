import { MigrationError } from '../problem.ts';

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

/** @throws {MigrationError} ids do not ascend, so that paging might never end */
export function requireAscending<Id extends string | number>(what: string, ids: Id[], after: Id): void {
  let last = after;
  for (const id of ids) {
    if (id <= last) throw new MigrationError(`${what}: ${id} follows ${last}, which is not the requested order`);
    last = id;
  }
}
