import type { AdministrationContext } from '../../context.ts';
import { transact } from '../../db/transact.ts';
import { jobOwnerOf } from '../../lib/access.ts';

/** For the operator, who vouches for the values. @param ids default: all users @returns the number of users found */
export function proveUsers(
  ids: number[] | undefined,
  { viewer }: Pick<AdministrationContext, 'viewer'>,
): Promise<number> {
  return transact(
    jobOwnerOf(viewer),
    (transaction) => transaction.$executeRaw`
      UPDATE users SET verified_email = email, verified_phone = phone, verified_facebook_id = facebook_id,
        verified_twitter_id = twitter_id
      WHERE application_id = ${viewer.applicationId} AND (${ids === undefined} OR id = ANY(${ids ?? []}::int[]))`,
  );
}
