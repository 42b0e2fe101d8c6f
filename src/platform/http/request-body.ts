import type { IncomingMessage } from 'node:http';
import type { Writable } from 'node:stream';
import { malformed } from '../../lib/bracket-keys.ts';
import { bodyTooLarge } from '../../lib/errors.ts';

/** Discarded bytes of a refused body until the connection is closed. */
const MAX_DISCARDED_BYTES = 16 * 1024 * 1024;
/** Delays the response to a refused body, so that the rest can arrive before the connection closes. */
const LINGER_MS = 500;

const NO_BYTES = Buffer.alloc(0);

/**
 * After a 413 the rest is discarded in the background. Respond immediately and without `Connection: close`, because a
 * client that is still sending would lose the response with the connection.
 * @throws {BadInputError} 413 above `maxBytes`; 400 if incomplete
 * @throws the reason of the signal
 */
export async function readBody(request: IncomingMessage, maxBytes: number, target: BodyObserver = {}): Promise<Buffer> {
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
    chunks.length = 0; // listeners of a refused request would keep them in memory until it ends
  }
}

interface BodyObserver {
  signal?: AbortSignal;
  onChunk?: (chunk: Buffer) => void;
}

/** Ends `target`. After `signal` aborts, the rest of the body is refused as after a 413. @throws as `readBody` */
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

/** Respond when it resolves. */
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
  signal?: AbortSignal;
}

function takeBody(request: IncomingMessage, { maxBytes, take, signal }: Taker): Promise<void> {
  return new Promise((resolve, reject) => {
    let bytes = 0;
    let refusal: unknown;

    const refuse = (reason: unknown) => {
      if (refusal !== undefined) return;
      refusal = reason;
      if (staysOpen(request)) reject(reason);
      else setTimeout(() => reject(reason), LINGER_MS).unref();
      request.resume();
    };

    // A client that disconnects causes an error or only a close; after `end` neither matters.
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
        // The caller writes its response before the connection closes.
        setImmediate(() => request.socket.destroySoon());
      }
    });
    request.on('end', () => (refusal === undefined ? resolve() : reject(refusal)));
  });
}

/** Node closes other connections right after the response, and bytes that still arrive would reset them. */
function staysOpen({ headers, httpVersion }: IncomingMessage): boolean {
  return httpVersion === '1.1' && headers.connection?.toLowerCase() !== 'close';
}
