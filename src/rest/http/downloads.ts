import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { lanes } from '../../db/lanes.ts';
import { type ByteRange, readRange } from '../../lib/byte-ranges.ts';
import { headerType } from '../../lib/header-type.ts';
import type { FairnessPath } from '../../lib/semaphore.ts';
import type { ServedFile } from '../../resolvers/files/served-file.ts';
import { contentDisposition } from './content-disposition.ts';
import { addHeaders, type HeaderList } from './headers.ts';

export interface DownloadTarget {
  request: IncomingMessage;
  response: ServerResponse;
  /** Whose downloads take turns. */
  owner: FairnessPath;
  more: HeaderList;
}

export interface Portion {
  status: 200 | 206 | 416;
  range?: ByteRange;
  headers: Record<string, string>;
}

/** Headers of a download by ticket, which is not part of the legacy contract. No copy may outlive the ticket. */
const WITH_TICKET = { 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' };

/** A request with `If-Range` receives the complete file, because files have no validators. */
export function portionOf({ name, contentType, size }: ServedFile, request: IncomingMessage): Portion {
  const { method, headers, url = '' } = request;
  const requested = method === 'GET' && headers['if-range'] === undefined ? headers.range : undefined;
  const range = readRange(requested, size);
  if (range === 'outside') return { status: 416, headers: { 'Content-Range': `bytes */${size}` } };

  const common = {
    'Content-Type': headerType(contentType),
    'Content-Disposition': contentDisposition(name, contentType),
    'Content-Security-Policy': 'sandbox',
    ...(/[?&]ticket=/.test(url) && WITH_TICKET),
    'Accept-Ranges': 'bytes',
  };
  if (!range) return { status: 200, headers: { ...common, 'Content-Length': String(size) } };
  const { start, end } = range;
  const part = { 'Content-Range': `bytes ${start}-${end}/${size}`, 'Content-Length': String(end - start + 1) };
  return { status: 206, range, headers: { ...common, ...part } };
}

/** @throws {NotFoundError} {RateLimitedError} before anything was sent */
export async function sendPortion(
  { content }: ServedFile,
  { status, range, headers }: Portion,
  { request, response, owner, more }: DownloadTarget,
): Promise<void> {
  if (request.method === 'HEAD') {
    response.writeHead(status, addHeaders(more, headers)).end();
    return;
  }
  const send = async () => {
    if (response.closed) return;
    const stream = await content.open(range);
    try {
      response.writeHead(status, addHeaders(more, headers));
      await pipeline(stream, response);
    } finally {
      stream.destroy(); // an open one occupies a connection to the storage
    }
  };
  await lanes.downloads.run(send, owner);
}
