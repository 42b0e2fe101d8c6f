import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { type ByteRange, readRange } from '../../lib/byte-ranges.ts';
import type { ServedFile } from '../../resolvers/files/content.ts';
import { contentDisposition } from './content-disposition.ts';

/** How much of a file a request gets. */
export interface Portion {
  status: 200 | 206 | 416;
  range?: ByteRange;
  headers: Record<string, string>;
}

/**
 * What of a file a request asks for, and the headers that say so. Only `GET` knows ranges, and since there
 * is nothing that `If-Range` could name, it asks for the whole file.
 */
export function portionOf({ name, contentType, size }: ServedFile, { method, headers }: IncomingMessage): Portion {
  const asked = method === 'GET' && headers['if-range'] === undefined ? headers.range : undefined;
  const range = readRange(asked, size);
  if (range === 'outside') return { status: 416, headers: { 'Content-Range': `bytes */${size}` } };

  const about = {
    'Content-Type': contentType,
    'Content-Disposition': contentDisposition(name, contentType),
    'Content-Security-Policy': 'sandbox',
    'Accept-Ranges': 'bytes',
  };
  if (!range) return { status: 200, headers: { ...about, 'Content-Length': String(size) } };
  const { start, end } = range;
  const place = { 'Content-Range': `bytes ${start}-${end}/${size}`, 'Content-Length': String(end - start + 1) };
  return { status: 206, range, headers: { ...about, ...place } };
}

/**
 * Sends a portion no faster than the client takes it. Once it has begun, a client that goes away only ends it.
 * @throws {NotFoundError} the file has just been deleted; nothing has been sent then
 */
export async function sendPortion(
  { content }: ServedFile,
  { status, range, headers }: Portion,
  { request, response, more }: { request: IncomingMessage; response: ServerResponse; more: Record<string, string> },
): Promise<void> {
  if (request.method === 'HEAD') {
    response.writeHead(status, { ...more, ...headers }).end();
    return;
  }
  const stream = await content.open(range);
  response.writeHead(status, { ...more, ...headers });
  await pipeline(stream, response);
}
