import type { User } from '../../generated/prisma/client.ts';
import type { IdentifiedViewer } from '../../lib/access.ts';

export type Identity = { phone: string } | { facebookId: string } | { twitterId: string };

/** Claims and their proofs; a claim is proven if both values are equal. */
const PROVEN_IN = {
  email: 'verifiedEmail',
  phone: 'verifiedPhone',
  facebookId: 'verifiedFacebookId',
  twitterId: 'verifiedTwitterId',
} as const;

type Claim = keyof typeof PROVEN_IN;
type Claims = Pick<User, Claim>;
type Proofs = Pick<User, (typeof PROVEN_IN)[Claim]>;

export function isProven(claim: Claim, user: Claims & Proofs): boolean {
  return user[claim] !== null && user[claim] === user[PROVEN_IN[claim]];
}

export function hasProvenIdentity(user: Claims & Proofs): boolean {
  return (['phone', 'facebookId', 'twitterId'] as const).some((claim) => isProven(claim, user));
}

export function asProven(values: Partial<Claims>): Partial<Proofs> {
  const input = Object.entries(values).filter(([claim, value]) => claim in PROVEN_IN && value !== undefined);
  return Object.fromEntries(input.map(([claim, value]) => [PROVEN_IN[claim as Claim], value]));
}

/** API keys prove values, because the application knows its users; values from other callers are claims. */
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
