type Undo = () => unknown;

/** Stops and removes resources in reverse order, however the run ends. */
export class Cleanup {
  readonly #undos: Undo[] = [];
  #done: Promise<void> | undefined;

  add(undo: Undo): void {
    this.#undos.push(undo);
  }

  run(): Promise<void> {
    this.#done ??= this.#undoAll();
    return this.#done;
  }

  async #undoAll(): Promise<void> {
    for (const undo of this.#undos.reverse()) {
      try {
        await undo();
      } catch (error) {
        process.stderr.write(`cleaning up: ${error}\n`);
      }
    }
  }
}
