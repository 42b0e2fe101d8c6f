import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Cleanup } from './cleanup.ts';
import { startScript } from './processes.ts';

const SOCKETS_OF_A_PROCESS = 5_000;

export interface SubscriberSettings {
  url: string;
  protocol: string[];
  tokens: (string | undefined)[];
  dialogId: string | undefined;
}

export interface SubscriberCommand {
  do: 'connect' | 'subscribe' | 'disconnect' | 'count' | 'sent';
  resumes?: boolean;
  number?: number;
}

export interface SubscriberResponse {
  /** Time until each socket was served. */
  milliseconds: number[];
  missed?: number;
  doubled?: number;
  last?: number;
}

export class SubscriberProcesses {
  readonly #processes: ChildProcess[];
  readonly stop: () => Promise<void>;

  private constructor(started: { child: ChildProcess; stop: () => Promise<void> }[]) {
    this.#processes = started.map(({ child }) => child);
    this.stop = async () => {
      await Promise.all(started.map(({ stop }) => stop()));
    };
  }

  static async start({ tokens, ...settings }: SubscriberSettings, cleanup: Cleanup): Promise<SubscriberProcesses> {
    const started = [];
    for (let from = 0; from < tokens.length; from += SOCKETS_OF_A_PROCESS) {
      const own = { ...settings, tokens: tokens.slice(from, from + SOCKETS_OF_A_PROCESS) };
      started.push(await startScript(new URL('./subscriber-process.ts', import.meta.url), own, cleanup));
    }
    return new SubscriberProcesses(started);
  }

  connect(): Promise<SubscriberResponse> {
    return this.#ask({ do: 'connect' });
  }

  /** A socket counts as served when it receives a message sent after it subscribed. */
  subscribe(resumes: boolean): Promise<SubscriberResponse> {
    return this.#ask({ do: 'subscribe', resumes });
  }

  disconnect(): Promise<SubscriberResponse> {
    return this.#ask({ do: 'disconnect' });
  }

  count(): Promise<SubscriberResponse> {
    return this.#ask({ do: 'count' });
  }

  sent(number: number): void {
    for (const child of this.#processes) child.send({ do: 'sent', number });
  }

  async #ask(command: SubscriberCommand): Promise<SubscriberResponse> {
    const answers = await Promise.all(
      this.#processes.map(async (child) => {
        child.send(command);
        const [answer] = (await once(child, 'message')) as [SubscriberResponse];
        return answer;
      }),
    );
    return {
      milliseconds: answers.flatMap(({ milliseconds }) => milliseconds),
      missed: answers.reduce((total, { missed = 0 }) => total + missed, 0),
      doubled: answers.reduce((total, { doubled = 0 }) => total + doubled, 0),
      last: Math.min(...answers.map(({ last = 0 }) => last)),
    };
  }
}
