/** What a request or a connection brings to say who calls; blank headers count as absent. */
export interface Credentials {
  token: string | undefined;
  authorization: string | undefined;
  onBehalfOf: string | undefined;
}

/**
 * Takes the credentials from headers or from the payload of `connection_init`.
 * @param read gives a header by its name, letter case ignored
 * @param tokenHeaders accepted names of the token header; the first that is not empty wins
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
