import DataLoader from 'dataloader';

/**
 * Batches as a DataLoader does, but answers without a promise where it can: what a page's fields will ask for is
 * prepared at once, since waiting a thousand times for what is there costs more than the queries.
 */
export class Loader<Key, Value> {
  readonly #read: (keys: readonly Key[]) => Promise<Value[]>;
  readonly #idOf: (key: Key) => string;
  readonly #batches: DataLoader<Key, Value, string>;
  readonly #known = new Map<string, Value>();

  /** @param read values in the order of the keys */
  constructor(read: (keys: readonly Key[]) => Promise<Value[]>, idOf: (key: Key) => string) {
    this.#read = read;
    this.#idOf = idOf;
    this.#batches = new DataLoader(read, { cacheKeyFn: idOf });
  }

  /** What is made of the value, as a promise unless the value is known. */
  load<Result>(key: Key, make: (value: Value) => Result): Result | Promise<Result> {
    const id = this.#idOf(key);
    return this.#known.has(id) ? make(this.#known.get(id)!) : this.#batches.load(key).then(make);
  }

  /** Reads the values of all the keys. */
  async prepare(keys: readonly Key[]): Promise<void> {
    if (keys.length === 0) return;
    const values = await this.#read(keys);
    for (const [index, key] of keys.entries()) this.know(key, values[index]!);
  }

  /** Takes over a value that somebody knows already. */
  know(key: Key, value: Value): void {
    this.#known.set(this.#idOf(key), value);
  }
}
