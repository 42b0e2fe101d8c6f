import { pino } from 'pino';
import { Bus } from '../../../src/realtime/bus.ts';
import { Presence } from '../../../src/realtime/presence.ts';
import { TestClock } from '../../support/app/clock.ts';

// Several processes in one. Their network preserves the order of each sender; the test decides when messages arrive and
// which are lost.

export const APPLICATION = 7;
export const USERS = [1, 2, 3];
export const BEAT = 5_000;
export const SILENCE = 20_000;
/** The smaller limit of the two bus drivers. */
export const MAX_BYTES = 7_900;
const log = pino({ level: 'silent' });

export class Network {
  readonly clock = new TestClock();
  readonly nodes: Node[] = [];

  async add(): Promise<Node> {
    const node = new Node(this, this.nodes.length);
    this.nodes.push(node);
    await node.start();
    return node;
  }

  get living(): Node[] {
    return this.nodes.filter(({ isAlive }) => isAlive);
  }

  /** Delivers or drops up to `count` messages from one process to another. */
  carry(from: Node, to: Node, count: number, isLost: boolean): void {
    const texts = to.inbox.get(from)?.splice(0, count) ?? [];
    if (to.isAlive && !isLost) for (const text of texts) to.onText(text);
  }

  async settle(): Promise<void> {
    await turns();
    for (;;) {
      const ways = this.nodes.flatMap((to) => [...to.inbox.keys()].map((from) => ({ from, to })));
      const busy = ways.filter(({ from, to }) => to.inbox.get(from)!.length > 0);
      if (busy.length === 0) return;
      for (const { from, to } of busy) this.carry(from, to, Number.POSITIVE_INFINITY, false);
      await turns();
    }
  }

  async pass(milliseconds: number): Promise<void> {
    for (let passed = 0; passed < milliseconds; passed += BEAT) {
      this.clock.advance(BEAT);
      await this.settle();
    }
  }
}

export class Node {
  readonly inbox = new Map<Node, string[]>();
  readonly presence: Presence;
  readonly sockets: { userId: number; close: () => void }[] = [];
  /** Events of a subscription to all users. */
  readonly notified: { userId: number; online: boolean }[] = [];
  readonly bytes: number[] = [];
  isAlive = true;
  onText: (text: string) => void = () => {};
  onReturn: () => void = () => {};
  readonly #network: Network;
  readonly #bus: Bus;
  readonly #ticks: (() => void)[] = [];

  constructor(network: Network, number: number) {
    this.#network = network;
    const start = async (onText: (text: string) => void, onReturn: () => void) => {
      this.onText = onText;
      this.onReturn = onReturn;
    };
    const carrier = { maxBytes: MAX_BYTES, start, stop: async () => {}, send: (text: string) => this.#send(text) };
    this.#bus = new Bus(`node ${number}`, carrier, log);
    this.presence = new Presence(this.#bus, {
      now: network.clock.now,
      every: (milliseconds, tick) => {
        const stop = network.clock.every(milliseconds, tick);
        this.#ticks.push(stop);
        return stop;
      },
    });
  }

  async start(): Promise<void> {
    await this.#bus.start();
    this.presence.start();
    void this.#watch();
  }

  async stop(): Promise<void> {
    this.presence.stop();
    await this.#bus.stop();
    this.die();
  }

  /** Stops like a killed process, without a message. */
  die(): void {
    this.isAlive = false;
    for (const stop of this.#ticks) stop();
  }

  connect(userId: number): void {
    this.sockets.push({ userId, close: this.presence.connect({ applicationId: APPLICATION, userId }) });
  }

  sees(): number[] {
    return USERS.filter((userId) => this.presence.isOnline({ applicationId: APPLICATION, userId }));
  }

  async #send(text: string): Promise<void> {
    this.bytes.push(Buffer.byteLength(text));
    for (const node of this.#network.living) {
      if (node === this || !this.isAlive) continue;
      if (!node.inbox.has(this)) node.inbox.set(this, []);
      node.inbox.get(this)!.push(text);
    }
  }

  async #watch(): Promise<void> {
    const watch = this.presence.subscribe(APPLICATION, USERS);
    for (let step = await watch.next(); !step.done; step = await watch.next()) this.notified.push(step.value.payload);
  }
}

export async function turns(): Promise<void> {
  for (let turn = 0; turn < 6; turn++) await new Promise(setImmediate);
}

export function withSockets(nodes: Node[]): number[] {
  return USERS.filter((id) => nodes.some(({ sockets }) => sockets.some(({ userId }) => userId === id)));
}
