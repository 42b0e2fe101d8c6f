import type { Operation, Values } from './documents.ts';
import { type AnsweredError, AtriumError, mayPass } from './errors.ts';
import { pause, pauseBefore } from './pauses.ts';

export interface Sending {
  headers: Record<string, string>;
  signal?: AbortSignal | undefined;
}

export interface HttpOptions {
  /** Milliseconds. */
  timeout: number;
  /** Omitted unless an administrator calls, because otherwise the headers contain the credentials. */
  cookies: 'omit' | 'same-origin';
}

interface Answer {
  data?: unknown;
  errors?: AnsweredError[];
}

export class Http {
  readonly #url: string;
  readonly #fetch: typeof fetch;
  readonly #options: HttpOptions;

  constructor(url: string, send: typeof fetch, options: HttpOptions) {
    this.#url = url;
    this.#fetch = send;
    this.#options = options;
  }

  /** @throws {AtriumError} on any failure except an abort by the caller */
  async send({ text }: Operation, variables: Values, { headers, signal }: Sending): Promise<unknown> {
    const limit = AbortSignal.timeout(this.#options.timeout);
    const send = this.#fetch;
    try {
      const response = await send(this.#url, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Accept: 'application/json', ...headers },
        body: JSON.stringify({ query: text, variables }),
        signal: signal ? AbortSignal.any([signal, limit]) : limit,
        credentials: this.#options.cookies,
      });
      const { data, errors } = await read(response);
      if (errors) throw AtriumError.answered(errors, response.status, retryAfterOf(response));
      return data;
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      if (error instanceof AtriumError) throw error;
      const message = limit.aborted ? 'The service did not answer in time' : 'The service could not be reached';
      throw new AtriumError('UNREACHABLE', message, { cause: error });
    }
  }
}

async function read(response: Response): Promise<Answer> {
  const text = await response.text();
  try {
    const answer = JSON.parse(text) as Answer;
    if (answer.data || typeof answer.errors?.[0]?.message === 'string') return answer;
  } catch {
    // not JSON, for example the error page of a proxy
  }
  const code = response.status === 429 ? 'RATE_LIMITED' : 'UNREACHABLE';
  throw new AtriumError(code, `Expected a GraphQL response, received HTTP ${response.status}`, {
    status: response.status,
    retryAfter: retryAfterOf(response),
  });
}

function retryAfterOf({ headers }: Response): number | undefined {
  const text = headers.get('Retry-After');
  if (text === null) return undefined;
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1_000;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined;
}

/** Seconds; on a longer `Retry-After`, the caller decides. */
const LONGEST_WAIT = 60;

export async function withRetries<Result>(
  retries: number,
  signal: AbortSignal | undefined,
  act: () => Promise<Result>,
): Promise<Result> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await act();
    } catch (error) {
      if (!mayPass(error) || attempt >= retries || (error.retryAfter ?? 0) > LONGEST_WAIT) throw error;
      await pause(pauseBefore(attempt, error.retryAfter), signal);
      signal?.throwIfAborted();
    }
  }
}
