import type { Context, Services } from '../../context.ts';
import { db } from '../../db/client.ts';
import { isIdentityProvider } from '../../gateways/identity.ts';
import type { IdentityKeys, VerifiedIdentity } from '../../gateways/identity-verifier.ts';
import { IdentityRefusedError } from '../../gateways/provider.ts';
import { SignInRefusedError } from '../../lib/errors.ts';
import { type CredentialField, mayChangeCredentials, sendCredentialNotice } from '../users/credentials.ts';
import { type Identity, isProven } from '../users/identities.ts';
import { openSettings } from './identity-providers.ts';
import { type AttachingViewer, proveIdentity, provenBy } from './prove.ts';
import type { SignedIn } from './signed-in.ts';

export interface SocialSignIn {
  provider: string;
  keys: IdentityKeys;
}

export function socialSignIn(parameters: ReadonlyMap<string, string>): SocialSignIn | undefined {
  const provider = parameters.get('provider');
  if (provider === undefined) return undefined;
  return {
    provider,
    keys: {
      token: parameters.get('keys[token]'),
      secret: parameters.get('keys[secret]'),
      accessToken: parameters.get('firebase_phone[access_token]'),
      projectId: parameters.get('firebase_phone[project_id]'),
    },
  };
}

/** Attaching the identity to the signed-in user changes their credentials, so it sends them a notice. */
export async function socialUser(
  input: SocialSignIn,
  applicationId: number,
  context: Context,
  attachTo?: AttachingViewer,
): Promise<SignedIn> {
  const verified = await verifiedIdentity(input, applicationId, context);
  const identity = identityOf(verified);
  const fullName = 'fullName' in verified ? verified.fullName : null;
  const mayAttach = attachTo === undefined || (await mayChangeCredentials(attachTo, context));
  const { user, attachedTo } = await proveIdentity({ applicationId, identity, fullName, attachTo, mayAttach }, context);
  // An unproven address may belong to another person.
  if (attachedTo && isProven('email', attachedTo)) {
    await sendCredentialNotice(attachedTo, Object.keys(identity) as CredentialField[], context);
  }
  return { user, isAsChecked: provenBy(identity) };
}

async function verifiedIdentity(
  { provider, keys }: SocialSignIn,
  applicationId: number,
  { identities, encrypter }: Services,
): Promise<VerifiedIdentity> {
  if (!isIdentityProvider(provider)) throw new SignInRefusedError();
  const set = await db.identityProvider.findUnique({
    where: { applicationId_provider: { applicationId, provider } },
  });
  if (!set) throw new SignInRefusedError();
  const settings = { ...openSettings(set, encrypter), endpoint: set.endpoint ?? undefined };
  try {
    return await identities.of(provider, settings).verify(keys);
  } catch (error) {
    throw error instanceof IdentityRefusedError ? new SignInRefusedError() : error;
  }
}

function identityOf(verified: VerifiedIdentity): Identity {
  if (verified.provider === 'firebase_phone') return { phone: verified.phone };
  const { provider, providerId } = verified;
  return provider === 'facebook' ? { facebookId: providerId } : { twitterId: providerId };
}
