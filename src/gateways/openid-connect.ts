import { IdentityRefusedError } from './provider.ts';
import type { RedirectProvider } from './redirect-provider.ts';

const APPLE = 'https://appleid.apple.com';

/** Google, Apple, Microsoft and every other issuer with a discovery document. */
export const openIdConnect: RedirectProvider = {
  scopes: (issuer) => ['openid', 'email', issuer === APPLE ? 'name' : 'profile'],
  hasIdToken: true,
  async metadata(issuer, { fetch, allowsPrivate }) {
    const { allowInsecureRequests, customFetch, discovery } = await import('openid-client');
    const found = await discovery(new URL(issuer), 'unused', undefined, undefined, {
      [customFetch]: fetch,
      execute: allowsPrivate ? [allowInsecureRequests] : [],
    });
    return found.serverMetadata();
  },
  /** Apple gives the address only in a form. */
  parameters: ({ issuer }): Record<string, string> => (issuer === APPLE ? { response_mode: 'form_post' } : {}),
  async identityOf({ id_token: token }, { client, nonce, verifier }) {
    if (token === undefined) throw new IdentityRefusedError('the response has no ID token');
    return verifier.verify(token, client, nonce);
  },
};
