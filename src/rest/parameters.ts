import type { IncomingMessage } from 'node:http';
import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy';
import {
  malformed,
  mergeParameters,
  type Parameters,
  parametersOf,
  parseForm,
  parseJson,
  parseQuery,
} from '../lib/bracket-keys.ts';
import { BadInputError } from '../lib/errors.ts';

/** What a refused body may still send before its connection is cut. */
const MAX_DISCARDED_BYTES = 16 * 1024 * 1024;
/** How long the answer waits for the rest of a refused body, where the connection closes right behind it. */
const LINGER_MILLISECONDS = 500;

/**
 * The union of query string and body, whatever the method; the body wins (gaps §1.2).
 *
 * After a 413 the rest of the body is read and thrown away in the background, so the caller just answers, at once and
 * without `Connection: close`: a client still sending would lose the answer with the connection.
 * @throws {BadInputError} 413 above `maxBytes`; 415 content type or encoding; 400 malformed, too complex, or broken off
 */
export async function readParameters(
  request: IncomingMessage,
  { maxBytes }: { maxBytes: number },
): Promise<Parameters> {
  const body = hasBody(request) ? await readBody(request, maxBytes) : NO_BYTES;
  const query = parseQuery(queryText(request.url ?? ''));
  return body.length === 0 ? query : mergeParameters(query, await parseBody(body, request.headers));
}

const NO_BYTES = Buffer.alloc(0);

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
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
    request.on('close', () => reject(malformed()));
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

function queryText(url: string): string {
  const start = url.indexOf('?');
  return start === -1 ? '' : url.slice(start + 1);
}

async function parseBody(body: Buffer, headers: IncomingMessage['headers']): Promise<Parameters> {
  if ((headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity') throw unsupported();

  const contentType = headers['content-type'] ?? '';
  switch (mediaType(contentType)) {
    case 'application/json':
      return parseJson(decodeUtf8(body));
    case 'application/x-www-form-urlencoded':
      return parseForm(decodeUtf8(body));
    case 'multipart/form-data':
      return parametersOf(await readTextParts(body, contentType));
    case '': {
      const text = decodeUtf8(body);
      return text.trimStart().startsWith('{') ? parseJson(text) : parseForm(text);
    }
    default:
      throw unsupported();
  }
}

/** `Application/JSON; charset=utf-8` → `application/json` */
function mediaType(contentType: string): string {
  const end = contentType.indexOf(';');
  return (end === -1 ? contentType : contentType.slice(0, end)).trim().toLowerCase();
}

const unsupported = () => new BadInputError('Unsupported content type', 415);

/** Name and text of each part that is no file, in the order sent. Every part ends by the time the promise settles. */
function readTextParts(body: Buffer, contentType: string): Promise<[name: string, text: string][]> {
  return new Promise((resolve, reject) => {
    const parts: { name: string; chunks: Buffer[] }[] = [];
    const busboy = openBusboy(contentType);

    busboy.on(
      'file',
      (name: string | undefined, stream: BusboyFileStream, filename?: string, _encoding?: string, type?: string) => {
        stream.on('error', () => reject(malformed()));
        if (name === undefined || filename !== undefined || type === 'application/octet-stream') return stream.resume();
        const chunks: Buffer[] = [];
        parts.push({ name, chunks });
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      },
    );
    busboy.on('error', () => reject(malformed()));
    busboy.on('finish', () => {
      try {
        resolve(parts.map(({ name, chunks }) => [name, decodeUtf8(Buffer.concat(chunks))]));
      } catch (error) {
        reject(error);
      }
    });
    busboy.end(body);
  });
}

/** Every part comes as bytes: the texts that Busboy decodes itself hide invalid UTF-8. */
function openBusboy(contentType: string): BusboyInstance {
  try {
    return new Busboy({ headers: { 'content-type': contentType }, isPartAFile: () => true });
  } catch {
    throw malformed();
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function decodeUtf8(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw malformed();
  }
}
