import type { IncomingMessage } from 'node:http';
import { malformed } from '../lib/bracket-keys.ts';
import { BadInputError } from '../lib/errors.ts';

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
 */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return hasBody(request) ? readBytes(request, maxBytes) : NO_BYTES;
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function readBytes(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    let isRefused = false;

    const refuse = () => {
      isRefused = true;
      chunks.length = 0;
      if (staysOpen(request)) reject(tooLarge());
      else setTimeout(() => reject(tooLarge()), LINGER_MILLISECONDS).unref();
    };

    // A client that goes away emits an error, or only closes; after `end` neither matters.
    request.on('error', () => reject(malformed()));
    request.on('close', () => {
      if (!request.readableEnded) reject(malformed());
    });
    if (request.destroyed) return reject(malformed());
    if (Number(request.headers['content-length']) > maxBytes) refuse();

    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (!isRefused && bytes > maxBytes) refuse();
      if (!isRefused) chunks.push(chunk);
      if (bytes > maxBytes + MAX_DISCARDED_BYTES) {
        reject(tooLarge());
        request.pause();
        // Leaves the caller a turn to write its answer, which goes out before the connection is cut.
        setImmediate(() => request.socket.destroySoon());
      }
    });
    request.on('end', () => (isRefused ? reject(tooLarge()) : resolve(Buffer.concat(chunks))));
  });
}

/** Node closes other connections right after the answer, and bytes still arriving then reset them. */
function staysOpen({ headers, httpVersion }: IncomingMessage): boolean {
  return httpVersion === '1.1' && headers.connection?.toLowerCase() !== 'close';
}

const tooLarge = () => new BadInputError('Request body is too large', 413);
