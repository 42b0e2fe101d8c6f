import DataLoader from 'dataloader';

/**
 * A DataLoader that returns prepared values without a promise, because a page of a thousand rows would otherwise spend
 * more time on promises than on its queries.
 */
export class Loader<Key, Value> {
  readonly #idOf: (key: Key) => string;
  readonly #batches: DataLoader<Key, Value, string>;
  readonly #known = new Map<string, Value>();

  /** @param read returns the values in the order of the keys */
  constructor(read: (keys: readonly Key[]) => Promise<Value[]>, idOf: (key: Key) => string) {
    this.#idOf = idOf;
    this.#batches = new DataLoader(read, { cacheKeyFn: idOf });
  }

  /** Passes the value to `make`; returns a promise unless the value is loaded. */
  load<Result>(key: Key, make: (value: Value) => Result): Result | Promise<Result> {
    const id = this.#idOf(key);
    return this.#known.has(id) ? make(this.#known.get(id)!) : this.#batches.load(key).then(make);
  }

  /** Stores a value that the caller has already read. */
  know(key: Key, value: Value): void {
    this.#known.set(this.#idOf(key), value);
  }
}
