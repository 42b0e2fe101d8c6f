import { Prisma, plannedForValues, type Transaction } from '../../db/client.ts';
import { DIALOG_TYPE } from '../../db/dialog-types.ts';
import { groupBy } from '../../lib/collections.ts';
import { appendDialogEvents } from '../../realtime/outbox.ts';
import { destroyDialogs } from './destroy.ts';

const LEFT = { removal: 'left' } as const;

interface Leaving {
  applicationId: number;
  dialogIds: string[];
  userIds: number[];
  /** The user who acts; undefined for an API key alone. */
  initiatorId?: number | undefined;
}

/**
 * Requires locked groups. Leavers stay as former members, so that watermarks are preserved. Ownership passes to the
 * admin, else the occupant, with the lowest id; a group without occupants is deleted.
 * @returns whether a user left
 */
export async function leaveGroups(transaction: Transaction, leaving: Leaving, now: Date): Promise<boolean> {
  const { applicationId, dialogIds, userIds, initiatorId: userId } = leaving;
  const left = await transaction.$queryRaw<{ dialogId: string; userId: number }[]>`
    ${plannedForValues} UPDATE members SET left_at = ${now}, is_admin = false
    WHERE application_id = ${applicationId} AND dialog_id = ANY(${dialogIds}::text[])
      AND user_id = ANY(${userIds}::int[]) AND left_at IS NULL
    RETURNING dialog_id AS "dialogId", user_id AS "userId"`;
  if (left.length === 0) return false;
  await transaction.$executeRaw`
    ${plannedForValues} DELETE FROM muted_dialogs
    WHERE application_id = ${applicationId} AND dialog_id = ANY(${dialogIds}::text[])
      AND user_id = ANY(${userIds}::int[])`;
  const leavers = groupBy(left, (row) => row.dialogId);
  const removed = [...leavers].map(([dialogId, rows]) => {
    const audienceIds = rows.map((row) => row.userId);
    return { kind: 'dialogRemoved' as const, applicationId, dialogId, userId, audienceIds, detail: LEFT };
  });
  await appendDialogEvents(transaction, removed, now);
  await settleOwnership(transaction, { ...leaving, dialogIds: [...leavers.keys()] }, now);
  return true;
}

const BATCH = 500;

interface UserKey {
  applicationId: number;
  userId: number;
}

/** Requires a locked user, whose messages remain. @returns whether to call again */
export async function leaveDialogs(transaction: Transaction, key: UserKey, now: Date): Promise<'more' | 'done'> {
  const { applicationId, userId } = key;
  const dialogIds = await lockDialogsOf(transaction, key);
  const ofDialogs = Prisma.sql`application_id = ${applicationId} AND user_id = ${userId}
    AND dialog_id = ANY(${dialogIds}::text[])`;
  const left = await transaction.$queryRaw<{ dialogId: string; isFormer: boolean }[]>`
    DELETE FROM members WHERE ${ofDialogs} RETURNING dialog_id AS "dialogId", left_at IS NOT NULL AS "isFormer"`;
  await transaction.$executeRaw`DELETE FROM message_marks WHERE ${ofDialogs}`;
  const former = new Set(left.filter((member) => member.isFormer).map((member) => member.dialogId));
  const current = dialogIds.filter((id) => !former.has(id));
  const leaving = { applicationId, dialogIds: current, userIds: [userId], initiatorId: userId };
  await settleOwnership(transaction, leaving, now);
  // A batch may have been incomplete because other dialogs were deleted concurrently.
  return dialogIds.length === 0 ? 'done' : 'more';
}

/** Every writer locks dialogs by id, then members, including former ones. Owners of public groups are not members. */
async function lockDialogsOf(transaction: Transaction, { applicationId, userId }: UserKey): Promise<string[]> {
  const rows = await transaction.$queryRaw<{ id: string }[]>`
    SELECT d.id FROM dialogs d
    WHERE d.application_id = ${applicationId} AND d.id = ANY(ARRAY(
      SELECT m.dialog_id FROM members m WHERE m.application_id = ${applicationId} AND m.user_id = ${userId}
      UNION
      SELECT p.id FROM dialogs p
      WHERE p.application_id = ${applicationId} AND p.type = ${DIALOG_TYPE.PUBLIC_GROUP} AND p.user_id = ${userId}
      ORDER BY 1 LIMIT ${BATCH}))
    ORDER BY d.id FOR UPDATE`;
  return rows.map(({ id }) => id);
}

// All users are occupants of public groups, whose members are admins. Skips locked users if other users remain, because
// waiting for a user while holding dialogs could deadlock.
async function settleOwnership(
  transaction: Transaction,
  { applicationId, dialogIds, userIds, initiatorId }: Leaving,
  now: Date,
): Promise<void> {
  const dialogs = await transaction.$queryRaw<{ id: string; isEmpty: boolean }[]>`
    UPDATE dialogs d SET member_version = d.member_version + 1, updated_at = greatest(d.updated_at, ${now}::timestamptz),
      user_id = CASE WHEN d.user_id <> ALL(${userIds}::int[]) THEN d.user_id ELSE coalesce(
        (SELECT m.user_id FROM members m
          WHERE m.application_id = d.application_id AND m.dialog_id = d.id AND m.left_at IS NULL
          ORDER BY m.is_admin DESC, m.user_id LIMIT 1),
        (SELECT u.id FROM users u WHERE d.type = ${DIALOG_TYPE.PUBLIC_GROUP}
          AND u.application_id = d.application_id AND u.id <> ALL(${userIds}::int[])
          ORDER BY u.id LIMIT 1 FOR KEY SHARE SKIP LOCKED),
        (SELECT min(u.id) FROM users u WHERE d.type = ${DIALOG_TYPE.PUBLIC_GROUP}
          AND u.application_id = d.application_id AND u.id <> ALL(${userIds}::int[])),
        d.user_id) END
    WHERE d.application_id = ${applicationId} AND d.id = ANY(${dialogIds}::text[])
    RETURNING d.id, d.type <> ${DIALOG_TYPE.PRIVATE} AND d.user_id = ANY(${userIds}::int[]) AS "isEmpty"`;
  // Any remaining occupant became the owner, so that a group still owned by a leaver is empty.
  const empty = dialogs.filter((dialog) => dialog.isEmpty).map((dialog) => dialog.id);
  await destroyDialogs(transaction, { applicationId, ids: empty, initiatorId }, now);
  const kept = dialogs.filter((dialog) => !dialog.isEmpty);
  const changed = kept.map(({ id }) => ({ kind: 'dialogChanged' as const, applicationId, dialogId: id }));
  await appendDialogEvents(transaction, changed, now);
}
