import type { IncomingMessage } from 'node:http';
import { malformed } from '../../lib/bracket-keys.ts';
import { ServiceUnavailableError } from '../../lib/errors.ts';
import { SECOND } from '../../lib/time.ts';
import { readBody } from './request-body.ts';

export const SMALL_BODY_BYTES = 16 * 1024;
const MAX_PENDING_BYTES = 32 * 1024 * 1024;
const MAX_ARRIVAL_MS = 30 * SECOND;

let pendingBytes = 0;

/** A body of unknown length is read first, because a malformed one would otherwise cause two responses. */
export function isLargeBody({ headers }: IncomingMessage): boolean {
  return Number(headers['content-length'] ?? 0) > SMALL_BODY_BYTES;
}

/**
 * Limits the duration, and the total of such bodies. @throws {BadInputError} 413 above `maxBytes`; 400 if too slow
 * @throws {ServiceUnavailableError} too many such bodies are arriving
 */
export async function readUnauthenticatedBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const refused = new AbortController();
  const timer = setTimeout(() => refused.abort(malformed()), MAX_ARRIVAL_MS).unref();
  let bytes = 0;
  let pending = 0;
  const onChunk = (chunk: Buffer) => {
    bytes += chunk.length;
    const beyondSmall = Math.max(0, bytes - SMALL_BODY_BYTES) - pending;
    pending += beyondSmall;
    pendingBytes += beyondSmall;
    if (beyondSmall > 0 && pendingBytes > MAX_PENDING_BYTES) refused.abort(new ServiceUnavailableError());
  };
  try {
    return await readBody(request, maxBytes, { signal: refused.signal, onChunk });
  } finally {
    clearTimeout(timer);
    pendingBytes -= pending;
  }
}
