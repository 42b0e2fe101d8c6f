import type { ActingContext } from '../../context.ts';
import { plannedForValues, type Transaction } from '../../db/client.ts';
import { DIALOG_TYPE, type DialogType } from '../../db/dialog-types.ts';
import type { Dialog } from '../../generated/prisma/client.ts';
import { type ActingViewer, jobOwnerOf, userOf } from '../../lib/access.ts';
import { ForbiddenError, NotFoundError, UnprocessableError } from '../../lib/errors.ts';
import { appendDialogEvents } from '../../realtime/outbox.ts';
import type { Catalogue } from '../classes/catalogue.ts';
import { withClasses } from '../records/lock-class.ts';
import { lockUsers } from '../users/lock.ts';
import { changedData, type DataInput, type DialogData, dataColumns, dataProblems, namesData } from './data.ts';
import { leaveGroups } from './leave.ts';
import { type LockedDialog, lockDialogs, transactForUsers } from './lock.ts';
import {
  type DialogChange,
  existingUsers,
  MAX_OCCUPANTS,
  mayChange,
  nameProblems,
  photoProblems,
  tooManyOccupants,
} from './rules.ts';

export interface DialogChanges extends DataInput {
  name?: string | null;
  /** Null clears it. */
  photo?: string | null;
  isJoinRequired?: boolean | null;
  addOccupantIds?: number[] | null;
  removeOccupantIds?: number[] | null;
  addAdminIds?: number[] | null;
  removeAdminIds?: number[] | null;
}

/** All changes or none. Adds occupants first, then removes some, then changes admins. */
export function updateDialog(id: string, input: DialogChanges, context: ActingContext): Promise<Dialog> {
  if (!namesData(input)) return update(id, input, context, undefined);
  return withClasses(context.viewer, (classes) => update(id, input, context, classes));
}

async function update(
  id: string,
  input: DialogChanges,
  context: ActingContext,
  classes: Catalogue | undefined,
): Promise<Dialog> {
  const { viewer } = context;
  const problems = [...(input.name === undefined ? [] : nameProblems(input.name)), ...photoProblems(input.photo)];
  if (classes) problems.push(...dataProblems(input, classes));
  const added = await existingUsers(viewer.applicationId, input.addOccupantIds ?? []);
  if (input.addOccupantIds?.length && added.length === 0) problems.push('OCCUPANTS_UNKNOWN');
  if (problems.length > 0) throw new UnprocessableError(...problems);

  const { removeOccupantIds, addAdminIds, removeAdminIds } = input;
  const userCount = [added, removeOccupantIds, addAdminIds, removeAdminIds].reduce(
    (sum, ids) => sum + (ids?.length ?? 0),
    0,
  );
  const changed = await transactForUsers(jobOwnerOf(viewer), userCount, async (transaction) => {
    const others = await lockUsers(transaction, [...added, ...(input.addAdminIds ?? [])], context);
    const existing = new Set(viewer.kind === 'user' ? [viewer.userId, ...others] : others);
    const [dialog] = await lockDialogs(transaction, [id], viewer, 'UPDATE');
    if (!dialog) throw new NotFoundError();
    requireRights(dialog, input, viewer);
    const data = classes && changedData(dialog, input, classes);

    const isKnown = (userId: number) => existing.has(userId);
    const changes = {
      ...input,
      data,
      addOccupantIds: added.filter(isKnown),
      addAdminIds: (input.addAdminIds ?? []).filter(isKnown),
      initiatorId: userOf(viewer),
    };
    return apply(transaction, dialog, changes, context.now());
  });
  context.outbox.wake();
  return changed;
}

function requireRights({ type, standing }: LockedDialog, input: DialogChanges, viewer: ActingViewer): void {
  if (!standing) throw new ForbiddenError();
  const changes = changesOf(input, userOf(viewer));
  if (!changes.every((change) => mayChange(change, type as DialogType, standing))) throw new ForbiddenError();
}

function changesOf(input: DialogChanges, userId: number | undefined): DialogChange[] {
  const { name, photo, isJoinRequired, addOccupantIds, removeOccupantIds } = input;
  const isGiven = (value: unknown) => value !== undefined;
  const changes: DialogChange[] = [];
  if ([name, photo, isJoinRequired ?? undefined].some(isGiven)) changes.push('settings');
  if (namesData(input)) changes.push('data');
  if (addOccupantIds?.length || removeOccupantIds?.includes(userId ?? 0)) changes.push('occupants');
  if (removeOccupantIds?.some((id) => id !== userId)) changes.push('others');
  if (input.addAdminIds?.length || input.removeAdminIds?.length) changes.push('admins');
  return changes;
}

type ReadChanges = Omit<DialogChanges, keyof DataInput> & {
  data: DialogData | undefined;
  initiatorId: number | undefined;
};

async function apply(transaction: Transaction, dialog: Dialog, changes: ReadChanges, now: Date): Promise<Dialog> {
  const { applicationId, id } = dialog;
  const isPublic = dialog.type === DIALOG_TYPE.PUBLIC_GROUP;
  const hasJoined = !isPublic && (await addOccupants(transaction, dialog, changes, now));
  const isAdminChange = await changeAdmins(transaction, dialog, changes, now);
  const { name, photo, isJoinRequired, data } = changes;
  const isSettingChange = [name, photo, isJoinRequired ?? undefined, data].some((value) => value !== undefined);
  const where = { applicationId_id: { applicationId, id } };
  let changed: Dialog = dialog;
  if (hasJoined || isAdminChange || isSettingChange) {
    changed = await transaction.dialog.update({
      where,
      data: {
        ...(name == null ? {} : { name: name.trimEnd() }),
        ...(photo === undefined ? {} : { photo: photo?.trimEnd() ?? null }),
        ...(isJoinRequired == null ? {} : { isJoinRequired }),
        ...(await dataColumns(transaction, data)),
        ...(hasJoined ? { memberVersion: { increment: 1 } } : {}),
        updatedAt: now > dialog.updatedAt ? now : dialog.updatedAt,
      },
    });
    await appendDialogEvents(transaction, [{ kind: 'dialogChanged', applicationId, dialogId: id }], now);
  }
  const { removeOccupantIds: userIds = [], initiatorId } = changes;
  const leaving = { applicationId, dialogIds: [id], userIds: userIds ?? [], initiatorId };
  const hasLeft = !isPublic && leaving.userIds.length > 0 && (await leaveGroups(transaction, leaving, now));
  // The last member to leave deletes the group; the response still contains it.
  return hasLeft ? ((await transaction.dialog.findUnique({ where })) ?? changed) : changed;
}

/** The limit counts after the same change's removals. @returns whether users joined or rejoined */
async function addOccupants(
  transaction: Transaction,
  { applicationId, id }: Dialog,
  { addOccupantIds, removeOccupantIds }: ReadChanges,
  now: Date,
): Promise<boolean> {
  if (!addOccupantIds?.length) return false;
  const joined = await transaction.$executeRaw`
    INSERT INTO members (application_id, dialog_id, user_id, joined_at)
    SELECT ${applicationId}::int, ${id}, unnest(${addOccupantIds}::int[]), ${now}::timestamptz
    ON CONFLICT (application_id, dialog_id, user_id) DO UPDATE SET left_at = NULL, joined_at = excluded.joined_at
    WHERE members.left_at IS NOT NULL`;
  const [occupants] = await transaction.$queryRaw<{ count: number }[]>`
    ${plannedForValues} SELECT count(*)::int AS count FROM members
    WHERE application_id = ${applicationId} AND dialog_id = ${id} AND left_at IS NULL
      AND user_id <> ALL(${removeOccupantIds ?? []}::int[])`;
  if (occupants!.count > MAX_OCCUPANTS) throw new UnprocessableError(tooManyOccupants);
  return joined > 0;
}

function without(ids: number[], others: number[]): number[] {
  const left = new Set(others);
  return ids.filter((id) => !left.has(id));
}

/** Only occupants become admins of a group. Any user can be admin of a public group, whose members are its admins. */
async function changeAdmins(
  transaction: Transaction,
  { applicationId, id, type }: Dialog,
  { addAdminIds, removeAdminIds, removeOccupantIds }: ReadChanges,
  now: Date,
): Promise<boolean> {
  const removed = removeAdminIds ?? [];
  const made = without(addAdminIds!, removed);
  if (type === DIALOG_TYPE.PUBLIC_GROUP) {
    const come = await transaction.$executeRaw`
      INSERT INTO members (application_id, dialog_id, user_id, is_admin, joined_at)
      SELECT ${applicationId}::int, ${id}, unnest(${made}::int[]), true,
        ${now}::timestamptz
      ON CONFLICT DO NOTHING`;
    const left = await transaction.member.deleteMany({
      where: { applicationId, dialogId: id, userId: { in: removed } },
    });
    return come + left.count > 0;
  }
  const added = without(made, removeOccupantIds ?? []);
  const changed = await transaction.$executeRaw`
    ${plannedForValues} UPDATE members SET is_admin = NOT is_admin
    WHERE application_id = ${applicationId} AND dialog_id = ${id} AND left_at IS NULL
      AND (is_admin AND user_id = ANY(${removed}::int[]) OR NOT is_admin AND user_id = ANY(${added}::int[]))`;
  return changed > 0;
}
