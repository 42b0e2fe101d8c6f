export type CredentialKind = 'none' | 'key' | 'token';

export interface Credentials {
  kind: CredentialKind;
  /** An API key or a session token, without prefix. */
  secret: string;
  /** Id of a user; only with an API key. */
  onBehalfOf: string;
}

export const NO_CREDENTIALS: Credentials = { kind: 'none', secret: '', onBehalfOf: '' };

const STORED = 'atrium:explorer:credentials';

/** Headers of HTTP requests and parameters of WebSocket connections. */
export function headersOf({ kind, secret, onBehalfOf }: Credentials): Record<string, string> {
  if (kind === 'none' || secret === '') return {};
  if (kind === 'token') return { 'SVC-Token': secret };
  return { Authorization: `ApiKey ${secret}`, ...(onBehalfOf !== '' && { 'On-Behalf-Of': onBehalfOf }) };
}

/** Of this browser, if the user asked to remember them; else of this browser tab, so that a reload keeps them. */
export function loadCredentials(): { credentials: Credentials; isRemembered: boolean } {
  const remembered = localStorage.getItem(STORED);
  const stored = remembered ?? sessionStorage.getItem(STORED);
  return {
    credentials: stored === null ? NO_CREDENTIALS : { ...NO_CREDENTIALS, ...JSON.parse(stored) },
    isRemembered: remembered !== null,
  };
}

export function storeCredentials(credentials: Credentials, isRemembered: boolean): void {
  const text = JSON.stringify(credentials);
  sessionStorage.setItem(STORED, text);
  if (isRemembered) localStorage.setItem(STORED, text);
  else localStorage.removeItem(STORED);
}
