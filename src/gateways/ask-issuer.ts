import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { SECOND } from '../lib/time.ts';
import { traced } from '../platform/observability/tracing.ts';
import { ProviderUnavailableError } from './provider.ts';
import { isOutside, lookupPublic } from './public-addresses.ts';

const REQUEST_TIMEOUT_MS = 5 * SECOND;
const MAX_RESPONSE_BYTES = 256 * 1024;

export interface IssuerRequest {
  method?: string;
  headers?: Record<string, string>;
  body?: string | undefined;
}

/**
 * Follows no redirects. Names resolve to public addresses only, unless private ones are allowed, because developers
 * choose the addresses. @throws {ProviderUnavailableError} no response in time, or one without end
 */
export function askIssuer(url: URL, asked: IssuerRequest, allowsPrivate: boolean): Promise<Response> {
  const { method = 'GET' } = asked;
  const attributes = { 'server.address': url.hostname, 'http.request.method': method };
  return traced('ask issuer', { kind: 'client', attributes }, () => ask(url, asked, allowsPrivate));
}

function ask(url: URL, { method = 'GET', headers, body }: IssuerRequest, allowsPrivate: boolean): Promise<Response> {
  if (!allowsPrivate && (url.protocol !== 'https:' || !isOutside(url)))
    return Promise.reject(new ProviderUnavailableError('the address is not a public https address'));
  const send = url.protocol === 'https:' ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const fail = (reason: string) => reject(new ProviderUnavailableError(reason));
    const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
    const options = {
      ...{ method, signal, headers: { Accept: 'application/json', ...headers } },
      ...(allowsPrivate ? {} : { lookup: lookupPublic }),
    };
    const request = send(url, options, (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > MAX_RESPONSE_BYTES) request.destroy(new Error('too large'));
        else chunks.push(chunk);
      });
      response.on('end', () => {
        const { statusCode: status = 500 } = response;
        if (status < 200 || (status >= 300 && status < 400)) return fail(`responded with ${status}`);
        const type = { 'Content-Type': response.headers['content-type'] ?? '' };
        const hasBody = status !== 204 && status !== 205;
        resolve(new Response(hasBody ? Buffer.concat(chunks) : null, { status, headers: type }));
      });
      response.on('error', () => fail('the response was cut'));
    });
    request.on('error', (error: NodeJS.ErrnoException) =>
      fail(
        signal.aborted
          ? `no response within ${REQUEST_TIMEOUT_MS / SECOND} s`
          : `the request failed: ${error.code ?? error.message}`,
      ),
    );
    request.end(body);
  });
}
