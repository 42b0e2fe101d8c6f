import type { IncomingMessage } from 'node:http';
import { malformed } from '../../lib/bracket-keys.ts';
import { ServiceUnavailableError } from '../../lib/errors.ts';
import { SECOND } from '../../lib/time.ts';
import { readBody } from './request-body.ts';

/** A body of this size is read whoever sends it. */
export const SMALL_BODY_BYTES = 16 * 1024;
/** Bytes of larger bodies without credentials that arrive at the same time. */
const MAX_PENDING_BYTES = 32 * 1024 * 1024;
/** How long such a body may take to arrive. */
const MAX_ARRIVAL_MS = 30 * SECOND;

let pendingBytes = 0;

/**
 * Whether a body may be answered before it is there. One of unknown length is read first, within the bounds below: should
 * it be malformed, its request would have two answers otherwise.
 */
export function isLargeBody({ headers }: IncomingMessage): boolean {
  return Number(headers['content-length'] ?? 0) > SMALL_BODY_BYTES;
}

/**
 * Reads the body of a caller without valid credentials, which may be slow and come a thousand times.
 * @throws {BadInputError} 413 above `maxBytes`; 400 broken off, or not there in time
 * @throws {ServiceUnavailableError} too many such bodies arrive at the same time
 */
export async function readUnauthenticatedBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const refused = new AbortController();
  const late = setTimeout(() => refused.abort(malformed()), MAX_ARRIVAL_MS).unref();
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
    clearTimeout(late);
    pendingBytes -= pending;
  }
}
