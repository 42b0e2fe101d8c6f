import type { ActingContext } from '../../context.ts';
import type { Transaction } from '../../db/client.ts';
import { DIALOG_TYPE } from '../../db/dialog-types.ts';
import { transactInTurns } from '../../db/lock-turns.ts';
import { type RunStep, runLong } from '../../db/long-work.ts';
import { type ActingViewer, jobOwnerOf, userOf } from '../../lib/access.ts';
import type { DeletedItems } from '../../lib/deleted-items.ts';
import { ForbiddenError, NeedUserError, NotFoundError } from '../../lib/errors.ts';
import { distinctIds } from '../../lib/string-ids.ts';
import { destroyDialogs } from './destroy.ts';
import { hideDialogs } from './hide.ts';
import { leaveGroups } from './leave.ts';
import { type LockedDialog, lockDialogs } from './lock.ts';

/** Leaves a group; hides a private dialog until its next message. `force` deletes it for all occupants. */
export async function deleteDialog(id: string, force: boolean, context: ActingContext): Promise<true> {
  const { deletedIds, wrongPermissionsIds } = await remove([id], force, context);
  if (wrongPermissionsIds.length > 0) throw new ForbiddenError();
  if (deletedIds.length === 0) throw new NotFoundError();
  return true;
}

/** Reports dialogs that it may not delete. @throws like `deleteDialog` @throws {UnprocessableError} more than 100 */
export async function deleteDialogs(ids: string[], force: boolean, context: ActingContext): Promise<DeletedItems> {
  const deleted = await remove(ids, force, context);
  if (deleted.deletedIds.length + deleted.wrongPermissionsIds.length === 0) throw new NotFoundError();
  return deleted;
}

async function remove(input: string[], force: boolean, context: ActingContext): Promise<DeletedItems> {
  const { viewer, now, outbox } = context;
  if (viewer.kind === 'key' && !force) throw new NeedUserError();
  const ids = distinctIds(input);
  const owner = jobOwnerOf(viewer);
  const removeLocked = (runStep?: RunStep) =>
    transactInTurns(
      owner,
      async (transaction) => {
        const dialogs = await lockDialogs(transaction, ids, viewer, 'UPDATE');
        const allowed = dialogs.filter((dialog) => mayDelete(dialog, force));
        if (force)
          await destroyDialogs(
            transaction,
            { applicationId: viewer.applicationId, ids: idsOf(allowed), initiatorId: userOf(viewer) },
            now(),
          );
        else await leave(transaction, allowed, viewer, now());
        return { found: new Set(idsOf(dialogs)), deleted: new Set(idsOf(allowed)) };
      },
      runStep,
    );
  // A forced deletion touches the rows of all members.
  const locked = force ? await runLong(owner, removeLocked) : await removeLocked();
  outbox.wake();
  return {
    deletedIds: ids.filter((id) => locked.deleted.has(id)),
    notFoundIds: ids.filter((id) => !locked.found.has(id)),
    wrongPermissionsIds: ids.filter((id) => locked.found.has(id) && !locked.deleted.has(id)),
  };
}

function mayDelete({ type, standing }: LockedDialog, force: boolean): boolean {
  if (force) return standing === 'owner';
  return standing !== undefined && type !== DIALOG_TYPE.PUBLIC_GROUP;
}

async function leave(
  transaction: Transaction,
  dialogs: LockedDialog[],
  viewer: ActingViewer,
  now: Date,
): Promise<void> {
  if (viewer.kind === 'key') return;
  const { applicationId, userId } = viewer;
  const idsOfType = (type: number) => idsOf(dialogs.filter((dialog) => dialog.type === type));
  await hideDialogs(transaction, { applicationId, userId, dialogIds: idsOfType(DIALOG_TYPE.PRIVATE) }, now);
  const dialogIds = idsOfType(DIALOG_TYPE.GROUP);
  const groups = { applicationId, userIds: [userId], dialogIds, initiatorId: userId };
  await leaveGroups(transaction, groups, now);
}

function idsOf(dialogs: LockedDialog[]): string[] {
  return dialogs.map(({ id }) => id);
}
