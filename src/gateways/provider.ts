import { z } from 'zod';
import { SECOND } from '../lib/time.ts';
import { withoutTrailingSlashes } from '../lib/trailing-slashes.ts';
import { traced } from '../platform/observability/tracing.ts';

/** Includes the last byte of the response. */
const REQUEST_TIMEOUT_MS = 5 * SECOND;

const MAX_RESPONSE_BYTES = 64 * 1024;

export const settingText = z.string().regex(/^[!-~]{1,255}$/, 'should be 1–255 printable characters without spaces');

/** Plain http is allowed, because only the operator sets it. */
export const endpointSetting = z
  .url({ protocol: /^https?$/ })
  .max(2000)
  .refine((url) => !/^https?:\/\/[^/?#]*@/i.test(url), 'should not contain a user or password');

/** The message is logged, so it never contains user input. */
export class IdentityRefusedError extends Error {}

/** The message is logged, so it never contains user input. */
export class ProviderUnavailableError extends Error {}

export interface ProviderResponse {
  status: number;
  body: unknown;
}

/**
 * Follows no redirects, because only the configured address is trusted.
 * @throws {ProviderUnavailableError} no response in time, a redirect, a server error, or not JSON of a bounded size
 */
export function askProvider(url: URL, headers: Record<string, string> = {}): Promise<ProviderResponse> {
  // Without the path and query, because they contain tokens.
  const attributes = { 'server.address': url.hostname, 'http.request.method': 'GET' };
  return traced('ask provider', { kind: 'client', attributes }, () => ask(url, headers));
}

async function ask(url: URL, headers: Record<string, string>): Promise<ProviderResponse> {
  try {
    const response = await fetch(url, {
      headers: { Accept: 'application/json', ...headers },
      redirect: 'manual',
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    const { status } = response;
    if (status === 200) return { status, body: JSON.parse(await boundedText(response)) };
    await response.body?.cancel();
    if (status < 400 || status === 429 || status >= 500) throw new ProviderUnavailableError(`responded with ${status}`);
    return { status, body: undefined };
  } catch (error) {
    throw error instanceof ProviderUnavailableError ? error : new ProviderUnavailableError(failureOf(error));
  }
}

/** `https://host/base` and `/path` → `https://host/base/path`; drops the endpoint's query. */
export function addressBelow(endpoint: string, path: string): URL {
  const url = new URL(endpoint);
  url.pathname = withoutTrailingSlashes(url.pathname) + path;
  url.search = '';
  return url;
}

export function requireKey(text: string | undefined): string {
  if (text === undefined || !/^[!-~]{1,4096}$/.test(text))
    throw new IdentityRefusedError('a key is missing or malformed');
  return text;
}

export const providerIdText = z.string().regex(/^[0-9]{1,20}$/);

/** Meets the rules of `full_name`; null if empty. */
export function nameOf(name: unknown): string | null {
  if (typeof name !== 'string') return null;
  const readable = name.toWellFormed().replace(/\p{Cc}+/gu, ' ');
  // Because the cut may leave half of a surrogate pair.
  return (
    readable
      .trim()
      .slice(0, 255)
      .replace(/[\ud800-\udbff]$/, '')
      .trimEnd() || null
  );
}

async function boundedText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    // The throw cancels the body, so that the connection closes.
    if (size > MAX_RESPONSE_BYTES)
      throw new ProviderUnavailableError(`the response exceeds ${MAX_RESPONSE_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Never repeats an error message, because addresses and responses contain tokens. */
function failureOf(error: unknown): string {
  if (error instanceof SyntaxError) return 'the response is not JSON';
  const { name, cause } = error as { name?: string; cause?: { code?: unknown } };
  if (name === 'TimeoutError') return `no response within ${REQUEST_TIMEOUT_MS / SECOND} s`;
  return typeof cause?.code === 'string' ? `the request failed: ${cause.code}` : 'the request failed';
}
