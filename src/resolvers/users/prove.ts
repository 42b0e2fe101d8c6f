import type { AdministrationContext } from '../../context.ts';
import { db } from '../../db/client.ts';

/**
 * Counts e-mail, phone and provider accounts of users as proven, for the operator alone, who knows whose they are.
 * @param ids of the users; undefined: all of the application
 * @returns how many users there are of them
 */
export function proveUsers(
  ids: number[] | undefined,
  { viewer: { applicationId } }: Pick<AdministrationContext, 'viewer'>,
): Promise<number> {
  return db.$executeRaw`
    UPDATE users SET verified_email = email, verified_phone = phone, verified_facebook_id = facebook_id,
      verified_twitter_id = twitter_id
    WHERE application_id = ${applicationId} AND (${ids === undefined} OR id = ANY(${ids ?? []}::int[]))`;
}
