import type { Services } from '../../context.ts';
import { transact } from '../../db/transact.ts';
import type { User } from '../../generated/prisma/client.ts';
import { jobOwnerOf } from '../../lib/access.ts';
import { voidPasswordResets } from '../password-resets.ts';
import { asVerified, type Identity, isVerified } from '../users/identities.ts';
import { endSessionsOf } from './end.ts';

/** Everything else by which somebody could come back as the user. */
const NO_OTHER_WAY = { passwordHash: null, email: null, phone: null, facebookId: null, twitterId: null };

/**
 * Gives a user to whoever has shown for the first time that the user's phone or account is theirs. Anybody may have
 * written it there before: unless it is the user who is signed in and shows it, what they could come back by goes (their
 * password and links for another, e-mail, other identities, sessions, devices). The rest of the user stays.
 * @param signedInAs the user whose session asks, if one does
 * @returns undefined when the user has the identity no more
 */
export async function claimUser(
  { applicationId, id }: User,
  identity: Identity,
  { now, outbox }: Services,
  signedInAs: number | undefined,
): Promise<User | undefined> {
  const claimed = await transact(jobOwnerOf({ applicationId, userId: id }), async (transaction) => {
    const key = { applicationId, id };
    await transaction.$executeRaw`
      SELECT FROM users WHERE application_id = ${applicationId} AND id = ${id} FOR NO KEY UPDATE`;
    const user = await transaction.user.findFirst({ where: { ...key, ...identity } });
    if (!user || isVerified(identity, user)) return user ?? undefined;
    const at = now();
    const isOwn = signedInAs === id;
    if (!isOwn) {
      await voidPasswordResets(transaction, { applicationId, userId: id }, at);
      await endSessionsOf(transaction, { applicationId, userId: id }, at);
      await transaction.pushSubscription.deleteMany({ where: { applicationId, userId: id } });
      await transaction.pushToken.deleteMany({ where: { applicationId, userId: id } });
    }
    return transaction.user.update({
      where: { applicationId_id: key },
      data: { ...(isOwn ? {} : NO_OTHER_WAY), ...identity, ...asVerified(identity), updatedAt: at },
    });
  });
  outbox.wake();
  return claimed;
}
