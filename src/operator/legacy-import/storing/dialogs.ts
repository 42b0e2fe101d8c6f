import type { Transaction } from '../../../db/client.ts';
import { DIALOG_TYPE } from '../../../db/dialog-types.ts';
import { appendDialogEvents } from '../../../realtime/outbox.ts';
import { reloadCatalogue } from '../../../resolvers/classes/catalogue.ts';
import { dataColumns } from '../../../resolvers/dialogs/data.ts';
import { leaveGroups } from '../../../resolvers/dialogs/leave.ts';
import { newFields } from '../../../resolvers/records/changes.ts';
import type { StoredItem } from '../ledger.ts';
import type { Run, StoredDialog } from '../run.ts';
import type { SourceDialog } from '../shapes.ts';
import { storeMarks } from './marks.ts';
import { storeMessages } from './messages.ts';

export async function storeDialogs(run: Run): Promise<void> {
  const { ledger, progress, context } = run;
  progress.begin('dialogs stored', await ledger.size('dialog'));
  for await (const item of ledger.each<SourceDialog>('dialog', String(ledger.cursor.after ?? ''))) {
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
  const { content: now, previous: before } = item;
  const { applicationId } = run.ledger;
  const { since } = run.ledger;
  const users = await lockOccupants(transaction, applicationId, [now.userId, ...now.occupantIds, ...now.adminIds]);
  const pairKey = now.type === DIALOG_TYPE.PRIVATE ? now.occupantIds.join(':') : null;
  const [locked] = await transaction.$queryRaw<{ id: string }[]>`
    SELECT id FROM dialogs WHERE application_id = ${applicationId}
      AND (id = ${now.id} OR pair_key = ${pairKey}) FOR NO KEY UPDATE`;
  if (!locked && since && new Date(now.createdAt) < since && before) return undefined;
  const id = locked?.id ?? now.id;
  // The same two users also have a private dialog here, so the imported messages join it.
  if (id !== now.id) await moveInto(transaction, { applicationId, from: now.id, to: id }, run);
  if (!locked) await insertDialog(transaction, { applicationId, pairKey, now });
  await changeDialog(transaction, { applicationId, id, now, before });
  if (id === now.id) await storeData(transaction, { applicationId, now, before });
  await storeOccupants(transaction, { applicationId, id, now, before, users }, run);
  return { applicationId, id, type: now.type, isKnown: before !== null };
}

/** Prevents their deletion. */
async function lockOccupants(transaction: Transaction, applicationId: number, ids: number[]): Promise<Set<number>> {
  const locked = await transaction.$queryRaw<{ id: number }[]>`
    SELECT id FROM users WHERE application_id = ${applicationId} AND id = ANY(${[...new Set(ids)]}::int[])
    ORDER BY id FOR KEY SHARE`;
  return new Set(locked.map(({ id }) => id));
}

async function moveInto(
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

async function insertDialog(
  transaction: Transaction,
  { applicationId, pairKey, now }: { applicationId: number; pairKey: string | null; now: SourceDialog },
): Promise<void> {
  const { id, type, userId, name, photo, isJoinRequired, createdAt, updatedAt } = now;
  await transaction.dialog.create({
    data: { applicationId, id, type, userId, name, photo, isJoinRequired, pairKey, createdAt, updatedAt },
  });
}

interface Change {
  applicationId: number;
  id: string;
  now: SourceDialog;
  before: SourceDialog | null;
}

async function changeDialog(transaction: Transaction, { applicationId, id, now, before }: Change): Promise<void> {
  const isChanged = (name: keyof SourceDialog) => before === null || before[name] !== now[name];
  const { name, photo, isJoinRequired, userId, updatedAt } = now;
  await transaction.dialog.update({
    where: { applicationId_id: { applicationId, id } },
    data: {
      ...(isChanged('name') ? { name } : {}),
      ...(isChanged('photo') ? { photo } : {}),
      ...(isChanged('isJoinRequired') ? { isJoinRequired } : {}),
      ...(isChanged('userId') ? { userId } : {}),
    },
  });
  await transaction.$executeRaw`
    UPDATE dialogs SET updated_at = greatest(updated_at, ${updatedAt}::timestamptz)
    WHERE application_id = ${applicationId} AND id = ${id}`;
}

async function storeData(transaction: Transaction, { applicationId, now, before }: Omit<Change, 'id'>): Promise<void> {
  if (!now.data || JSON.stringify(now.data) === JSON.stringify(before?.data)) return;
  const { class_name: className, ...values } = now.data;
  const known = (await reloadCatalogue(applicationId)).byName.get(className);
  if (!known) return;
  const { fields } = newFields(known.fields, values);
  await transaction.dialog.update({
    where: { applicationId_id: { applicationId, id: now.id } },
    data: await dataColumns(transaction, { class: known, fields }),
  });
}

async function storeOccupants(
  transaction: Transaction,
  { applicationId, id, now, before, users }: Change & { users: Set<number> },
  { context }: Run,
): Promise<void> {
  const known = (ids: number[]) => ids.filter((userId) => users.has(userId));
  const came = known(now.occupantIds.filter((userId) => !before?.occupantIds.includes(userId)));
  const left = before?.occupantIds.filter((userId) => !now.occupantIds.includes(userId)) ?? [];
  const rose = known(now.adminIds.filter((userId) => !before?.adminIds.includes(userId)));
  const fell = before?.adminIds.filter((userId) => !now.adminIds.includes(userId)) ?? [];
  const joined = now.type === DIALOG_TYPE.PUBLIC_GROUP ? rose : came;
  const joinedNow = await transaction.$executeRaw`
    INSERT INTO members (application_id, dialog_id, user_id, joined_at)
    SELECT ${applicationId}::int, ${id}, unnest(${joined}::int[]), ${now.createdAt}::timestamptz
    ON CONFLICT (application_id, dialog_id, user_id) DO UPDATE SET left_at = NULL, joined_at = excluded.joined_at
    WHERE members.left_at IS NOT NULL`;
  await transaction.$executeRaw`
    UPDATE members SET is_admin = user_id = ANY(${rose}::int[])
    WHERE application_id = ${applicationId} AND dialog_id = ${id} AND left_at IS NULL
      AND user_id = ANY(${[...rose, ...fell]}::int[])`;
  if (joinedNow > 0) {
    await transaction.$executeRaw`
      UPDATE dialogs SET member_version = member_version + 1 WHERE application_id = ${applicationId} AND id = ${id}`;
  }
  if (left.length > 0 && now.type === DIALOG_TYPE.GROUP) {
    await leaveGroups(transaction, { applicationId, dialogIds: [id], userIds: left }, context.now());
  }
}
