import { MINUTE, SECOND } from '../../lib/time.ts';

export interface Token {
  text: string;
  /** Unix milliseconds. */
  expiresAt: number;
}

/** With less remaining lifetime, the next token is fetched in the background. */
const REFRESH_MS = 5 * MINUTE;

const MARGIN_MS = 60 * SECOND;

const FAILURE_MS = SECOND;

export class SharedToken {
  readonly #fetch: () => Promise<Token>;
  readonly #now: () => Date;
  #token: (Token & { fetchedAt: number }) | undefined;
  #fetching: Promise<Token> | undefined;
  #failure: { error: unknown; at: number } | undefined;

  constructor(fetch: () => Promise<Token>, now: () => Date) {
    this.#fetch = fetch;
    this.#now = now;
  }

  async get(): Promise<string> {
    const left = this.#timeLeft();
    if (left > REFRESH_MS) return this.#token!.text;
    const fetching = this.#fetchOnce();
    if (left <= MARGIN_MS) return (await fetching).text;
    // The background fetch is not awaited, so an unhandled rejection would crash the process.
    fetching.catch(() => {});
    return this.#token!.text;
  }

  /** A token fetched in the meantime remains. */
  invalidate(text: string): void {
    if (this.#token?.text === text) this.#token = undefined;
  }

  #timeLeft(): number {
    const now = this.#now().getTime();
    // After the clock was set back, the remaining time would be too long.
    return this.#token && this.#token.fetchedAt <= now ? this.#token.expiresAt - now : 0;
  }

  #fetchOnce(): Promise<Token> {
    const sinceFailure = this.#now().getTime() - (this.#failure?.at ?? Number.NEGATIVE_INFINITY);
    if (this.#failure && sinceFailure >= 0 && sinceFailure < FAILURE_MS) return Promise.reject(this.#failure.error);
    this.#fetching ??= this.#fetch()
      .then((token) => {
        this.#token = { ...token, fetchedAt: this.#now().getTime() };
        this.#failure = undefined;
        return token;
      })
      .catch((error: unknown) => {
        this.#failure = { error, at: this.#now().getTime() };
        throw error;
      })
      .finally(() => {
        this.#fetching = undefined;
      });
    return this.#fetching;
  }
}
