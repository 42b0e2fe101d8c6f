import type { Configuration, CustomFetch, ServerMetadata } from 'openid-client';
import { SECOND } from '../lib/time.ts';
import { askIssuer } from './ask-issuer.ts';
import { github } from './github.ts';
import { openIdConnect } from './openid-connect.ts';
import { IdentityRefusedError, ProviderUnavailableError } from './provider.ts';
import type { Ask, ClientSecret, ProviderClient, ProviderKind, RedirectProvider } from './redirect-provider.ts';
import type { TokenIdentity, TokenVerifier } from './token-verifier.ts';

/** Random values that bind the response to the browser that began. */
export interface RedirectState {
  redirectUri: string;
  state: string;
  nonce: string;
  /** Of PKCE. */
  verifier: string;
}

/** The person or the provider has refused; `code` is the OAuth error. */
export class RedirectDeniedError extends Error {
  readonly code: string;

  constructor(code: string) {
    super(`the provider responded with ${code}`);
    this.code = code;
  }
}

const PROVIDERS: Record<ProviderKind, RedirectProvider> = { openid: openIdConnect, github };
const METADATA_LIFETIME_MS = 600 * SECOND;
/** Oldest ones are dropped, because developers choose the addresses. */
const MAX_METADATA = 1_000;

/** Authorization code with PKCE, state and nonce (OAuth 2.1, OpenID Connect). */
export class RedirectSignIn {
  readonly #verifier: TokenVerifier;
  readonly #allowsPrivate: boolean;
  readonly #metadata = new Map<string, { at: number; metadata: Promise<ServerMetadata> }>();

  constructor(verifier: TokenVerifier) {
    this.#verifier = verifier;
    this.#allowsPrivate = verifier.allowsPrivate;
  }

  /** Where the browser goes. @throws {ProviderUnavailableError} */
  async authorizationUrl(client: ProviderClient, state: RedirectState): Promise<string> {
    const { buildAuthorizationUrl, calculatePKCECodeChallenge } = await import('openid-client');
    const provider = PROVIDERS[client.kind];
    const url = buildAuthorizationUrl(await this.#configure(client), {
      redirect_uri: state.redirectUri,
      scope: (client.scopes.length > 0 ? client.scopes : provider.scopes(client.issuer)).join(' '),
      state: state.state,
      ...(provider.hasIdToken && { nonce: state.nonce }),
      code_challenge: await calculatePKCECodeChallenge(state.verifier),
      code_challenge_method: 'S256',
      ...provider.parameters?.(client),
    });
    return url.href;
  }

  /**
   * @param callback address to which the provider has sent the browser
   * @throws {RedirectDeniedError} {IdentityRefusedError} {ProviderUnavailableError}
   */
  async identityOf(client: ProviderClient, callback: URL, state: RedirectState): Promise<TokenIdentity> {
    const { authorizationCodeGrant, AuthorizationResponseError } = await import('openid-client');
    const provider = PROVIDERS[client.kind];
    try {
      const tokens = await authorizationCodeGrant(await this.#configure(client), callback, {
        expectedState: state.state,
        pkceCodeVerifier: state.verifier,
        idTokenExpected: provider.hasIdToken,
        ...(provider.hasIdToken && { expectedNonce: state.nonce }),
      });
      const of = { client, nonce: state.nonce, ask: this.#ask, verifier: this.#verifier };
      return await provider.identityOf(tokens, of);
    } catch (error) {
      const { cause, code } = error as { cause?: unknown; code?: string };
      const known = [error, cause].find(
        (one) => one instanceof IdentityRefusedError || one instanceof ProviderUnavailableError,
      );
      if (known) throw known;
      if (error instanceof AuthorizationResponseError) throw new RedirectDeniedError(error.error);
      throw new IdentityRefusedError(`the response was refused: ${code ?? 'unknown'}`);
    }
  }

  readonly #ask: Ask = (address, asked = {}) => askIssuer(new URL(address), asked, this.#allowsPrivate);

  async #configure(client: ProviderClient): Promise<Configuration> {
    const openid = await import('openid-client');
    const { secret } = client;
    const text = secret && ('secret' in secret ? secret.secret : await signedSecret(client.clientId, secret));
    const authentication = text === undefined ? openid.None() : openid.ClientSecretPost(text);
    const metadata = await this.#metadataOf(client);
    const configuration = new openid.Configuration(metadata, client.clientId, undefined, authentication);
    configuration[openid.customFetch] = this.#fetch;
    if (this.#allowsPrivate) openid.allowInsecureRequests(configuration);
    return configuration;
  }

  readonly #fetch: CustomFetch = (address, { method, headers, body }) =>
    this.#ask(address, { method, headers, body: body == null ? undefined : String(body) });

  #metadataOf({ kind, issuer }: ProviderClient): Promise<ServerMetadata> {
    const known = this.#metadata.get(issuer);
    if (known && Date.now() - known.at < METADATA_LIFETIME_MS) return known.metadata;
    const options = { fetch: this.#fetch, allowsPrivate: this.#allowsPrivate };
    const metadata = PROVIDERS[kind].metadata(issuer, options).catch((error: unknown) => {
      // A failed discovery is tried again.
      this.#metadata.delete(issuer);
      const { cause } = error as { cause?: unknown };
      if (error instanceof ProviderUnavailableError || cause instanceof ProviderUnavailableError) throw cause ?? error;
      throw new ProviderUnavailableError('the discovery document is invalid');
    });
    this.#metadata.set(issuer, { at: Date.now(), metadata });
    const [oldest] = this.#metadata.keys();
    if (this.#metadata.size > MAX_METADATA && oldest !== undefined) this.#metadata.delete(oldest);
    return metadata;
  }
}

const SECRET_LIFETIME = '5m';

/** As Apple demands of its clients. */
async function signedSecret(
  clientId: string,
  { privateKey, keyId, teamId }: Extract<ClientSecret, { privateKey: string }>,
): Promise<string> {
  const { importPKCS8, SignJWT } = await import('jose');
  try {
    return await new SignJWT()
      .setProtectedHeader({ alg: 'ES256', kid: keyId })
      .setIssuer(teamId)
      .setSubject(clientId)
      .setAudience('https://appleid.apple.com')
      .setIssuedAt()
      .setExpirationTime(SECRET_LIFETIME)
      .sign(await importPKCS8(privateKey, 'ES256'));
  } catch {
    throw new ProviderUnavailableError('the private key of the client is unusable');
  }
}
