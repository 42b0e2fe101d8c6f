import type { Figures } from './comparison.ts';
import { cpuOfProcess } from './cpu.ts';

const IN_FLIGHT = 4;
const TIMEOUT_MS = 20_000;
const PROBE_EVERY_MS = 200;

const MARK = '"text":"message ';
const DIGITS = 8;

interface Sent {
  at: number;
  missing: number;
  arrived: () => void;
}

export class Deliveries {
  readonly #mark: string;
  readonly #sockets: number;
  readonly #send: (text: string) => Promise<unknown>;
  readonly #pid: number;
  readonly #underWay = new Map<number, Sent>();
  readonly #hearing = new Set<number>();
  #latencies: number[] = [];
  #count = 0;
  #frame = '';

  /** @param mark precedes the number in each frame */
  constructor(
    sockets: number,
    { pid, send, mark = MARK }: { pid: number; send: (text: string) => Promise<unknown>; mark?: string },
  ) {
    this.#mark = mark;
    this.#sockets = sockets;
    this.#pid = pid;
    this.#send = send;
  }

  readonly onFrame = (socket: number, frame: Buffer): void => {
    const now = performance.now();
    const start = frame.indexOf(this.#mark) + this.#mark.length;
    const number = Number(frame.toString('latin1', start, start + DIGITS));
    this.#hearing.add(socket);
    this.#frame ||= frame.toString();
    const sent = this.#underWay.get(number);
    this.#latencies.push(now - (sent?.at ?? now));
    if (sent && --sent.missing === 0) sent.arrived();
  };

  /** @returns a frame, and the text in it */
  async untilAllListen(): Promise<{ frame: string; text: string }> {
    const deadline = performance.now() + TIMEOUT_MS;
    while (this.#hearing.size < this.#sockets) {
      if (performance.now() > deadline) throw new Error('not all subscribers hear');
      await this.#send(textOf(++this.#count));
      await pause(PROBE_EVERY_MS);
    }
    const start = this.#frame.indexOf(MARK) + '"text":"'.length;
    return { frame: this.#frame, text: this.#frame.slice(start, start + textOf(0).length) };
  }

  /** Several messages in flight. @throws if a socket received too few or too many messages */
  async rate(seconds: number): Promise<Figures> {
    const cpu = cpuOfProcess(this.#pid);
    const { delivered, took } = await this.#deliverFor(seconds, IN_FLIGHT);
    const micros = (cpuOfProcess(this.#pid) - cpu) / delivered;
    return { 'deliveries/s': delivered / took, ...this.#percentiles(), 'CPU µs of each': micros };
  }

  /** One message at a time. @throws if a socket received too few or too many messages */
  async latency(seconds: number): Promise<Figures> {
    await this.#deliverFor(seconds, 1);
    return this.#percentiles();
  }

  async #deliverFor(seconds: number, inFlight: number): Promise<{ delivered: number; took: number }> {
    this.#latencies = [];
    const start = performance.now();
    const end = start + seconds * 1000;
    let messages = 0;
    const sendOn = async () => {
      while (performance.now() < end) {
        messages++;
        await this.#deliver();
      }
    };
    await Promise.all(Array.from({ length: inFlight }, sendOn));
    const took = (performance.now() - start) / 1000;
    const delivered = this.#latencies.length;
    if (delivered !== messages * this.#sockets) {
      throw new Error(`${delivered} deliveries instead of ${messages * this.#sockets}`);
    }
    return { delivered, took };
  }

  #percentiles(): Figures {
    const latencies = Float64Array.from(this.#latencies).sort();
    return {
      'ms p50': latencies[Math.floor(latencies.length * 0.5)]!,
      'ms p99': latencies[Math.floor(latencies.length * 0.99)]!,
    };
  }

  async #deliver(): Promise<void> {
    const number = ++this.#count;
    const arrived = new Promise<void>((resolve, reject) => {
      const late = setTimeout(() => {
        const { missing } = this.#underWay.get(number)!;
        reject(new Error(`message ${number} did not reach ${missing} of ${this.#sockets} sockets`));
      }, TIMEOUT_MS);
      this.#underWay.set(number, {
        at: performance.now(),
        missing: this.#sockets,
        arrived: () => {
          clearTimeout(late);
          resolve();
        },
      });
    });
    await Promise.all([this.#send(textOf(number)), arrived]);
    this.#underWay.delete(number);
  }
}

/** Texts of equal length. */
function textOf(number: number): string {
  return `message ${String(number).padStart(DIGITS, '0')}`;
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
