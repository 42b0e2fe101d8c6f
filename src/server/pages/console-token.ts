import type { IncomingMessage } from 'node:http';
import { cookieToken } from '../../graphql/console-cookie.ts';

/**
 * The session of an administrator, for downloads. Browsers send the cookie only with requests of the same site, and state
 * here whether they are of the same origin.
 */
export function tokenOfConsole({ headers }: Pick<IncomingMessage, 'headers'>): string | undefined {
  const isOfConsole = [undefined, 'same-origin'].includes(headers['sec-fetch-site'] as string | undefined);
  return isOfConsole ? cookieToken(headers) : undefined;
}
