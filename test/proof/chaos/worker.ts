import { pause, type Random } from '../../support/fixtures/random.ts';
import type { Caller } from '../../support/fixtures/users.ts';

export interface Answered {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
  body: any;
  /** Whether the first attempt was answered, so that no other attempt can have had an effect. */
  isFirst: boolean;
}

export const REQUEST_TIMEOUT_MS = 20_000;

/** A REST client that retries on any process until the response is below 500. */
export class Worker {
  protected readonly random: Random;
  readonly #user: Caller;
  readonly #urls: () => string[];

  constructor(user: Caller, urls: () => string[], random: Random) {
    this.#user = user;
    this.#urls = urls;
    this.random = random;
  }

  protected async insist(
    method: string,
    path: string,
    content?: object | FormData,
    as: Caller = this.#user,
  ): Promise<Answered> {
    for (let isFirst = true; ; isFirst = false) {
      try {
        const isForm = content instanceof FormData;
        const response = await fetch(this.random.pick(this.#urls()) + path, {
          method,
          headers: { ...as.headers, ...(content && !isForm && { 'Content-Type': 'application/json' }) },
          signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
          ...(content && { body: isForm ? content : JSON.stringify(content) }),
        });
        const text = await response.text();
        if (response.status < 500) return { status: response.status, body: parsed(text), isFirst };
      } catch {
        // The connection was cut; retry.
      }
      await pause(this.random.between(20, 200));
    }
  }

  async workUntil(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      await this.act();
      await pause(this.random.between(20, 200));
    }
  }

  protected async act(): Promise<void> {}
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
