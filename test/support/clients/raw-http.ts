import { type IncomingHttpHeaders, request } from 'node:http';
import { expect } from 'vitest';
import { running } from '../app/app.ts';
import { anonymous, type Caller } from '../fixtures/users.ts';
import { expectDocumented } from './openapi.ts';

export interface RawRequest {
  as?: Caller;
  /** A list sends the header repeatedly. */
  headers?: Record<string, string | string[]>;
  /** A list is sent in chunks without a Content-Length. */
  body?: string | Buffer | Buffer[];
  /** Whether Node may reject the request before the service receives it. */
  mayBeUnseen?: boolean;
}

export interface RawResponse {
  status: number;
  reason: string;
  /** By lowercase name. */
  headers: IncomingHttpHeaders;
  /** In the order and spelling of the response. */
  headerNames: string[];
  text: string;
}

export const FORM = 'application/x-www-form-urlencoded';
export const JSON_TYPE = 'application/json';
export const MULTIPART = 'multipart/form-data; boundary=B';

/**
 * Sends a request unchanged: `target` is not encoded, and every method may have a body, unlike with `fetch`. Compares
 * the response with the OpenAPI document.
 */
export function rawRequest(
  method: string,
  target: string,
  { as = anonymous, headers = {}, body, mayBeUnseen = false }: RawRequest = {},
): Promise<RawResponse> {
  const { hostname, port } = new URL(running.url);
  const length = typeof body === 'string' || Buffer.isBuffer(body) ? { 'Content-Length': Buffer.byteLength(body) } : {};
  return new Promise((resolve, reject) => {
    const sent = request(
      { hostname, port, method, path: target, headers: { ...length, ...as.headers, ...headers } },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const { statusCode: status = 0, statusMessage: reason = '', headers, rawHeaders } = response;
          const text = Buffer.concat(chunks).toString('utf8');
          const headerNames = rawHeaders.filter((_text, place) => place % 2 === 0);
          try {
            const isUnseen = mayBeUnseen && headers['x-request-id'] === undefined && text === '';
            if (!isUnseen) expectDocumented(method, target, { status, contentType: headers['content-type'], text });
            resolve({ status, reason, headers, headerNames, text });
          } catch (error) {
            reject(error);
          }
        });
      },
    );
    sent.on('error', reject);
    if (Array.isArray(body)) for (const chunk of body) sent.write(chunk);
    else if (body !== undefined) sent.write(body);
    sent.end();
  });
}

/** A field of a form with the boundary of `MULTIPART`. */
export function multipartField(name: string, value: unknown, more = ''): string {
  return `--B\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;
}

/** @param file bytes of a file `x.txt` behind the fields */
export function multipart(fields: object, file?: string): string {
  const parts = Object.entries(fields).map(([name, value]) => multipartField(name, value));
  const last = file === undefined ? '' : multipartField('file', file, '; filename="x.txt"\r\nContent-Type: text/plain');
  return `${parts.join('')}${last}--B--\r\n`;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

export function expectCommonHeaders(
  { status, reason, headers, text }: RawResponse,
  tokenHeaders = ['SVC-Token'],
): void {
  expect(headers).toMatchObject({
    status: `${status} ${reason}`,
    'svc-rest-api-version': '2.58.0',
    'cache-control': 'no-cache',
    'access-control-allow-origin': '*',
    'access-control-expose-headers': [
      ...tokenHeaders.map((name) => `${name}-ExpirationDate`),
      'SVC-REST-API-Version, Status, X-Request-Id, Retry-After, RateLimit, RateLimit-Policy',
    ].join(', '),
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'SAMEORIGIN',
    'x-request-id': expect.stringMatching(UUID),
    'x-runtime': expect.stringMatching(/^\d+\.\d{6}$/),
  });
  expect(headers['www-authenticate']).toBe(status === 401 ? 'ApiKey realm="service"' : undefined);
  expect(headers).not.toHaveProperty('etag');
  expect(headers).not.toHaveProperty('x-powered-by');
  if (text === '') return;
  expect(headers['content-type']).toBe('application/json; charset=utf-8');
  expect(headers['content-length']).toBe(String(Buffer.byteLength(text)));
}
