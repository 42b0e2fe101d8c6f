import type { Services } from '../../context.ts';
import { db, type Prisma, type Transaction } from '../../db/client.ts';
import { transact } from '../../db/transact.ts';
import { isIdentityProvider } from '../../gateways/identity.ts';
import type { IdentityKeys, VerifiedIdentity } from '../../gateways/identity-verifier.ts';
import { IdentityRefusedError } from '../../gateways/provider.ts';
import type { User } from '../../generated/prisma/client.ts';
import { jobOwnerOf } from '../../lib/access.ts';
import { SignInRefusedError } from '../../lib/errors.ts';
import { openSettings } from '../identity-providers.ts';
import { asVerified, type Identity, isVerified } from '../users/identities.ts';
import { claimUser } from './claim.ts';

/** A sign-in that a provider has to vouch for. */
export interface SocialSignIn {
  provider: string;
  keys: IdentityKeys;
}

/** The sign-in among parameters with bracket names; undefined when no provider is named. */
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

/**
 * The user for whom the provider vouches; the first sign-in creates them, without login and password (gaps §3.3). One
 * who was there before, and had only claimed to be that somebody, becomes theirs (`claimUser`).
 * @param signedInAs the user whose session asks, if one does
 * @throws {SignInRefusedError} the provider is unknown, not set up, does not vouch, or can't be asked
 */
export async function socialUser(
  signIn: SocialSignIn,
  applicationId: number,
  services: Services,
  signedInAs?: number,
): Promise<User> {
  const verified = await verifiedIdentity(signIn, applicationId, services);
  const identity = identityOf(verified);
  const at = services.now();
  const fresh = {
    applicationId,
    ...identity,
    ...asVerified(identity),
    fullName: 'fullName' in verified ? verified.fullName : null,
    createdAt: at,
    updatedAt: at,
  };
  for (;;) {
    const user = await ('phone' in identity ? userOfPhone({ ...fresh, ...identity }) : userOfAccount(identity, fresh));
    if (isVerified(identity, user)) return user;
    const claimed = await claimUser(user, identity, services, signedInAs);
    // Whoever had claimed it has just given it up, or is gone: somebody else is meant.
    if (claimed) return claimed;
  }
}

async function verifiedIdentity(
  { provider, keys }: SocialSignIn,
  applicationId: number,
  { identities, sealer }: Services,
): Promise<VerifiedIdentity> {
  if (!isIdentityProvider(provider)) throw new SignInRefusedError();
  const set = await db.identityProvider.findUnique({
    where: { applicationId_provider: { applicationId, provider } },
  });
  if (!set) throw new SignInRefusedError();
  const settings = { ...openSettings(set, sealer), endpoint: set.endpoint ?? undefined };
  try {
    return await identities.of(provider, settings).verify(keys);
  } catch (error) {
    throw error instanceof IdentityRefusedError ? new SignInRefusedError() : error;
  }
}

type NewUser = Prisma.UserCreateManyInput;

function identityOf(verified: VerifiedIdentity): Identity {
  if (verified.provider === 'firebase_phone') return { phone: verified.phone };
  const { provider, providerId } = verified;
  return provider === 'facebook' ? { facebookId: providerId } : { twitterId: providerId };
}

/** An account belongs to one user; of several first sign-ins at the same moment one creates it. */
async function userOfAccount(
  account: Extract<Identity, { facebookId: string } | { twitterId: string }>,
  fresh: NewUser,
): Promise<User> {
  const { applicationId } = fresh;
  const where: Prisma.UserWhereUniqueInput =
    'facebookId' in account
      ? { applicationId_facebookId: { applicationId, ...account } }
      : { applicationId_twitterId: { applicationId, ...account } };
  const known = await db.user.findUnique({ where });
  if (known) return known;
  await db.user.createMany({ data: [fresh], skipDuplicates: true });
  return db.user.findUniqueOrThrow({ where });
}

/**
 * Several users may have a phone: the oldest is meant, of those who have shown that it is theirs if anybody has. A lock
 * keeps first sign-ins from creating two.
 */
async function userOfPhone(fresh: NewUser & { phone: string }): Promise<User> {
  const { applicationId, phone } = fresh;
  const known = await holderOf(db, fresh);
  if (known) return known;
  return transact(jobOwnerOf({ applicationId }), async (transaction) => {
    const name = `phone sign-in ${applicationId} ${phone}`;
    await transaction.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))`;
    return (await holderOf(transaction, fresh)) ?? transaction.user.create({ data: fresh });
  });
}

async function holderOf(client: Transaction, { applicationId, phone }: NewUser & { phone: string }) {
  const orderBy = { id: 'asc' } as const;
  const proven = await client.user.findFirst({ where: { applicationId, phone, verifiedPhone: phone }, orderBy });
  return proven ?? client.user.findFirst({ where: { applicationId, phone }, orderBy });
}
