import { HOUR } from '../lib/time.ts';
import { IdentityRefusedError, nameOf, ProviderUnavailableError } from './provider.ts';
import type { Ask, RedirectProvider } from './redirect-provider.ts';

const PUBLIC = 'https://github.com';
const PUBLIC_API = 'https://api.github.com';

/** GitHub, or a GitHub Enterprise server: OAuth without ID tokens. */
export const github: RedirectProvider = {
  scopes: () => ['read:user', 'user:email'],
  hasIdToken: false,
  metadata: async (issuer) => ({
    issuer,
    authorization_endpoint: `${issuer}/login/oauth/authorize`,
    token_endpoint: `${issuer}/login/oauth/access_token`,
  }),
  async identityOf({ access_token: token }, { client: { issuer }, ask }) {
    const api = issuer === PUBLIC ? PUBLIC_API : `${issuer}/api/v3`;
    const [user, addresses] = await Promise.all([
      read(ask, `${api}/user`, token),
      // Without the scope there is no address.
      read(ask, `${api}/user/emails`, token).catch(() => []),
    ]);
    const { id, name } = Object(user) as Record<string, unknown>;
    if (!Number.isSafeInteger(id)) throw new IdentityRefusedError('the account has no id');
    return {
      subject: String(id),
      email: verifiedAddress(addresses),
      fullName: nameOf(name),
      expiresAt: new Date(Date.now() + HOUR),
    };
  },
};

async function read(ask: Ask, address: string, token: string): Promise<unknown> {
  const headers = { Authorization: `Bearer ${token}`, 'User-Agent': 'Atrium', Accept: 'application/vnd.github+json' };
  const response = await ask(address, { headers });
  if (response.status !== 200) throw new ProviderUnavailableError(`responded with ${response.status}`);
  return response.json();
}

function verifiedAddress(addresses: unknown): string | null {
  if (!Array.isArray(addresses)) return null;
  const found = (addresses as unknown[]).find((one) => {
    const { primary, verified, email } = Object(one) as Record<string, unknown>;
    return primary === true && verified === true && typeof email === 'string';
  }) as { email: string } | undefined;
  return found ? found.email.toLowerCase() : null;
}
