import type { IncomingMessage } from 'node:http';
import { Busboy, type BusboyConfig, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy';
import {
  MAX_KEYS,
  malformed,
  mergeParameters,
  type Parameters,
  parametersOf,
  parseForm,
  parseJson,
  parseQuery,
  tooComplex,
} from '../../lib/bracket-keys.ts';
import { BadInputError } from '../../lib/errors.ts';
import { readBody } from '../../platform/http/request-body.ts';
import { readUnauthenticatedBody } from '../../platform/http/unauthenticated-body.ts';

/** Parts cost much more to parse than keys of a form, and signing in needs few. */
const MAX_UNAUTHENTICATED_PARTS = 1_000;

export interface BodyLimits {
  maxBytes: number;
  /** Keys or parts of the body. */
  maxKeys?: number;
}

/**
 * The body takes precedence over the query. Without credentials, a multipart body may have 1,000 parts.
 * @throws {BadInputError} 413 above `maxBytes`; 415 content type or encoding; 400 malformed, too complex or incomplete
 */
export async function readParameters(
  request: IncomingMessage,
  { maxBytes, maxKeys = MAX_KEYS }: BodyLimits,
  isAuthenticated = true,
): Promise<Parameters> {
  const body = await (isAuthenticated ? readBody : readUnauthenticatedBody)(request, maxBytes);
  const maxParts = isAuthenticated ? maxKeys : Math.min(maxKeys, MAX_UNAUTHENTICATED_PARTS);
  const query = parseQuery(queryText(request.url ?? ''));
  return body.length === 0
    ? query
    : mergeParameters(query, await parseBody(body, request.headers, { maxKeys, maxParts }));
}

export function queryText(url: string): string {
  const start = url.indexOf('?');
  return start === -1 ? '' : url.slice(start + 1);
}

async function parseBody(
  body: Buffer,
  headers: IncomingMessage['headers'],
  { maxKeys, maxParts }: { maxKeys: number; maxParts: number },
): Promise<Parameters> {
  if ((headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity') throw unsupported();

  const contentType = headers['content-type'] ?? '';
  switch (mediaType(contentType)) {
    case 'application/json':
      return parseJson(decodeUtf8(body), maxKeys);
    case 'application/x-www-form-urlencoded':
      return parseForm(decodeUtf8(body), maxKeys);
    case 'multipart/form-data':
      return parametersOf(await readTextParts(body, contentType, maxParts), maxKeys);
    case '': {
      const text = decodeUtf8(body);
      return text.trimStart().startsWith('{') ? parseJson(text, maxKeys) : parseForm(text, maxKeys);
    }
    default:
      throw unsupported();
  }
}

export function mediaType(contentType: string): string {
  const end = contentType.indexOf(';');
  return (end === -1 ? contentType : contentType.slice(0, end)).trim().toLowerCase();
}

export const unsupported = () => new BadInputError('CONTENT_TYPE_UNSUPPORTED', 415);

const SLICE_BYTES = 4 * 1024;

/** Stops parsing at the first error, so that excess parts cost nothing. @throws {BadInputError} */
function readTextParts(body: Buffer, contentType: string, maxParts: number): Promise<[name: string, text: string][]> {
  return new Promise((resolve, reject) => {
    const parts: { name: string; chunks: Buffer[] }[] = [];
    const busboy = openBusboy(contentType, { parts: maxParts });

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
    busboy.on('partsLimit', () => {
      reject(tooComplex());
      busboy.destroy();
    });
    busboy.on('error', () => reject(malformed()));
    busboy.on('finish', () => {
      try {
        resolve(parts.map(({ name, chunks }) => [name, decodeUtf8(Buffer.concat(chunks))]));
      } catch (error) {
        reject(error);
      }
    });
    for (let start = 0; start < body.length && !busboy.destroyed; start += SLICE_BYTES) {
      busboy.write(body.subarray(start, start + SLICE_BYTES));
    }
    if (!busboy.destroyed) busboy.end();
  });
}

const BUFFERED_BYTES = 256 * 1024;

/** Treats every part as bytes, because the decoding of Busboy hides invalid UTF-8. */
export function openBusboy(contentType: string, limits: BusboyConfig['limits'] = {}): BusboyInstance {
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      isPartAFile: () => true,
      fileHwm: BUFFERED_BYTES,
      limits,
    });
  } catch {
    throw malformed();
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

export function decodeUtf8(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw malformed();
  }
}
