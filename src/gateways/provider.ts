import { z } from 'zod';
import { SECOND } from '../lib/time.ts';
import { withoutTrailingSlashes } from '../lib/trailing-slashes.ts';
import { traced } from '../server/observability/tracing.ts';

/** What the identity providers have in common: how their settings, keys and names look, and how they are asked. */

/** A provider has to answer, to the last byte, within this time. */
const REQUEST_TIMEOUT_MS = 5 * SECOND;

/** The longest answer that is read, after decompression. */
const MAX_ANSWER_BYTES = 64 * 1024;

/** An id, key or secret the provider gave the application. */
export const settingText = z.string().regex(/^[!-~]{1,255}$/, 'should be 1–255 printable characters without blanks');

/** Where the provider is; plain http only where the operator says so. Nothing a user sends changes it. */
export const endpointSetting = z
  .url({ protocol: /^https?$/ })
  .max(2000)
  .refine((url) => !/^https?:\/\/[^/?#]*@/i.test(url), 'should hold no user and password');

/** The provider does not vouch for who signs in; the message is for the log, and never holds anything the user sent. */
export class IdentityRefusedError extends Error {}

/** The provider could not be asked, or gave no sensible answer; the message never holds anything the user sent. */
export class ProviderUnavailableError extends Error {}

/** What the provider answered; `body` is undefined unless the status is 200. */
export interface ProviderAnswer {
  status: number;
  body: unknown;
}

/**
 * Asks a provider for JSON. Redirects are not followed: an answer counts only from the address that was set.
 * @throws {ProviderUnavailableError} no answer in time, a redirect, a fault, a huge answer, or one that is no JSON
 */
export function askProvider(url: URL, headers: Record<string, string> = {}): Promise<ProviderAnswer> {
  // Paths and queries hold tokens.
  const attributes = { 'server.address': url.hostname, 'http.request.method': 'GET' };
  return traced('ask provider', { kind: 'client', attributes }, () => ask(url, headers));
}

async function ask(url: URL, headers: Record<string, string>): Promise<ProviderAnswer> {
  try {
    const response = await fetch(url, {
      headers: { Accept: 'application/json', ...headers },
      redirect: 'manual',
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    const { status } = response;
    if (status === 200) return { status, body: JSON.parse(await boundedText(response)) };
    await response.body?.cancel();
    if (status < 400 || status === 429 || status >= 500) throw new ProviderUnavailableError(`it answered ${status}`);
    return { status, body: undefined };
  } catch (error) {
    throw error instanceof ProviderUnavailableError ? error : new ProviderUnavailableError(failureOf(error));
  }
}

/** `https://host/base` and `/path` → `https://host/base/path`; a query of the endpoint is dropped. */
export function addressBelow(endpoint: string, path: string): URL {
  const url = new URL(endpoint);
  url.pathname = withoutTrailingSlashes(url.pathname) + path;
  url.search = '';
  return url;
}

/**
 * A token or secret as the client sent it.
 * @throws {IdentityRefusedError} it is missing, or can't be one
 */
export function requireKey(text: string | undefined): string {
  if (text === undefined || !/^[!-~]{1,4096}$/.test(text))
    throw new IdentityRefusedError('a key is missing or malformed');
  return text;
}

/** A user's id at the provider: 1–20 digits. */
export const providerIdText = z.string().regex(/^[0-9]{1,20}$/);

/** A name as a user's `full_name` can hold it: no control characters, at most 255; undefined and empty are null. */
export function nameOf(name: unknown): string | null {
  if (typeof name !== 'string') return null;
  const readable = name.toWellFormed().replace(/\p{Cc}+/gu, ' ');
  // What the cut leaves of a character beyond 16 bits goes too.
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
    // Leaving the loop closes the connection.
    if (size > MAX_ANSWER_BYTES) throw new ProviderUnavailableError(`it answered more than ${MAX_ANSWER_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Why a request failed, in words that can be logged: addresses and answers hold tokens, so no message is repeated. */
function failureOf(error: unknown): string {
  if (error instanceof SyntaxError) return 'it answered no JSON';
  const { name, cause } = error as { name?: string; cause?: { code?: unknown } };
  if (name === 'TimeoutError') return `it did not answer within ${REQUEST_TIMEOUT_MS / SECOND} s`;
  return typeof cause?.code === 'string' ? `the request failed: ${cause.code}` : 'the request failed';
}
