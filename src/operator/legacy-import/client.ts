import { isIP } from 'node:net';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { setTimeout as sleep } from 'node:timers/promises';
import { HOUR, MINUTE, SECOND } from '../../lib/time.ts';
import { withoutTrailingSlashes } from '../../lib/trailing-slashes.ts';
import { MigrationError } from './problem.ts';

/** Longest answer in JSON: a page of records that are as large as they may be, and then some. */
const MAX_JSON_BYTES = 64 * 1024 * 1024;

/** How often a request is made that fails for reasons that pass. */
const MAX_TRIES = 8;
/** How often in a row the other server may say that we ask too much. */
const MAX_REFUSALS = 30;
const MIN_RETRY_DELAY_MS = SECOND / 4;
const MAX_RETRY_DELAY_MS = 30 * SECOND;
const JSON_TIMEOUT_MS = 2 * MINUTE;
const FILE_TIMEOUT_MS = HOUR;

/** Statuses of failures that pass. */
const PASSING = new Set([408, 425, 500, 502, 503, 504]);

/** The other server has understood and refused. */
export class SourceRefusal extends MigrationError {
  readonly status: number;

  constructor(what: string, status: number, body: string) {
    super(`${what}: ${status} ${body.slice(0, 200)}`);
    this.status = status;
  }
}

/** A file that can't be had; the migration goes on without it. */
export class FileUnavailable extends Error {}

export interface ClientSettings {
  /** Without trailing slash. */
  baseUrl: string;
  /** Requests in a second. */
  rate: number;
  /** Ends waiting and whatever is under way. */
  signal: AbortSignal;
}

export interface SourceRequest {
  method?: 'GET' | 'POST';
  path: string;
  query?: Record<string, string | number>;
  headers: Record<string, string>;
  /** A form. */
  body?: string;
}

/**
 * The address of the other server, without trailing slash.
 * @throws {MigrationError} it is none, or would send secrets over the network unencrypted
 */
export function checkedBaseUrl(text: string, { insecure }: { insecure: boolean }): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url && !url.search && !url.hash && !url.username && !url.password;
  if (!isPlain || !/^https?:$/.test(url.protocol)) throw new MigrationError('the address should be https://<host>');
  if (url.protocol === 'http:' && !insecure && !isLoopback(url.hostname)) {
    throw new MigrationError('the address should begin with https, or --insecure sends credentials unencrypted');
  }
  return withoutTrailingSlashes(url.href);
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || (isIP(host) === 4 && host.startsWith('127.'));
}

/**
 * Asks the other server one thing after the other, at most so many times a second, and waits as long as it says. What
 * fails for reasons that pass is asked again; redirects are never followed, as they would take the credentials along.
 */
export class SourceClient {
  readonly #settings: ClientSettings;
  #nextAt = 0;
  /** The other server's clock, as far as it tells, minus ours. */
  #clockAhead = 0;
  requests = 0;

  constructor(settings: ClientSettings) {
    this.#settings = settings;
  }

  /** The moment by the other server's clock. */
  now(): Date {
    return new Date(Date.now() + this.#clockAhead);
  }

  /**
   * @returns what the answer holds
   * @throws {SourceRefusal} a status that says no
   * @throws {MigrationError} no such answer, after all tries
   */
  json(request: SourceRequest): Promise<unknown> {
    return this.#patiently(request, async () => {
      const response = await this.#send(request, JSON_TIMEOUT_MS);
      const text = await readText(response, request);
      if (!response.ok) throw new SourceRefusal(nameOf(request), response.status, text);
      const type = response.headers.get('content-type') ?? 'no type';
      if (!/^application\/json\b/.test(type)) {
        throw new MigrationError(`${nameOf(request)}: the answer is no JSON but ${type.slice(0, 100)}`);
      }
      return parse(text, request);
    });
  }

  /** @throws {FileUnavailable} it isn't served here, or not to us */
  file<Result>(request: SourceRequest, use: (stream: Readable) => Promise<Result>): Promise<Result> {
    return this.#patiently(request, async () => {
      const response = await this.#send(request, FILE_TIMEOUT_MS).catch((error) => {
        throw error instanceof Redirected ? new FileUnavailable(error.message) : error;
      });
      if (!response.ok || !response.body) {
        await response.body?.cancel();
        throw new FileUnavailable(`${nameOf(request)}: ${response.status}`);
      }
      const stream = Readable.fromWeb(response.body as ReadableStream);
      // It may break off before anybody reads it, and unheard that would end the process.
      let brokenOff: Error | undefined;
      stream.on('error', (error) => {
        brokenOff = error;
      });
      try {
        return await use(stream);
      } catch (error) {
        throw brokenOff ?? error;
      } finally {
        stream.destroy();
      }
    });
  }

  async #patiently<Result>(request: SourceRequest, ask: () => Promise<Result>): Promise<Result> {
    let refusals = 0;
    for (let tries = 1; ; ) {
      try {
        return await ask();
      } catch (error) {
        this.#settings.signal.throwIfAborted();
        if (error instanceof TooManyRequests) {
          if (++refusals > MAX_REFUSALS) throw new MigrationError(`${nameOf(request)}: 429 again and again`);
          await this.#wait(error.waitFor);
          continue;
        }
        if (!isPassing(error)) throw error;
        if (tries === MAX_TRIES) {
          throw new MigrationError(`${nameOf(request)}: ${reasonOf(error)}, ${MAX_TRIES} times`);
        }
        const asked = error instanceof Unavailable ? error.waitFor : 0;
        await this.#wait(Math.max(asked, Math.min(MIN_RETRY_DELAY_MS * 2 ** (tries - 1), MAX_RETRY_DELAY_MS)));
        tries++;
      }
    }
  }

  async #send({ method = 'GET', path, query, headers, body }: SourceRequest, timeout: number): Promise<Response> {
    await this.#turn();
    const { baseUrl, signal } = this.#settings;
    const search = query ? `?${new URLSearchParams(Object.entries(query).map(([k, v]) => [k, String(v)]))}` : '';
    const response = await fetch(`${baseUrl}${path}${search}`, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { 'Content-Type': 'application/x-www-form-urlencoded' }) },
      ...(body === undefined ? {} : { body }),
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeout)]),
    });
    this.#heed(response.headers);
    const { status } = response;
    if (status >= 300 && status < 400) {
      await response.body?.cancel();
      throw new Redirected(`${method} ${path}: a redirect, which is not followed`);
    }
    if (status === 429 || PASSING.has(status)) {
      await response.body?.cancel();
      const waitFor = retryAfter(response.headers);
      throw status === 429
        ? new TooManyRequests(Math.max(waitFor, SECOND / this.#settings.rate))
        : new Unavailable(String(status), waitFor);
    }
    return response;
  }

  /** Waits until the rate allows another request. */
  async #turn(): Promise<void> {
    this.requests++;
    const wait = this.#nextAt - performance.now();
    if (wait > 0) await this.#wait(wait);
    this.#nextAt = performance.now() + SECOND / this.#settings.rate;
  }

  /** Whoever has used up a quota waits for the next one, instead of being refused. */
  #heed(headers: Headers): void {
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

class TooManyRequests extends Error {
  readonly waitFor: number;

  constructor(waitFor: number) {
    super('429');
    this.waitFor = waitFor;
  }
}

class Unavailable extends Error {
  readonly waitFor: number;

  constructor(message: string, waitFor: number) {
    super(message);
    this.waitFor = waitFor;
  }
}

class Redirected extends MigrationError {}

/** Milliseconds, of a number of seconds or a date; an hour at most. */
function retryAfter(headers: Headers): number {
  const header = headers.get('retry-after') ?? '';
  const wait = /^\d{1,9}$/.test(header) ? Number(header) * SECOND : Date.parse(header) - Date.now();
  return Number.isFinite(wait) ? Math.min(Math.max(wait, 0), HOUR) : 0;
}

/** Connections that fail or break off, timeouts, and statuses that say so. */
function isPassing(error: unknown): boolean {
  if (error instanceof MigrationError || error instanceof FileUnavailable) return false;
  if (error instanceof Unavailable) return true;
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
    if (size > MAX_JSON_BYTES) throw new MigrationError(`${nameOf(request)}: the answer is too large`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

/** What PostgreSQL can't keep becomes what it can: NUL and half characters are U+FFFD. */
function parse(text: string, request: SourceRequest): unknown {
  try {
    return JSON.parse(text, (_key, value) =>
      typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '\uFFFD') : value,
    );
  } catch {
    throw new MigrationError(`${nameOf(request)}: the answer is no JSON`);
  }
}
