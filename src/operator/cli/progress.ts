import { Presets, SingleBar } from 'cli-progress';

export interface Progress {
  begin: (what: string, total?: number) => void;
  advance: (count?: number) => void;
  say: (text: string) => void;
  end: () => void;
}

const LINE_INTERVAL_MS = 5_000;

/** Uses stderr, because stdout is for the result. Outside a terminal, only steps of more than five seconds print lines. */
export function createProgress(stream: NodeJS.WriteStream = process.stderr): Progress {
  return stream.isTTY ? new Bar(stream) : new Lines(stream);
}

class Bar implements Progress {
  readonly #stream: NodeJS.WriteStream;
  #bar: SingleBar | undefined;

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
  }

  begin(what: string, total?: number): void {
    this.end();
    const format = total === undefined ? `${what} {value}` : `${what} {bar} {value}/{total} {eta_formatted}`;
    this.#bar = new SingleBar({ format, stream: this.#stream, hideCursor: true }, Presets.shades_classic);
    this.#bar.start(total ?? 0, 0);
  }

  advance(count = 1): void {
    this.#bar?.increment(count);
  }

  say(text: string): void {
    this.end();
    this.#stream.write(`${text}\n`);
  }

  end(): void {
    this.#bar?.stop();
    this.#bar = undefined;
  }
}

class Lines implements Progress {
  readonly #stream: NodeJS.WriteStream;
  #what: string | undefined;
  #total: number | undefined;
  #done = 0;
  #hasPrinted = false;
  #saidAt = 0;

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
  }

  begin(what: string, total?: number): void {
    this.end();
    this.#what = what;
    this.#total = total;
    this.#done = 0;
    this.#hasPrinted = false;
    this.#saidAt = performance.now();
  }

  advance(count = 1): void {
    this.#done += count;
    if (performance.now() - this.#saidAt < LINE_INTERVAL_MS) return;
    this.#saidAt = performance.now();
    this.#hasPrinted = true;
    this.#print();
  }

  say(text: string): void {
    this.#stream.write(`${text}\n`);
  }

  end(): void {
    if (this.#what !== undefined && this.#hasPrinted) this.#print();
    this.#what = undefined;
  }

  #print(): void {
    const total = this.#total === undefined ? '' : ` of ${this.#total}`;
    this.#stream.write(`${this.#what}: ${this.#done}${total}\n`);
  }
}
