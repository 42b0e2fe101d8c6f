import type { IncomingMessage } from 'node:http';
import Negotiator from 'negotiator';
import { BadInputError } from '../../lib/errors.ts';
import { problem } from '../../lib/problems.ts';

const JSON_PARAMETERS = ['variables', 'extensions'];

/**
 * Rejects requests that Yoga accepts, or reports as internal errors.
 * @throws {BadInputError} 415 if the body is not JSON; 400 if a parameter of the query string is not JSON
 */
export function requireReadable({ method, url = '', headers }: IncomingMessage): void {
  // CSRF protection: browsers send forms and plain text across origins without a preflight, but not JSON.
  if (method === 'POST' && !isJson(headers['content-type'])) throw new BadInputError('CONTENT_TYPE_UNSUPPORTED', 415);
  if (method !== 'GET') return;
  const start = url.indexOf('?');
  const parameters = new URLSearchParams(start === -1 ? '' : url.slice(start));
  for (const name of JSON_PARAMETERS) {
    const text = parameters.get(name);
    if (text && !isParsed(text)) throw new BadInputError(problem('PARAMETER_NOT_JSON', { name }));
  }
}

/** Orders the media types of `Accept` by their quality values, which Yoga ignores. */
export function orderAccepted(request: IncomingMessage): void {
  if (request.headers.accept?.includes(';')) request.headers.accept = new Negotiator(request).mediaTypes().join(', ');
}

export function acceptsPage({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && (headers.accept?.includes('text/html') ?? false);
}

function isJson(contentType = ''): boolean {
  return /^application\/json\s*(?:;|$)/i.test(contentType.trim());
}

function isParsed(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
