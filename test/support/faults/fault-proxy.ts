import { once } from 'node:events';
import { connect, createServer, type NetConnectOpts, type Server, type Socket } from 'node:net';
import { Random } from '../fixtures/random.ts';

export type Target = string | NetConnectOpts;

/** Probability that an unreliable connection is cut within a chunk. */
const CUT = 0.004;
/** Probability that a chunk is delayed, or is written in two parts. */
const DELAYED = 0.05;
const SPLIT = 0.1;
const MAX_DELAY_MS = 150;

interface Pair {
  sockets: [client: Socket, service: Socket];
  bytesLeft: number;
}

/** A TCP proxy between a client and a service, or a service and its database, that simulates network faults. */
export class FaultProxy {
  readonly #server: Server;
  readonly #pairs = new Set<Pair>();
  readonly #random: Random;
  #isPaused = false;
  #nextCut: { isBack: boolean; bytes: number } | undefined;
  /** Evaluated for each new connection. */
  target: Target | (() => Target);
  /** Bytes from the service after which each new connection is cut. */
  cutBehind: (() => number) | undefined;
  /** Number of next responses to drop with their connection. */
  answersToLose = 0;
  /** Drops all bytes without closing connections. */
  isSilent = false;
  /** Cuts connections at any byte, delays some bytes, and splits writes. */
  isUnreliable = false;
  connections = 0;
  /** Number of connections that were cut within a message. */
  cuts = 0;
  readonly requests: string[] = [];

  private constructor(target: Target | (() => Target), random: Random) {
    this.target = target;
    this.#random = random;
    this.#server = createServer((client) => this.#connect(client));
  }

  static async start(target: Target | (() => Target), random = new Random(1)): Promise<FaultProxy> {
    const proxy = new FaultProxy(target, random);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as { port: number }).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  cut(): void {
    for (const pair of [...this.#pairs]) this.#end(pair);
  }

  /** Cuts all connections after more bytes to the service, or from it if `isBack`. */
  cutAfter(bytes: number, isBack: boolean): void {
    this.#nextCut = { isBack, bytes };
  }

  /** Cancels `cutAfter`. @returns whether it was still pending */
  cancelCut(): boolean {
    const isPending = this.#nextCut !== undefined;
    this.#nextCut = undefined;
    return isPending;
  }

  /** Holds all bytes until `resume`, without losing any or closing connections. */
  pause(): void {
    this.#isPaused = true;
    for (const { sockets } of this.#pairs) for (const socket of sockets) socket.pause();
  }

  resume(): void {
    this.#isPaused = false;
    for (const { sockets } of this.#pairs) for (const socket of sockets) socket.resume();
  }

  async close(): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #connect(client: Socket): void {
    this.connections++;
    const target = typeof this.target === 'function' ? this.target() : this.target;
    const service = connect(typeof target === 'string' ? addressOf(target) : target);
    const pair: Pair = { sockets: [client, service], bytesLeft: this.cutBehind?.() ?? Number.POSITIVE_INFINITY };
    this.#pairs.add(pair);
    for (const from of pair.sockets) {
      from.setNoDelay(true);
      from.on('error', () => {}); // `close` follows
      from.on('close', () => this.#end(pair));
      from.on('data', (chunk) => {
        from.pause();
        void this.#pass(chunk, pair, from === service).then((isWhole) => {
          if (!isWhole) this.#end(pair);
          else if (!this.#isPaused) from.resume();
        });
      });
      if (this.#isPaused) from.pause();
    }
  }

  #end(pair: Pair): void {
    this.#pairs.delete(pair);
    for (const socket of pair.sockets) socket.destroy();
  }

  /** @returns false if the connection ends here */
  async #pass(chunk: Buffer, pair: Pair, isBack: boolean): Promise<boolean> {
    const to = pair.sockets[isBack ? 0 : 1];
    if (!isBack) this.#noteRequest(chunk);
    if (this.isSilent) return true;
    if (isBack && this.answersToLose > 0) {
      this.answersToLose--;
      return false;
    }
    const bytes = this.#bytesUntilCut(chunk, pair, isBack);
    if (bytes !== undefined) {
      this.cuts++;
      await write(to, chunk.subarray(0, bytes));
      return false;
    }
    return this.isUnreliable ? this.#passUnreliably(chunk, to) : write(to, chunk);
  }

  #noteRequest(chunk: Buffer): void {
    const [line] = chunk.toString('latin1').split('\r\n', 1);
    if (line?.includes(' HTTP/1.1')) this.requests.push(line);
  }

  /** Bytes of a chunk that are passed before a cut; undefined without a cut. */
  #bytesUntilCut(chunk: Buffer, pair: Pair, isBack: boolean): number | undefined {
    const next = this.#nextCut?.isBack === isBack ? this.#nextCut : undefined;
    if (next && next.bytes < chunk.length) {
      this.#nextCut = undefined;
      for (const other of [...this.#pairs]) if (other !== pair) this.#end(other);
      return next.bytes;
    }
    if (next) next.bytes -= chunk.length;
    if (!isBack) return undefined;
    const left = pair.bytesLeft;
    pair.bytesLeft -= chunk.length;
    return pair.bytesLeft <= 0 ? left : undefined;
  }

  async #passUnreliably(chunk: Buffer, to: Socket): Promise<boolean> {
    const random = this.#random;
    if (random.chance(DELAYED)) await delay(random.between(1, MAX_DELAY_MS));
    const position = random.between(0, chunk.length);
    if (random.chance(CUT)) {
      this.cuts++;
      await write(to, chunk.subarray(0, position));
      return false;
    }
    if (!random.chance(SPLIT)) return write(to, chunk);
    await write(to, chunk.subarray(0, position));
    await delay(random.between(1, 10));
    return write(to, chunk.subarray(position));
  }
}

function addressOf(url: string): NetConnectOpts {
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port) };
}

function write(to: Socket, bytes: Buffer): Promise<boolean> {
  return new Promise((resolve) => to.write(bytes, () => resolve(!to.destroyed)));
}

function delay(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
