import type { IncomingHttpHeaders } from 'node:http';
import { parseCookie, stringifySetCookie } from 'cookie';
import type { Services } from '../context.ts';
import { type AdministratorToken, type Credentials, textReader } from '../lib/credentials.ts';

const NAME = 'atrium-administrator';
/** Browsers accept this name only for the complete host and over TLS. */
const SECURE_NAME = `__Host-${NAME}`;

/** What a request says about the page that sent it. */
export interface ConsolePage {
  isSecure: boolean;
  token: string | undefined;
}

/**
 * Cookies accompany every request of a browser, so they count only if the page is one of the console. Browsers set
 * `Origin` themselves on every POST request and WebSocket. Requests of the console also have the header
 * `Application`, which pages of other sites cannot send.
 * @returns undefined for requests from elsewhere
 */
export function consolePage(
  { origin, host, cookie }: IncomingHttpHeaders,
  { isConsoleOn, isConsoleOrigin }: Pick<Services, 'isConsoleOn' | 'isConsoleOrigin'>,
): ConsolePage | undefined {
  if (!isConsoleOn || origin === undefined || !isConsoleOrigin(origin, host)) return undefined;
  const isSecure = origin.startsWith('https:');
  return { isSecure, token: cookie === undefined ? undefined : parseCookie(cookie)[isSecure ? SECURE_NAME : NAME] };
}

/** The header `Application` selects the cookie; explicit credentials win. Other sites cannot send the header. */
export function withAdministrator(
  credentials: Credentials,
  page: Pick<ConsolePage, 'token'> | undefined,
  read: (name: string) => unknown,
): Credentials {
  if (credentials.token || credentials.authorization) return credentials;
  const text = textReader(read);
  const application = text('application');
  if (application === undefined) return credentials;
  const administrator: AdministratorToken = { token: page?.token, application, reason: readable(text('reason')) };
  return { ...credentials, administrator };
}

/** @param token null removes the cookie */
export function cookieHeader({ isSecure }: ConsolePage, token: string | null): string {
  return stringifySetCookie(isSecure ? SECURE_NAME : NAME, token ?? '', {
    httpOnly: true,
    secure: isSecure,
    sameSite: 'strict',
    path: '/',
    ...(token === null && { maxAge: 0 }),
  });
}

/** Headers have only Latin letters, so the console sends URL encoding. */
function readable(text: string | undefined): string | undefined {
  try {
    return text && decodeURIComponent(text);
  } catch {
    return text;
  }
}
