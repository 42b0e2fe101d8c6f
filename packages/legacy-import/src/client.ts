import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ChatAccount, ChatUnavailable, readChat, type SourceChat } from './chat-client.ts';
import { FileUnavailable, MigrationError, SourceError } from './errors.ts';
import { HOUR, isLoopback, MINUTE, SECOND, withoutTrailingSlashes } from './service.ts';

const MAX_JSON_BYTES = 64 * 1024 * 1024;

const MAX_TRIES = 8;
const MAX_RATE_LIMITED = 30;
const MIN_RETRY_DELAY_MS = SECOND / 4;
const MAX_RETRY_DELAY_MS = 30 * SECOND;
const JSON_TIMEOUT_MS = 2 * MINUTE;
const FILE_TIMEOUT_MS = HOUR;

const TRANSIENT = new Set([408, 425, 500, 502, 503, 504]);

export interface ClientSettings {
  baseUrl: string;
  rate: number;
  signal: AbortSignal;
}

export interface SourceRequest {
  method?: 'GET' | 'POST';
  path: string;
  query?: Record<string, string | number>;
  headers: Record<string, string>;
  body?: string;
}

/** @throws {MigrationError} no valid URL, or http to another machine without `--insecure` */
export function checkedBaseUrl(text: string, { insecure }: { insecure: boolean }): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url && !url.search && !url.hash && !url.username && !url.password;
  if (!isPlain || !/^https?:$/.test(url.protocol)) throw new MigrationError('the URL should be https://<host>');
  if (url.protocol === 'http:' && !insecure && !isLoopback(url.hostname)) {
    throw new MigrationError(
      'the URL should start with https; --insecure permits http, which sends credentials unencrypted',
    );
  }
  return withoutTrailingSlashes(url.href);
}

/** One request at a time, with retries. Never follows redirects, because they would forward the credentials. */
export class SourceClient {
  readonly #settings: ClientSettings;
  #nextAt = 0;
  #clockAhead = 0;
  requests = 0;

  constructor(settings: ClientSettings) {
    this.#settings = settings;
  }

  now(): Date {
    return new Date(Date.now() + this.#clockAhead);
  }

  json(request: SourceRequest): Promise<unknown> {
    return this.#withRetries(nameOf(request), async () => {
      const response = await this.#send(request, JSON_TIMEOUT_MS);
      const text = await readText(response, request);
      if (!response.ok) throw new SourceError(nameOf(request), response.status, text);
      const type = response.headers.get('content-type') ?? 'no content type';
      if (!/^application\/json\b/.test(type)) {
        throw new MigrationError(`${nameOf(request)}: expected JSON, received ${type.slice(0, 100)}`);
      }
      return parse(text, request);
    });
  }

  /** @throws {FileUnavailable} */
  file<Result>(request: SourceRequest, use: (stream: Readable) => Promise<Result>): Promise<Result> {
    return this.#withRetries(nameOf(request), async () => {
      const response = await this.#send(request, FILE_TIMEOUT_MS).catch((error) => {
        throw error instanceof Redirected ? new FileUnavailable(error.message) : error;
      });
      if (!response.ok || !response.body) {
        await response.body?.cancel();
        throw new FileUnavailable(`${nameOf(request)}: ${response.status}`);
      }
      const stream = Readable.fromWeb(response.body as ReadableStream);
      // The stream may fail before anything reads it; without a listener, that error would end the process.
      let streamError: Error | undefined;
      stream.on('error', (error) => {
        streamError = error;
      });
      try {
        return await use(stream);
      } catch (error) {
        throw streamError ?? error;
      } finally {
        stream.destroy();
      }
    });
  }

  chat(endpoint: string, account: ChatAccount): Promise<SourceChat> {
    const { signal } = this.#settings;
    return this.#withRetries(endpoint, () => readChat(endpoint, account, { signal, turn: () => this.turn() }));
  }

  async #withRetries<Result>(what: string, send: () => Promise<Result>): Promise<Result> {
    let limited = 0;
    for (let tries = 1; ; ) {
      try {
        return await send();
      } catch (error) {
        this.#settings.signal.throwIfAborted();
        if (error instanceof Unavailable && error.status === 429) {
          if (++limited > MAX_RATE_LIMITED)
            throw new MigrationError(`${what}: still 429 after ${MAX_RATE_LIMITED} retries`);
          await this.#wait(Math.max(error.waitMs, SECOND / this.#settings.rate));
          continue;
        }
        if (!isTransient(error)) throw error;
        if (tries === MAX_TRIES) {
          throw new MigrationError(`${what}: ${reasonOf(error)}, ${MAX_TRIES} times`);
        }
        const requested = error instanceof Unavailable ? error.waitMs : 0;
        await this.#wait(Math.max(requested, Math.min(MIN_RETRY_DELAY_MS * 2 ** (tries - 1), MAX_RETRY_DELAY_MS)));
        tries++;
      }
    }
  }

  async #send({ method = 'GET', path, query, headers, body }: SourceRequest, timeout: number): Promise<Response> {
    await this.turn();
    const { baseUrl, signal } = this.#settings;
    const parameters = Object.entries(query ?? {}).map(([name, value]): [string, string] => [name, String(value)]);
    const search = query ? `?${new URLSearchParams(parameters)}` : '';
    const response = await fetch(`${baseUrl}${path}${search}`, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { 'Content-Type': 'application/x-www-form-urlencoded' }) },
      ...(body === undefined ? {} : { body }),
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeout)]),
    });
    this.#applyHeaders(response.headers);
    const { status } = response;
    if (status >= 300 && status < 400) {
      await response.body?.cancel();
      throw new Redirected(`${method} ${path}: redirects are not followed`);
    }
    if (status === 429 || TRANSIENT.has(status)) {
      await response.body?.cancel();
      throw new Unavailable(status, retryAfter(response.headers));
    }
    return response;
  }

  /** Keeps the rate of requests. */
  async turn(): Promise<void> {
    this.requests++;
    const wait = this.#nextAt - performance.now();
    if (wait > 0) await this.#wait(wait);
    this.#nextAt = performance.now() + SECOND / this.#settings.rate;
  }

  /** Waits until a used-up quota resets, instead of provoking a 429. */
  #applyHeaders(headers: Headers): void {
    const date = Date.parse(headers.get('date') ?? '');
    if (Number.isFinite(date)) this.#clockAhead = date - Date.now();
    const header = headers.get('ratelimit') ?? '';
    const remaining = /\br=(\d{1,9})\b/.exec(header)?.[1];
    const reset = /\bt=(\d{1,9})\b/.exec(header)?.[1];
    if (remaining !== undefined && Number(remaining) === 0 && reset !== undefined) {
      this.#nextAt = Math.max(this.#nextAt, performance.now() + Math.min(Number(reset) * SECOND, HOUR));
    }
  }

  async #wait(milliseconds: number): Promise<void> {
    await sleep(milliseconds, undefined, { signal: this.#settings.signal });
  }
}

/** A response after which the request is repeated. */
class Unavailable extends Error {
  readonly status: number;
  readonly waitMs: number;

  constructor(status: number, waitMs: number) {
    super(String(status));
    this.status = status;
    this.waitMs = waitMs;
  }
}

class Redirected extends MigrationError {}

/** At most one hour. */
function retryAfter(headers: Headers): number {
  const header = headers.get('retry-after') ?? '';
  const wait = /^\d{1,9}$/.test(header) ? Number(header) * SECOND : Date.parse(header) - Date.now();
  return Number.isFinite(wait) ? Math.min(Math.max(wait, 0), HOUR) : 0;
}

function isTransient(error: unknown): boolean {
  if (error instanceof MigrationError || error instanceof FileUnavailable) return false;
  if (error instanceof Unavailable || error instanceof ChatUnavailable) return true;
  const { name, cause } = error as Error;
  return name === 'TimeoutError' || error instanceof TypeError || (cause instanceof Error && 'code' in cause);
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? cause.message : message;
}

function nameOf({ method = 'GET', path }: SourceRequest): string {
  return `${method} ${path}`;
}

async function readText(response: Response, request: SourceRequest): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += part.length;
    if (size > MAX_JSON_BYTES)
      throw new MigrationError(`${nameOf(request)}: the response exceeds ${MAX_JSON_BYTES} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

/** Replaces NUL and lone surrogates by U+FFFD, because PostgreSQL cannot store them. */
function parse(text: string, request: SourceRequest): unknown {
  try {
    return JSON.parse(text, (_key, value) =>
      typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '\uFFFD') : value,
    );
  } catch {
    throw new MigrationError(`${nameOf(request)}: the response is not valid JSON`);
  }
}
