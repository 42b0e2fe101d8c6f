import type { StoredItem } from '../ledger.ts';
import type { Run, StoredDialog } from '../run.ts';
import {
  appendDialogEvents,
  DIALOG_TYPE,
  dataColumns,
  leaveGroups,
  newFields,
  reloadCatalogue,
  type Transaction,
} from '../service.ts';
import type { SourceDialog } from '../shapes.ts';
import { storeMarks } from './marks.ts';
import { storeMessages } from './messages.ts';

export async function storeDialogs(run: Run): Promise<void> {
  const { ledger, progress, context } = run;
  progress.begin('dialogs stored', await ledger.size('dialog'));
  for await (const item of ledger.items<SourceDialog>('dialog', String(ledger.cursor.after ?? ''))) {
    const { id } = item;
    await ledger.write({ after: id }, async (transaction) => {
      const dialog = await storeDialog(transaction, item, run);
      if (dialog) await storeContent(transaction, dialog, run);
      await transaction.migratedMessage.deleteMany({ where: { applicationId: ledger.applicationId, dialogId: id } });
    });
    progress.advance();
  }
  context.outbox.wake();
}

async function storeContent(transaction: Transaction, dialog: StoredDialog, run: Run): Promise<void> {
  const { applicationId, id } = dialog;
  const { ledger } = run;
  await storeMessages(transaction, dialog, ledger.since ?? null);
  await storeMarks(transaction, dialog);
  if (!ledger.since) return;
  // Only after the first run can clients have the dialog open and be out of date.
  await appendDialogEvents(transaction, [{ kind: 'dialogChanged', applicationId, dialogId: id }], run.context.now());
}

/** Local changes since the previous run remain, unless the other server changed the same property. */
async function storeDialog(
  transaction: Transaction,
  item: StoredItem<SourceDialog>,
  run: Run,
): Promise<StoredDialog | undefined> {
  const { content: current, previous } = item;
  const { applicationId, since } = run.ledger;
  const users = await lockOccupants(transaction, applicationId, [
    current.userId,
    ...current.occupantIds,
    ...current.adminIds,
  ]);
  const pairKey = current.type === DIALOG_TYPE.PRIVATE ? current.occupantIds.join(':') : null;
  const [locked] = await transaction.$queryRaw<{ id: string }[]>`
    SELECT id FROM dialogs WHERE application_id = ${applicationId}
      AND (id = ${current.id} OR pair_key = ${pairKey}) FOR NO KEY UPDATE`;
  if (!locked && since && new Date(current.createdAt) < since && previous) return undefined;
  const id = locked?.id ?? current.id;
  // The same two users also have a private dialog here, so the imported messages join it.
  if (id !== current.id) await joinDialogs(transaction, { applicationId, from: current.id, to: id }, run);
  if (!locked) {
    const { type, userId, name, photo, isJoinRequired, createdAt, updatedAt } = current;
    await transaction.dialog.create({
      data: { applicationId, id, type, userId, name, photo, isJoinRequired, pairKey, createdAt, updatedAt },
    });
  }
  await changeDialog(transaction, { applicationId, id, current, previous });
  if (id === current.id) await storeData(transaction, { applicationId, current, previous });
  await storeOccupants(transaction, { applicationId, id, current, previous, users }, run);
  return { applicationId, id, type: current.type, isKnown: previous !== null };
}

/** Prevents their deletion. */
async function lockOccupants(transaction: Transaction, applicationId: number, ids: number[]): Promise<Set<number>> {
  const locked = await transaction.$queryRaw<{ id: number }[]>`
    SELECT id FROM users WHERE application_id = ${applicationId} AND id = ANY(${[...new Set(ids)]}::int[])
    ORDER BY id FOR KEY SHARE`;
  return new Set(locked.map(({ id }) => id));
}

async function joinDialogs(
  transaction: Transaction,
  { applicationId, from, to }: { applicationId: number; from: string; to: string },
  { ledger }: Run,
): Promise<void> {
  ledger.count('dialogsJoined');
  await transaction.$executeRaw`
    UPDATE migrated_messages SET dialog_id = ${to} WHERE application_id = ${applicationId} AND dialog_id = ${from}`;
  await transaction.$executeRaw`
    UPDATE migrated_items SET container = ${to} WHERE application_id = ${applicationId} AND container = ${from}`;
}

interface Change {
  applicationId: number;
  id: string;
  /** As the other server has it now, and at the previous run. */
  current: SourceDialog;
  previous: SourceDialog | null;
}

async function changeDialog(transaction: Transaction, { applicationId, id, current, previous }: Change): Promise<void> {
  const changed = (['name', 'photo', 'isJoinRequired', 'userId'] as const).filter(
    (name) => previous === null || previous[name] !== current[name],
  );
  await transaction.dialog.update({
    where: { applicationId_id: { applicationId, id } },
    data: Object.fromEntries(changed.map((name) => [name, current[name]])),
  });
  await transaction.$executeRaw`
    UPDATE dialogs SET updated_at = greatest(updated_at, ${current.updatedAt}::timestamptz)
    WHERE application_id = ${applicationId} AND id = ${id}`;
}

async function storeData(
  transaction: Transaction,
  { applicationId, current, previous }: Omit<Change, 'id'>,
): Promise<void> {
  if (!current.data || JSON.stringify(current.data) === JSON.stringify(previous?.data)) return;
  const { class_name: className, ...values } = current.data;
  const known = (await reloadCatalogue(applicationId)).byName.get(className);
  if (!known) return;
  const { fields } = newFields(known.fields, values);
  await transaction.dialog.update({
    where: { applicationId_id: { applicationId, id: current.id } },
    data: await dataColumns(transaction, { class: known, fields }),
  });
}

async function storeOccupants(
  transaction: Transaction,
  { applicationId, id, current, previous, users }: Change & { users: Set<number> },
  { context }: Run,
): Promise<void> {
  const existing = (ids: number[]) => ids.filter((userId) => users.has(userId));
  const added = existing(without(current.occupantIds, previous?.occupantIds));
  const left = without(previous?.occupantIds, current.occupantIds);
  const promoted = existing(without(current.adminIds, previous?.adminIds));
  const demoted = without(previous?.adminIds, current.adminIds);
  const joined = current.type === DIALOG_TYPE.PUBLIC_GROUP ? promoted : added;
  const joinedNow = await transaction.$executeRaw`
    INSERT INTO members (application_id, dialog_id, user_id, joined_at)
    SELECT ${applicationId}::int, ${id}, unnest(${joined}::int[]), ${current.createdAt}::timestamptz
    ON CONFLICT (application_id, dialog_id, user_id) DO UPDATE SET left_at = NULL, joined_at = excluded.joined_at
    WHERE members.left_at IS NOT NULL`;
  await transaction.$executeRaw`
    UPDATE members SET is_admin = user_id = ANY(${promoted}::int[])
    WHERE application_id = ${applicationId} AND dialog_id = ${id} AND left_at IS NULL
      AND user_id = ANY(${[...promoted, ...demoted]}::int[])`;
  if (joinedNow > 0) {
    await transaction.$executeRaw`
      UPDATE dialogs SET member_version = member_version + 1 WHERE application_id = ${applicationId} AND id = ${id}`;
  }
  if (left.length > 0 && current.type === DIALOG_TYPE.GROUP) {
    await leaveGroups(transaction, { applicationId, dialogIds: [id], userIds: left }, context.now());
  }
}

function without(ids: number[] = [], others: number[] = []): number[] {
  return ids.filter((id) => !others.includes(id));
}
