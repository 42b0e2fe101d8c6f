import type { IncomingMessage } from 'node:http';
import type { Writable } from 'node:stream';
import { malformed } from '../../lib/bracket-keys.ts';
import { bodyTooLarge } from '../../lib/errors.ts';

/** What a refused body may still send before its connection is cut. */
const MAX_DISCARDED_BYTES = 16 * 1024 * 1024;
/** How long the answer waits for the rest of a refused body, where the connection closes right behind it. */
const LINGER_MILLISECONDS = 500;

const NO_BYTES = Buffer.alloc(0);

/**
 * The body of a request; empty when it has none.
 *
 * After a 413 the rest of the body is read and thrown away in the background, so the caller just answers, at once and
 * without `Connection: close`: a client still sending would lose the answer with the connection.
 * @throws {BadInputError} 413 above `maxBytes`; 400 broken off
 * @throws the reason of the signal
 */
export async function readBody(request: IncomingMessage, maxBytes: number, target: Watched = {}): Promise<Buffer> {
  if (!hasBody(request)) return NO_BYTES;
  const { signal, onChunk } = target;
  const chunks: Buffer[] = [];
  const take = (chunk: Buffer) => {
    chunks.push(chunk);
    onChunk?.(chunk);
  };
  try {
    await takeBody(request, { maxBytes, take, ...(signal && { signal }) });
    return Buffer.concat(chunks);
  } finally {
    chunks.length = 0; // the listeners of a refused request hold them until it ends
  }
}

/** What somebody else has to do with a body that is read. */
interface Watched {
  /** Refuses what has not arrived yet. */
  signal?: AbortSignal;
  onChunk?: (chunk: Buffer) => void;
}

/**
 * Writes the body of a request to `target`, no faster than it takes it, and then ends it. A target that fails, or says
 * by `signal` that it wants no more, refuses the rest of the body as a 413 does.
 * @throws {BadInputError} 413 above `maxBytes`; 400 broken off
 * @throws the reason of the signal
 */
export async function pipeBody(
  request: IncomingMessage,
  target: Writable,
  { maxBytes, signal }: { maxBytes: number; signal: AbortSignal },
): Promise<void> {
  const take = (chunk: Buffer) => {
    if (target.write(chunk)) return;
    request.pause();
    target.once('drain', () => request.resume());
  };
  await takeBody(request, { maxBytes, take, signal });
  target.end();
}

/** Throws a body away that nobody wants, in the background, as after a 413. Once it resolves, the caller just answers. */
export async function discardBody(request: IncomingMessage, maxBytes: number): Promise<void> {
  if (request.readableEnded || request.destroyed) return;
  const signal = AbortSignal.abort();
  await takeBody(request, { maxBytes, take: () => {}, signal }).catch(() => {});
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

interface Taker {
  maxBytes: number;
  take: (chunk: Buffer) => void;
  /** Refuses what has not come yet. */
  signal?: AbortSignal;
}

/** Every chunk of the body, in order. A refused body is read on, within bounds, and nobody gets it. */
function takeBody(request: IncomingMessage, { maxBytes, take, signal }: Taker): Promise<void> {
  return new Promise((resolve, reject) => {
    let bytes = 0;
    let refusal: unknown;

    const refuse = (reason: unknown) => {
      if (refusal !== undefined) return;
      refusal = reason;
      if (staysOpen(request)) reject(reason);
      else setTimeout(() => reject(reason), LINGER_MILLISECONDS).unref();
      request.resume();
    };

    // A client that goes away emits an error, or only closes; after `end` neither matters.
    request.on('error', () => reject(malformed()));
    request.on('close', () => {
      if (!request.readableEnded) reject(malformed());
    });
    if (request.destroyed) return reject(malformed());
    if (Number(request.headers['content-length']) > maxBytes) refuse(bodyTooLarge());
    if (signal?.aborted) refuse(signal.reason);
    signal?.addEventListener('abort', () => refuse(signal.reason), { once: true });

    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxBytes) refuse(bodyTooLarge());
      if (refusal === undefined) take(chunk);
      if (bytes > maxBytes + MAX_DISCARDED_BYTES) {
        reject(refusal);
        request.pause();
        // Leaves the caller a turn to write its answer, which goes out before the connection is cut.
        setImmediate(() => request.socket.destroySoon());
      }
    });
    request.on('end', () => (refusal === undefined ? resolve() : reject(refusal)));
  });
}

/** Node closes other connections right after the answer, and bytes still arriving then reset them. */
function staysOpen({ headers, httpVersion }: IncomingMessage): boolean {
  return httpVersion === '1.1' && headers.connection?.toLowerCase() !== 'close';
}
