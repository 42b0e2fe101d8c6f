import type { Services } from '../../context.ts';
import { db, type Prisma } from '../../db/client.ts';
import { isIdentityProvider } from '../../gateways/identity.ts';
import type { IdentityKeys, VerifiedIdentity } from '../../gateways/identity-verifier.ts';
import { IdentityRefusedError } from '../../gateways/provider.ts';
import type { User } from '../../generated/prisma/client.ts';
import { SignInRefusedError } from '../../lib/errors.ts';

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
 * The user for whom the provider vouches; the first sign-in creates them, without login and password (gaps §3.3).
 * @throws {SignInRefusedError} the provider is unknown, not set up, does not vouch, or can't be asked
 */
export async function socialUser(signIn: SocialSignIn, applicationId: number, services: Services): Promise<User> {
  const identity = await verifiedIdentity(signIn, applicationId, services);
  const at = services.now();
  return identity.provider === 'firebase_phone'
    ? userOfPhone({ applicationId, phone: identity.phone, createdAt: at, updatedAt: at })
    : userOfAccount(identity, { applicationId, fullName: identity.fullName, createdAt: at, updatedAt: at });
}

async function verifiedIdentity(
  { provider, keys }: SocialSignIn,
  applicationId: number,
  { identities }: Services,
): Promise<VerifiedIdentity> {
  if (!isIdentityProvider(provider)) throw new SignInRefusedError();
  const set = await db.identityProvider.findUnique({
    where: { applicationId_provider: { applicationId, provider } },
  });
  if (!set) throw new SignInRefusedError();
  const settings = { ...(set.settings as Prisma.JsonObject), endpoint: set.endpoint ?? undefined };
  try {
    return await identities.of(provider, settings).verify(keys);
  } catch (error) {
    throw error instanceof IdentityRefusedError ? new SignInRefusedError() : error;
  }
}

type NewUser = Prisma.UserCreateManyInput;

/** An account belongs to one user; of several first sign-ins at the same moment one creates it. */
async function userOfAccount(
  { provider, providerId }: Extract<VerifiedIdentity, { providerId: string }>,
  fresh: NewUser,
): Promise<User> {
  const { applicationId } = fresh;
  const account = provider === 'facebook' ? { facebookId: providerId } : { twitterId: providerId };
  const where: Prisma.UserWhereUniqueInput =
    provider === 'facebook'
      ? { applicationId_facebookId: { applicationId, facebookId: providerId } }
      : { applicationId_twitterId: { applicationId, twitterId: providerId } };
  const known = await db.user.findUnique({ where });
  if (known) return known;
  await db.user.createMany({ data: [{ ...fresh, ...account }], skipDuplicates: true });
  return db.user.findUniqueOrThrow({ where });
}

/** Several users may have a phone, the oldest is meant; a lock keeps first sign-ins from creating two. */
async function userOfPhone(fresh: NewUser & { phone: string }): Promise<User> {
  const { applicationId, phone } = fresh;
  const oldest: Prisma.UserFindFirstArgs = { where: { applicationId, phone }, orderBy: { id: 'asc' } };
  const known = await db.user.findFirst(oldest);
  if (known) return known;
  return db.$transaction(async (transaction) => {
    const name = `phone sign-in ${applicationId} ${phone}`;
    await transaction.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))`;
    return (await transaction.user.findFirst(oldest)) ?? transaction.user.create({ data: fresh });
  });
}
