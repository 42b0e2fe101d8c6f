import type { Transaction } from '../../db/client.ts';
import { DIALOG_TYPE } from '../../lib/dialog-types.ts';

interface Leaver {
  applicationId: number;
  userId: number;
}

/**
 * Takes a user out of every dialog, for good. A dialog of theirs goes to its admin, else to its occupant, with the
 * lowest id; a group that is left without occupants is destroyed (gaps §5.3). What others have read and not read
 * stays as it is.
 */
export async function leaveAllDialogs(transaction: Transaction, leaver: Leaver, now: Date): Promise<void> {
  const dialogIds = await lockDialogs(transaction, leaver);
  if (dialogIds.length === 0) return;
  await removeMember(transaction, leaver, dialogIds);
  await handOver(transaction, leaver, dialogIds, now);
  await destroyEmptyGroups(transaction, leaver, dialogIds);
}

/** Every writer locks dialogs in the order of their ids, before members. Owners of public groups are no members. */
async function lockDialogs(transaction: Transaction, { applicationId, userId }: Leaver): Promise<string[]> {
  const rows = await transaction.$queryRaw<{ id: string }[]>`
    SELECT d.id FROM dialogs d
    WHERE d.application_id = ${applicationId} AND d.id IN (
      SELECT m.dialog_id FROM members m WHERE m.application_id = ${applicationId} AND m.user_id = ${userId}
      UNION ALL
      SELECT p.id FROM dialogs p
      WHERE p.application_id = ${applicationId} AND p.type = ${DIALOG_TYPE.PUBLIC_GROUP} AND p.user_id = ${userId})
    ORDER BY d.id FOR UPDATE`;
  return rows.map(({ id }) => id);
}

async function removeMember(transaction: Transaction, { applicationId, userId }: Leaver, dialogIds: string[]) {
  await transaction.$executeRaw`
    DELETE FROM members
    WHERE application_id = ${applicationId} AND user_id = ${userId} AND dialog_id = ANY(${dialogIds}::text[])`;
  await transaction.$executeRaw`
    DELETE FROM message_marks
    WHERE application_id = ${applicationId} AND user_id = ${userId} AND dialog_id = ANY(${dialogIds}::text[])`;
}

/** Every user of the application is an occupant of a public group; its members are its admins. */
async function handOver(
  transaction: Transaction,
  { applicationId, userId }: Leaver,
  dialogIds: string[],
  now: Date,
): Promise<void> {
  await transaction.$executeRaw`
    UPDATE dialogs d SET member_version = d.member_version + 1, updated_at = greatest(d.updated_at, ${now}::timestamptz),
      user_id = CASE WHEN d.user_id <> ${userId} THEN d.user_id ELSE coalesce(
        (SELECT m.user_id FROM members m WHERE m.application_id = d.application_id AND m.dialog_id = d.id
          ORDER BY m.is_admin DESC, m.user_id LIMIT 1),
        (SELECT min(u.id) FROM users u
          WHERE d.type = ${DIALOG_TYPE.PUBLIC_GROUP} AND u.application_id = d.application_id AND u.id <> ${userId}),
        d.user_id) END
    WHERE d.application_id = ${applicationId} AND d.id = ANY(${dialogIds}::text[])`;
}

/** Whoever is left owns the group, so one that is still the leaver's has nobody. */
async function destroyEmptyGroups(transaction: Transaction, { applicationId, userId }: Leaver, dialogIds: string[]) {
  const empty = await transaction.$queryRaw<{ id: string }[]>`
    SELECT id FROM dialogs
    WHERE application_id = ${applicationId} AND id = ANY(${dialogIds}::text[]) AND user_id = ${userId}
      AND type <> ${DIALOG_TYPE.PRIVATE}`;
  if (empty.length === 0) return;
  const ids = empty.map(({ id }) => id);
  await transaction.$executeRaw`
    DELETE FROM reactions r USING messages m
    WHERE m.application_id = ${applicationId} AND m.dialog_id = ANY(${ids}::text[])
      AND r.application_id = m.application_id AND r.message_id = m.id`;
  await transaction.$executeRaw`
    DELETE FROM message_marks WHERE application_id = ${applicationId} AND dialog_id = ANY(${ids}::text[])`;
  await transaction.$executeRaw`
    DELETE FROM dialogs WHERE application_id = ${applicationId} AND id = ANY(${ids}::text[])`;
}
