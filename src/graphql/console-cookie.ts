import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { parseCookie, stringifySetCookie } from 'cookie';
import type { CallingPage, Services } from '../context.ts';
import { type AdministratorToken, type Credentials, textReader } from '../lib/credentials.ts';

const NAME = 'atrium-administrator';
/** Browsers accept this name only for the complete host and over TLS. */
const SECURE_NAME = `__Host-${NAME}`;

/** Recognizes the browser during a sign-in with a passkey. */
const BROWSER_NAME = 'atrium-passkey';
const SECURE_BROWSER_NAME = `__Host-${BROWSER_NAME}`;

/** What a request says about the page that sent it. */
export interface ConsolePage {
  origin: string;
  isSecure: boolean;
  /** Of the cookies. The prefix `__Host-` requires `/`. */
  path: string;
  token: string | undefined;
  browser: string | undefined;
}

/**
 * Cookies accompany every request of a browser, so they count only if the page is one of the console. Browsers set
 * `Origin` themselves on every POST request and WebSocket. Requests of the console also have the header
 * `Application`, which pages of other sites cannot send.
 * @returns undefined for requests from elsewhere
 */
export function consolePage(
  { origin, host, cookie }: IncomingHttpHeaders,
  { isConsoleOn, isConsoleOrigin, consoleUrl }: Pick<Services, 'isConsoleOn' | 'isConsoleOrigin' | 'consoleUrl'>,
): ConsolePage | undefined {
  if (!isConsoleOn || origin === undefined || !isConsoleOrigin(origin, host)) return undefined;
  const isSecure = origin.startsWith('https:');
  const cookies = cookie === undefined ? {} : parseCookie(cookie);
  return {
    origin,
    isSecure,
    path: isSecure ? '/' : new URL('.', consoleUrl()).pathname,
    token: cookies[isSecure ? SECURE_NAME : NAME],
    browser: cookies[isSecure ? SECURE_BROWSER_NAME : BROWSER_NAME],
  };
}

/** For downloads, which have no `Origin`; the caller needs other proof that the console sent the request. */
export function cookieToken({ cookie }: IncomingHttpHeaders): string | undefined {
  const cookies = parseCookie(cookie ?? '');
  return cookies[SECURE_NAME] ?? cookies[NAME];
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

export function callingPage(page: ConsolePage | undefined, response: ServerResponse): CallingPage | undefined {
  if (!page) return undefined;
  const { origin, browser } = page;
  const setCookie = (header: string) => void response.appendHeader('Set-Cookie', header);
  return {
    origin,
    browser,
    setToken: (token) => setCookie(cookieHeader(page, token)),
    setBrowser: (token, maxAge) => setCookie(browserCookieHeader(page, token, maxAge)),
  };
}

/** @param token null removes the cookie */
function cookieHeader({ isSecure, path }: ConsolePage, token: string | null): string {
  return stringifySetCookie(isSecure ? SECURE_NAME : NAME, token ?? '', {
    ...attributes(isSecure, path),
    ...(token === null && { maxAge: 0 }),
  });
}

function browserCookieHeader({ isSecure, path }: ConsolePage, token: string, maxAge: number): string {
  const name = isSecure ? SECURE_BROWSER_NAME : BROWSER_NAME;
  return stringifySetCookie(name, token, { ...attributes(isSecure, path), maxAge });
}

const attributes = (isSecure: boolean, path: string) =>
  ({ httpOnly: true, secure: isSecure, sameSite: 'strict', path }) as const;

/** Headers have only Latin letters, so the console sends URL encoding. */
function readable(text: string | undefined): string | undefined {
  try {
    return text && decodeURIComponent(text);
  } catch {
    return text;
  }
}
