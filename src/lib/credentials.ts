/** Blank values count as absent. */
export interface Credentials {
  token: string | undefined;
  authorization: string | undefined;
  onBehalfOf: string | undefined;
  /** Only if neither token nor authorization is present. */
  administrator?: AdministratorToken | undefined;
}

/** Of the console. The transport has checked that the request comes from its pages. */
export interface AdministratorToken {
  /** Undefined without a cookie. */
  token: string | undefined;
  /** The header `Application`. */
  application: string;
  /** The header `Reason`. */
  reason: string | undefined;
}

/** @param read by case-insensitive name @param tokenHeaders the first that is not blank wins */
export function readCredentials(read: (name: string) => unknown, tokenHeaders: readonly string[]): Credentials {
  const text = textReader(read);
  return {
    token: tokenHeaders.map(text).find((token) => token !== undefined),
    authorization: text('authorization'),
    onBehalfOf: text('on-behalf-of'),
  };
}

export function textReader(read: (name: string) => unknown): (name: string) => string | undefined {
  return (name) => {
    const value = read(name);
    return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
  };
}

export function apiKeyOf(authorization: string): string | undefined {
  return /^apikey +(\S+)$/i.exec(authorization)?.[1];
}
