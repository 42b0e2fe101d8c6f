import { MigrationError } from '../problem.ts';

/** More than it had when it was asked may have come meanwhile, but not that many. */
const MARGIN = 10_000;

/** Ends the reading of a list that never ends. */
export class Bound {
  readonly #what: string;
  readonly #announced: number;
  #seen = 0;

  /** @param told how many the other server says it has */
  constructor(what: string, announced: number) {
    this.#what = what;
    this.#announced = announced;
  }

  /** @throws {MigrationError} it gives far more than it said */
  add(count: number): void {
    this.#seen += count;
    if (this.#seen > this.#announced + MARGIN) {
      throw new MigrationError(
        `${this.#what}: the other server says it has ${this.#announced}, and gives more and more`,
      );
    }
  }
}

/** @throws {MigrationError} a page that does not go on behind the one before: it would never end */
export function requireAscending<Id extends string | number>(what: string, ids: Id[], after: Id): void {
  let last = after;
  for (const id of ids) {
    if (id <= last) throw new MigrationError(`${what}: ${id} comes behind ${last}, which is not the order asked for`);
    last = id;
  }
}
