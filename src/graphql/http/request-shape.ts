import type { IncomingMessage } from 'node:http';
import { BadInputError } from '../../lib/errors.ts';

/** Members of a request that are JSON, also where the request itself is a query string. */
const JSON_PARAMETERS = ['variables', 'extensions'];

/**
 * What the library behind this does not refuse itself, or only as a fault of its own.
 * @throws {BadInputError} 415 a body that is not sent as JSON; 400 a parameter of the query string that is no JSON
 */
export function requireReadable({ method, url = '', headers }: IncomingMessage): void {
  // Any page may have a browser post forms and plain text; for JSON it has to be allowed to first.
  if (method === 'POST' && !isJson(headers['content-type'])) throw new BadInputError('Unsupported content type', 415);
  if (method !== 'GET') return;
  const start = url.indexOf('?');
  const parameters = new URLSearchParams(start === -1 ? '' : url.slice(start));
  for (const name of JSON_PARAMETERS) {
    const text = parameters.get(name);
    if (text && !isParsed(text)) throw new BadInputError(`The parameter ${name} is no JSON`);
  }
}

/** Whether a browser asks for a page to show. */
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
