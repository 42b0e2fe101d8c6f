import type { User } from '../../generated/prisma/client.ts';
import type { KnownViewer } from '../../lib/access.ts';

/** What a provider vouches for at a sign-in, one of the three. */
export type Identity = { phone: string } | { facebookId: string } | { twitterId: string };

type Identities = Pick<User, 'phone' | 'facebookId' | 'twitterId'>;
type Verified = Pick<User, 'verifiedPhone' | 'verifiedFacebookId' | 'verifiedTwitterId'>;

/** Whether somebody has shown that the identity is theirs, who is this user. */
export function isVerified(identity: Identity, user: Identities & Verified): boolean {
  if ('phone' in identity) return user.phone === identity.phone && user.verifiedPhone === identity.phone;
  if ('facebookId' in identity) return user.verifiedFacebookId === identity.facebookId;
  return user.verifiedTwitterId === identity.twitterId;
}

/** The columns that keep that it was shown. */
export function asVerified(identity: Partial<Identities>): Partial<Verified> {
  const { phone, facebookId, twitterId } = identity;
  return {
    ...(phone !== undefined && { verifiedPhone: phone }),
    ...(facebookId !== undefined && { verifiedFacebookId: facebookId }),
    ...(twitterId !== undefined && { verifiedTwitterId: twitterId }),
  };
}

/** An API key alone speaks for the application, which knows whose phones and accounts they are; others only claim them. */
export function vouchedFor(given: Partial<Identities>, viewer: KnownViewer): Partial<Verified> {
  return viewer.kind === 'key' ? asVerified(given) : {};
}
