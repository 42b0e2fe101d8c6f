import { Presets, SingleBar } from 'cli-progress';

/** How far a long command is. */
export interface Progress {
  /** What is being worked on now, and how much of it there is, where that is known. */
  begin: (what: string, total?: number) => void;
  /** So much of it is done. */
  advance: (count?: number) => void;
  /** A remark that stays. */
  say: (text: string) => void;
  /** Nothing more comes. */
  end: () => void;
}

/** Time between two lines about the same thing, in milliseconds. */
const LINE_INTERVAL_MS = 5_000;

/** Tells it on stderr, so that stdout stays the answer: a bar on a terminal, a line now and then elsewhere. */
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
  #saidAt = 0;

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
  }

  begin(what: string, total?: number): void {
    this.end();
    this.#what = what;
    this.#total = total;
    this.#done = 0;
    this.#saidAt = performance.now();
  }

  advance(count = 1): void {
    this.#done += count;
    if (performance.now() - this.#saidAt < LINE_INTERVAL_MS) return;
    this.#saidAt = performance.now();
    this.#print();
  }

  say(text: string): void {
    this.#stream.write(`${text}\n`);
  }

  end(): void {
    if (this.#what !== undefined) this.#print();
    this.#what = undefined;
  }

  #print(): void {
    const total = this.#total === undefined ? '' : ` of ${this.#total}`;
    this.#stream.write(`${this.#what}: ${this.#done}${total}\n`);
  }
}
