import type { CustomFetch, ServerMetadata, TokenEndpointResponse } from 'openid-client';
import type { IssuerRequest } from './ask-issuer.ts';
import type { TokenIdentity, TokenVerifier, TrustedIssuer } from './token-verifier.ts';

/** How the service proves to a provider that it is the client. */
export type ClientSecret =
  | { secret: string }
  /** Apple: signs short-lived secrets with a key in PEM form. */
  | { privateKey: string; keyId: string; teamId: string };

export interface ProviderClient extends TrustedIssuer {
  kind: ProviderKind;
  clientId: string;
  /** Undefined for a public client. */
  secret: ClientSecret | undefined;
  /** None: those of the kind of provider. */
  scopes: readonly string[];
}

export type ProviderKind = 'openid' | 'github';

export type Ask = (address: string, asked?: IssuerRequest) => Promise<Response>;

/** A kind of provider that redirects browsers. */
export interface RedirectProvider {
  /** Unless the client names others. */
  scopes: (issuer: string) => readonly string[];
  hasIdToken: boolean;
  metadata: (issuer: string, options: { fetch: CustomFetch; allowsPrivate: boolean }) => Promise<ServerMetadata>;
  /** Further parameters of the authorization request. */
  parameters?: (client: ProviderClient) => Record<string, string>;
  /** @throws {IdentityRefusedError} {ProviderUnavailableError} */
  identityOf: (
    tokens: TokenEndpointResponse,
    of: { client: ProviderClient; nonce: string; ask: Ask; verifier: TokenVerifier },
  ) => Promise<TokenIdentity>;
}
