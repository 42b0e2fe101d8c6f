import DataLoader from 'dataloader';

/** Returns prepared values without a promise, because promises for a page of rows cost more time than its queries. */
export class Loader<Key, Value> {
  readonly #idOf: (key: Key) => string;
  readonly #batches: DataLoader<Key, Value, string>;
  readonly #known = new Map<string, Value>();

  /** @param read returns the values in the order of the keys */
  constructor(read: (keys: readonly Key[]) => Promise<Value[]>, idOf: (key: Key) => string) {
    this.#idOf = idOf;
    this.#batches = new DataLoader(read, { cacheKeyFn: idOf });
  }

  /** Returns a promise unless the value is loaded. */
  load<Result>(key: Key, make: (value: Value) => Result): Result | Promise<Result> {
    const id = this.#idOf(key);
    return this.#known.has(id) ? make(this.#known.get(id)!) : this.#batches.load(key).then(make);
  }

  know(key: Key, value: Value): void {
    this.#known.set(this.#idOf(key), value);
  }
}
