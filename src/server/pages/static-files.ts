import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Request, Response } from 'express';

/** Content codings of HTTP, the preferred one first. */
const CODINGS = ['br', 'gzip'] as const;

export interface StaticFile {
  type: string;
  bytes: Buffer;
  compressed: Record<(typeof CODINGS)[number], Buffer>;
  etag: string;
  headers: Record<string, string>;
}

/** Smaller than gzip in less time; higher qualities take ten times as long. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

export const HTML = 'text/html; charset=utf-8';
export const SCRIPT = 'text/javascript; charset=utf-8';
export const JSON_TYPE = 'application/json; charset=utf-8';
export const STYLE = 'text/css; charset=utf-8';

/** Browsers revalidate on each load, by ETag. */
const REVALIDATED = 'no-cache';
/** For files whose name contains a hash of their content. */
export const IMMUTABLE = { 'Cache-Control': 'public, max-age=31536000, immutable' };

/** @param brotli the compressed content, if the build has made it */
export async function served(
  type: string,
  content: string | Buffer,
  headers: Record<string, string> = {},
  brotli?: Buffer,
): Promise<StaticFile> {
  const bytes = Buffer.from(content);
  const etag = `W/"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
  const compressed = {
    br: brotli ?? (await promisify(brotliCompress)(bytes, BROTLI)),
    gzip: await promisify(gzip)(bytes),
  };
  return { type, bytes, compressed, etag, headers };
}

export function sendFile(request: Request, response: Response, file: StaticFile, status = 200): void {
  const { method, headers } = request;
  const common = {
    'Cache-Control': REVALIDATED,
    Vary: 'Accept-Encoding',
    'X-Content-Type-Options': 'nosniff',
    ...file.headers,
    ETag: file.etag,
  };
  if (status === 200 && headers['if-none-match'] === file.etag) {
    response.writeHead(304, common).end();
    return;
  }
  const coding = CODINGS.find((name) => request.acceptsEncodings(name));
  const body = coding ? file.compressed[coding] : file.bytes;
  response
    .writeHead(status, {
      ...common,
      'Content-Type': file.type,
      'Content-Length': String(body.length),
      ...(coding && { 'Content-Encoding': coding }),
    })
    .end(method === 'HEAD' ? undefined : body);
}
