/** Blank values count as absent. */
export interface Credentials {
  token: string | undefined;
  authorization: string | undefined;
  onBehalfOf: string | undefined;
}

/** @param read by case-insensitive name @param tokenHeaders the first that is not blank wins */
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

export function apiKeyOf(authorization: string): string | undefined {
  return /^apikey +(\S+)$/i.exec(authorization)?.[1];
}
