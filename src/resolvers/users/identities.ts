import type { User } from '../../generated/prisma/client.ts';
import type { IdentifiedViewer } from '../../lib/access.ts';

/** What a provider vouches for at a sign-in, one of the three. */
export type Identity = { phone: string } | { facebookId: string } | { twitterId: string };

/** What is unproven until somebody proves it, and where that is kept. A proven value equals the user's own. */
const PROVEN_IN = {
  email: 'verifiedEmail',
  phone: 'verifiedPhone',
  facebookId: 'verifiedFacebookId',
  twitterId: 'verifiedTwitterId',
} as const;

type Claim = keyof typeof PROVEN_IN;
type Claims = Pick<User, Claim>;
type Proofs = Pick<User, (typeof PROVEN_IN)[Claim]>;

/** Whether somebody has proven that the value is theirs, who is this user. */
export function isProven(claim: Claim, user: Claims & Proofs): boolean {
  return user[claim] !== null && user[claim] === user[PROVEN_IN[claim]];
}

/** Whether the user can sign in by a provider. */
export function hasProvenIdentity(user: Claims & Proofs): boolean {
  return (['phone', 'facebookId', 'twitterId'] as const).some((claim) => isProven(claim, user));
}

/** The columns that keep that the values are proven. */
export function asProven(values: Partial<Claims>): Partial<Proofs> {
  const input = Object.entries(values).filter(([claim, value]) => claim in PROVEN_IN && value !== undefined);
  return Object.fromEntries(input.map(([claim, value]) => [PROVEN_IN[claim as Claim], value]));
}

/**
 * The columns of proofs as a write leaves them. An API key alone speaks for the application, which knows whose the
 * values are; a value that anybody else changes is a claim.
 */
export function proofsAfter(
  input: Partial<Claims>,
  viewer: IdentifiedViewer,
  before: Partial<Claims> = {},
): Partial<Proofs> {
  const written = (Object.keys(PROVEN_IN) as Claim[]).filter((claim) => input[claim] !== undefined);
  if (viewer.kind === 'key') return asProven(Object.fromEntries(written.map((claim) => [claim, input[claim]])));
  const changed = written.filter((claim) => input[claim] !== before[claim]);
  return asProven(Object.fromEntries(changed.map((claim) => [claim, null])));
}
