import type { UserContext } from '../../context.ts';
import { DIALOG_TYPE, type DialogType } from '../../db/dialog-types.ts';
import { newId } from '../../db/ids.ts';
import type { Dialog } from '../../generated/prisma/client.ts';
import { jobOwnerOf } from '../../lib/access.ts';
import { UnprocessableError } from '../../lib/errors.ts';
import type { Problem } from '../../lib/problems.ts';
import { appendDialogEvents } from '../../realtime/outbox.ts';
import { withClasses } from '../records/lock-class.ts';
import { lockUsers } from '../users/lock.ts';
import { requireDialogCreator } from '../users/policies.ts';
import { type DataInput, type DialogData, dataColumns, namesData, newData } from './data.ts';
import { unhideDialog } from './hide.ts';
import { transactForUsers } from './lock.ts';
import { findOrCreatePrivateDialog } from './private.ts';
import { existingUsers, MAX_OCCUPANTS, nameProblems, photoProblems, tooManyOccupants } from './rules.ts';

export interface NewDialog extends DataInput {
  type?: DialogType | null;
  occupantIds?: number[] | null;
  name?: string | null;
  photo?: string | null;
  isJoinRequired?: boolean | null;
}

/** Returns an existing private dialog. @throws {UnprocessableError} with all messages that apply */
export function createDialog(input: NewDialog, context: UserContext): Promise<Dialog> {
  if (!namesData(input)) return create(input, context, () => undefined);
  return withClasses(context.viewer, (classes) =>
    create(input, context, (problems) => newData(input, classes, problems)),
  );
}

async function create(
  input: NewDialog,
  context: UserContext,
  readData: (problems: Problem[]) => DialogData | undefined,
): Promise<Dialog> {
  const { viewer } = context;
  const type = input.type ?? undefined;
  const givenIds = [...new Set(input.occupantIds ?? [])];
  const problems = [...dialogProblems(input), ...photoProblems(input.photo)];
  if (type !== DIALOG_TYPE.PUBLIC_GROUP && new Set([...givenIds, viewer.userId]).size > MAX_OCCUPANTS) {
    throw new UnprocessableError(...problems, tooManyOccupants);
  }
  const knownIds = await existingUsers(viewer.applicationId, givenIds);
  if (type !== undefined && type !== DIALOG_TYPE.PUBLIC_GROUP && knownIds.length === 0) {
    problems.push('OCCUPANTS_UNKNOWN');
  }
  const otherIds = knownIds.filter((id) => id !== viewer.userId);
  if (type === DIALOG_TYPE.PRIVATE && knownIds.length > 0 && otherIds.length !== 1) {
    problems.push('PRIVATE_DIALOG_OCCUPANTS');
  }
  const data = readData(problems);
  if (type === undefined || problems.length > 0) throw new UnprocessableError(...problems);

  if (type === DIALOG_TYPE.PRIVATE) {
    const dialog = await findOrCreatePrivateDialog(otherIds[0]!, context, data);
    if (!dialog) throw new UnprocessableError('OCCUPANTS_UNKNOWN');
    await unhideDialog(dialog.id, context);
    return dialog;
  }
  return createGroup(type, otherIds, { ...input, data }, context);
}

function dialogProblems({ type, name }: NewDialog): Problem[] {
  if (type == null) return ['DIALOG_TYPE_REQUIRED', ...(name ? nameProblems(name) : [])];
  return type === DIALOG_TYPE.PRIVATE ? [] : nameProblems(name);
}

async function createGroup(
  type: DialogType,
  otherIds: number[],
  { name, photo, isJoinRequired, data }: NewDialog & { data: DialogData | undefined },
  context: UserContext,
): Promise<Dialog> {
  await requireDialogCreator(context.viewer);
  const { applicationId, userId } = context.viewer;
  const at = context.now();
  const isPublic = type === DIALOG_TYPE.PUBLIC_GROUP;
  const created = await transactForUsers(jobOwnerOf(context.viewer), otherIds.length, async (transaction) => {
    const memberIds = [userId, ...(await lockUsers(transaction, isPublic ? [] : otherIds, context))];
    const dialog = await transaction.dialog.create({
      data: {
        applicationId,
        id: newId(at),
        type,
        userId,
        name: name!.trimEnd(),
        photo: photo?.trimEnd() ?? null,
        isJoinRequired: isJoinRequired ?? false,
        ...(await dataColumns(transaction, data)),
        createdAt: at,
        updatedAt: at,
      },
    });
    if (!isPublic) {
      // One statement, because Prisma would split a long list and run the parts in parallel.
      await transaction.$executeRaw`
        INSERT INTO members (application_id, dialog_id, user_id, joined_at)
        SELECT ${applicationId}::int, ${dialog.id}, unnest(${memberIds}::int[]), ${at}::timestamptz`;
    }
    await appendDialogEvents(transaction, [{ kind: 'dialogChanged', applicationId, dialogId: dialog.id, userId }], at);
    return dialog;
  });
  context.outbox.wake();
  return created;
}
