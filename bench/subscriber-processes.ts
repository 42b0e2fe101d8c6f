import type { ChildProcess } from 'node:child_process';
import type { Cleanup } from './cleanup.ts';
import { startScript } from './processes.ts';

const SOCKETS_OF_A_PROCESS = 5_000;

/** Each process has its own, because a bound address has 28,000 ports for connections to all servers. */
let addresses = 0;

export interface SubscriberSettings {
  url: string;
  /** Undefined for a bare server, which sends without a subscription. */
  tokens: string[] | undefined;
  sockets: number;
  dialogId: string;
  localAddress: string;
}

export type SubscriberCommand =
  | { do: 'open' | 'connect' | 'count' }
  | { do: 'reconnect'; cuts: boolean }
  | { do: 'sent' | 'await'; number: number };

export interface SubscriberResponse {
  /** Time until each socket was served. */
  milliseconds?: number[];
  attempts?: number;
  missed?: number;
  doubled?: number;
}

export class SubscriberProcesses {
  readonly #processes: ChildProcess[];
  readonly stop: () => Promise<void>;
  #asked = 0;

  private constructor(started: { child: ChildProcess; stop: () => Promise<void> }[]) {
    this.#processes = started.map(({ child }) => child);
    this.stop = async () => {
      await Promise.all(started.map(({ stop }) => stop()));
    };
  }

  static async start(
    { tokens, sockets, ...settings }: Omit<SubscriberSettings, 'localAddress'>,
    cleanup: Cleanup,
  ): Promise<SubscriberProcesses> {
    const started = [];
    for (let from = 0; from < sockets; from += SOCKETS_OF_A_PROCESS) {
      const own: SubscriberSettings = {
        ...settings,
        tokens: tokens?.slice(from, from + SOCKETS_OF_A_PROCESS),
        sockets: Math.min(SOCKETS_OF_A_PROCESS, sockets - from),
        localAddress: `127.0.0.${2 + addresses++}`,
      };
      started.push(await startScript(new URL('./subscriber-process.ts', import.meta.url), own, cleanup));
    }
    return new SubscriberProcesses(started);
  }

  /** A socket counts as served when it receives a message sent after it subscribed. */
  connect(): Promise<Required<SubscriberResponse>> {
    return this.#ask({ do: 'connect' });
  }

  /** All sockets are lost, by the server or by `cuts`, and subscribe again after their last cursor. */
  reconnect(cuts: boolean): Promise<Required<SubscriberResponse>> {
    return this.#ask({ do: 'reconnect', cuts });
  }

  /** For a server that sends nothing. */
  open(): Promise<Required<SubscriberResponse>> {
    return this.#ask({ do: 'open' });
  }

  /** Until all sockets have received the message. */
  await(number: number): Promise<Required<SubscriberResponse>> {
    return this.#ask({ do: 'await', number });
  }

  count(): Promise<Required<SubscriberResponse>> {
    return this.#ask({ do: 'count' });
  }

  sent(number: number): void {
    for (const child of this.#processes) child.send({ id: 0, do: 'sent', number });
  }

  async #ask(command: SubscriberCommand): Promise<Required<SubscriberResponse>> {
    const id = ++this.#asked;
    const answers = await Promise.all(
      this.#processes.map((child) => {
        // Not by `once`, because answers of concurrent commands may arrive in one turn.
        const answered = new Promise<SubscriberResponse>((resolve) => {
          const take = (answer: SubscriberResponse & { id: number }) => {
            if (answer.id !== id) return;
            child.off('message', take);
            resolve(answer);
          };
          child.on('message', take);
        });
        child.send({ id, ...command });
        return answered;
      }),
    );
    const sum = (of: (answer: SubscriberResponse) => number | undefined) =>
      answers.reduce((total, answer) => total + (of(answer) ?? 0), 0);
    return {
      milliseconds: answers.flatMap(({ milliseconds = [] }) => milliseconds),
      attempts: sum(({ attempts }) => attempts),
      missed: sum(({ missed }) => missed),
      doubled: sum(({ doubled }) => doubled),
    };
  }
}
