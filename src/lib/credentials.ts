/** Credentials of a request or connection; blank values count as absent. */
export interface Credentials {
  token: string | undefined;
  authorization: string | undefined;
  onBehalfOf: string | undefined;
}

/**
 * Reads headers or the payload of `connection_init`.
 * @param read returns a header by case-insensitive name
 * @param tokenHeaders accepted names of the token header; the first that is not blank wins
 */
export function readCredentials(read: (name: string) => unknown, tokenHeaders: readonly string[]): Credentials {
  const text = (name: string) => {
    const value = read(name);
    return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
  };
  return {
    token: tokenHeaders.map(text).find((token) => token !== undefined),
    authorization: text('authorization'),
    onBehalfOf: text('on-behalf-of'),
  };
}

/** `ApiKey <key>` → the key; undefined for any other scheme. */
export function apiKeyOf(authorization: string): string | undefined {
  return /^apikey +(\S+)$/i.exec(authorization)?.[1];
}
