import { createServer, connect as dial, type Server, type Socket } from 'node:net';
import type { Random } from './soak/random.ts';

/** Where bytes go. */
export type Far = { path: string } | { host: string; port: number };

/** Probability that a chunk is the last of its connection, which ends within it. */
const CUT = 0.004;
/** Probability that a chunk is late, or comes in two halves. */
const LATE = 0.05;
const HALVES = 0.1;
const LONGEST_DELAY = 150;

/** A TCP wire that, while it is bad, cuts connections at whatever byte, delays some bytes, and halves writes. */
export class CuttingWire {
  isBad = false;
  /** Connections it has cut. */
  cuts = 0;
  /** What may still go one way before everything is cut, if somebody counts. */
  #left: { isBack: boolean; bytes: number } | undefined;
  readonly #server: Server;
  readonly #pairs = new Set<Socket[]>();
  readonly #far: () => Far;
  readonly #random: Random;

  private constructor(far: () => Far, random: Random) {
    this.#far = far;
    this.#random = random;
    this.#server = createServer((near) => this.#join(near));
  }

  static async start(far: () => Far, random: Random): Promise<CuttingWire> {
    const wire = new CuttingWire(far, random);
    await new Promise<void>((resolve) => wire.#server.listen(0, '127.0.0.1', resolve));
    return wire;
  }

  get port(): number {
    return (this.#server.address() as { port: number }).port;
  }

  /** Ends all that goes through it now. */
  cutAll(): void {
    for (const pair of this.#pairs) for (const socket of pair) socket.destroy();
  }

  /** Ends all that goes through it when so many more bytes have gone to the far side, or have come back. */
  cutAfter(bytes: number, isBack: boolean): void {
    this.#left = { isBack, bytes };
  }

  /** Cuts nothing more. @returns whether it had not come to it yet */
  hold(): boolean {
    const isLeft = this.#left !== undefined;
    this.#left = undefined;
    return isLeft;
  }

  stop(): void {
    this.#server.close();
    this.cutAll();
  }

  #join(near: Socket): void {
    const far = dial(this.#far());
    const pair = [near, far];
    this.#pairs.add(pair);
    const cut = () => {
      this.#pairs.delete(pair);
      for (const socket of pair) socket.destroy();
    };
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.setNoDelay(true);
      from.on('error', () => {});
      from.on('close', cut);
      from.on('data', (chunk) => {
        from.pause();
        void this.#pass(chunk, to, from === far).then((isWhole) => (isWhole ? from.resume() : cut()));
      });
    }
  }

  /** @returns false: the connection ends here */
  async #pass(chunk: Buffer, to: Socket, isBack: boolean): Promise<boolean> {
    const random = this.#random;
    const left = this.#left?.isBack === isBack ? this.#left : undefined;
    if (left && left.bytes < chunk.length) {
      this.#left = undefined;
      this.cuts++;
      await write(to, chunk.subarray(0, left.bytes));
      this.cutAll();
      return false;
    }
    if (left) left.bytes -= chunk.length;
    if (!this.isBad) return write(to, chunk);
    if (random.chance(LATE)) await delay(random.between(1, LONGEST_DELAY));
    const place = random.between(0, chunk.length);
    if (random.chance(CUT)) {
      this.cuts++;
      await write(to, chunk.subarray(0, place));
      return false;
    }
    if (!random.chance(HALVES)) return write(to, chunk);
    await write(to, chunk.subarray(0, place));
    await delay(random.between(1, 10));
    return write(to, chunk.subarray(place));
  }
}

function write(to: Socket, bytes: Buffer): Promise<boolean> {
  return new Promise((resolve) => to.write(bytes, () => resolve(!to.destroyed)));
}

function delay(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
