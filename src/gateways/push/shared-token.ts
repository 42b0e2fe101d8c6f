import { MINUTE, SECOND } from '../../lib/time.ts';

/** Every request of an account needs it; `expiresAt` in milliseconds. */
export interface Token {
  text: string;
  expiresAt: number;
}

/** From here on one request fetches the next token, and the others go on with the present one. */
const REFRESH_MS = 5 * MINUTE;

/** A token is not used to its very end. */
const MARGIN_MS = 60 * SECOND;

/** Requests within this time after a failure share it. */
const FAILURE_MS = SECOND;

/** A token that many requests share: one of them fetches it, the others wait for that one. */
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

  /** @throws what `fetch` throws */
  async get(): Promise<string> {
    const left = this.#timeLeft();
    if (left > REFRESH_MS) return this.#token!.text;
    const fetching = this.#fetchOnce();
    if (left <= MARGIN_MS) return (await fetching).text;
    // Every caller has this promise, so its failure is handled even when nobody waits for it.
    fetching.catch(() => {});
    return this.#token!.text;
  }

  /** The provider has refused this token; one that was fetched in the meantime stays. */
  invalidate(text: string): void {
    if (this.#token?.text === text) this.#token = undefined;
  }

  #timeLeft(): number {
    const now = this.#now().getTime();
    // After the clock was set back, the token would be one of the future.
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
