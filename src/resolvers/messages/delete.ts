import type { ActingContext } from '../../context.ts';
import { Prisma, type Transaction } from '../../db/client.ts';
import { DIALOG_TYPE, type DialogType } from '../../db/dialog-types.ts';
import { transactInTurns } from '../../db/lock-turns.ts';
import { type RunStep, runLong } from '../../db/long-work.ts';
import { type ActingViewer, jobOwnerOf, type UserViewer, userOf } from '../../lib/access.ts';
import { groupBy } from '../../lib/collections.ts';
import type { DeletedItems } from '../../lib/deleted-items.ts';
import { NeedUserError, NotFoundError } from '../../lib/errors.ts';
import { distinctIds } from '../../lib/string-ids.ts';
import { appendDialogEvents, type DialogEvent } from '../../realtime/outbox.ts';
import { mayModerate } from '../dialogs/rules.ts';
import { lockUsers } from '../users/lock.ts';
import { type LockedMessage, lockMessages } from './lock.ts';
import { lockMember } from './marks.ts';

export interface Deletion {
  force: boolean;
  /** With `force`: excludes messages of others, which admins may otherwise delete since 2.52.0. */
  ownOnly: boolean;
}

/** `force` deletes for all (by sender, admin or API key), else only hides. */
export async function deleteMessages(
  ids: string[],
  { force, ownOnly }: Deletion,
  context: ActingContext,
): Promise<DeletedItems> {
  const { viewer, now, outbox } = context;
  if (viewer.kind === 'key' && !force) throw new NeedUserError();
  const requested = distinctIds(ids);
  const owner = jobOwnerOf(viewer);
  const removeLocked = (runStep?: RunStep) =>
    transactInTurns(
      owner,
      async (transaction) => {
        await lockUsers(transaction, [], context);
        const locked = await lockMessages(transaction, requested, viewer, 'NO KEY UPDATE');
        const messages = force ? locked : locked.filter((message) => !message.isHidden);
        const allowed = messages.filter((message) => (force ? mayRetract(message, viewer, ownOnly) : mayHide(message)));
        for (const inDialog of groupBy(allowed, (message) => message.dialogId).values()) {
          if (force) await retract(transaction, inDialog);
          else if (viewer.kind === 'user') await hide(transaction, inDialog, viewer);
          await appendDialogEvents(transaction, [deletionEvent(inDialog, force, viewer)], now());
        }
        return { known: idsOf(messages), deleted: idsOf(allowed) };
      },
      runStep,
    );
  // A forced deletion touches the rows of all members.
  const { known, deleted } = force ? await runLong(owner, removeLocked) : await removeLocked();
  if (known.size === 0) throw new NotFoundError();
  outbox.wake();
  return {
    deletedIds: requested.filter((id) => deleted.has(id)),
    notFoundIds: requested.filter((id) => !known.has(id)),
    wrongPermissionsIds: requested.filter((id) => known.has(id) && !deleted.has(id)),
  };
}

function deletionEvent(messages: LockedMessage[], force: boolean, viewer: ActingViewer): DialogEvent {
  const { applicationId, dialogId } = messages[0]!;
  const userId = userOf(viewer);
  const messageIds = messages.map((message) => message.id);
  const audienceIds = force || userId === undefined ? undefined : [userId];
  return { kind: 'messagesDeleted', applicationId, dialogId, userId, detail: { messageIds }, audienceIds };
}

function mayHide({ dialog }: LockedMessage): boolean {
  return dialog.standing !== undefined;
}

function mayRetract({ senderId, dialog }: LockedMessage, viewer: ActingViewer, ownOnly: boolean): boolean {
  if (viewer.kind === 'key') return true;
  if (!dialog.standing) return false;
  return senderId === viewer.userId || (!ownOnly && mayModerate(dialog.type as DialogType, dialog.standing));
}

/** Requires a locked dialog. Hidden messages count as settled, so that the unread count stays correct. */
async function hide(transaction: Transaction, messages: LockedMessage[], { applicationId, userId }: UserViewer) {
  const { dialogId, dialog } = messages[0]!;
  const seqs = messages.map((message) => message.seq);
  await lockMember(transaction, { applicationId, dialogId, userId });
  await transaction.$executeRaw`
    WITH hidden AS (
      INSERT INTO hidden_messages (application_id, user_id, dialog_id, seq)
      SELECT ${applicationId}, ${userId}, ${dialogId}, unnest(${seqs}::int[])
      ON CONFLICT DO NOTHING RETURNING seq
    )
    UPDATE members mb SET settled_count = mb.settled_count + (
      SELECT count(*)::int FROM hidden JOIN messages m ON m.application_id = mb.application_id
        AND m.dialog_id = mb.dialog_id AND m.seq = hidden.seq AND m.sender_id <> mb.user_id
      LEFT JOIN message_marks k ON k.application_id = m.application_id AND k.dialog_id = m.dialog_id
        AND k.seq = m.seq AND k.user_id = mb.user_id
      WHERE NOT coalesce(k.is_read, m.seq <= mb.read_seq))
    WHERE mb.application_id = ${applicationId} AND mb.dialog_id = ${dialogId} AND mb.user_id = ${userId}
      AND ${dialog.type} <> ${DIALOG_TYPE.PUBLIC_GROUP}`;
}

/** Requires a locked dialog. A `seq` is never reused, so that cursors and watermarks stay valid. */
async function retract(transaction: Transaction, messages: LockedMessage[]): Promise<void> {
  const { applicationId, dialogId, dialog } = messages[0]!;
  const seqs = messages.map((message) => message.seq);
  const ids = messages.map((message) => message.id);
  if (dialog.type !== DIALOG_TYPE.PUBLIC_GROUP) await uncount(transaction, messages);
  // Messages first: a reaction locks its message, so that this statement waits for concurrent reactions.
  await transaction.$executeRaw`
    DELETE FROM messages WHERE application_id = ${applicationId} AND id = ANY(${ids}::text[])`;
  await transaction.$executeRaw`
    DELETE FROM reactions WHERE application_id = ${applicationId} AND message_id = ANY(${ids}::text[])`;
  await transaction.$executeRaw`
    DELETE FROM message_marks
    WHERE application_id = ${applicationId} AND dialog_id = ${dialogId} AND seq = ANY(${seqs}::int[])`;
  await transaction.$executeRaw`
    DELETE FROM hidden_messages
    WHERE application_id = ${applicationId} AND dialog_id = ${dialogId} AND seq = ANY(${seqs}::int[])`;
  await transaction.$executeRaw`
    UPDATE dialogs d SET message_count = d.message_count - ${seqs.length},
      last_message_at = (SELECT m.created_at FROM messages m
        WHERE m.application_id = d.application_id AND m.dialog_id = d.id ORDER BY m.seq DESC LIMIT 1)
    WHERE d.application_id = ${applicationId} AND d.id = ${dialogId}`;
}

// Includes former members, who may rejoin. Groups rows by user and looks counts up by key, because a join would be
// quadratic if the planner underestimates a large group.
async function uncount(transaction: Transaction, messages: LockedMessage[]): Promise<void> {
  const { applicationId, dialogId } = messages[0]!;
  const seqs = messages.map((message) => message.seq).sort((a, b) => a - b);
  const inDialog = Prisma.sql`application_id = ${applicationId} AND dialog_id = ${dialogId}`;
  const ofMessages = Prisma.sql`${inDialog} AND seq = ANY(${seqs}::int[])`;
  await transaction.$executeRaw`
    WITH known AS (
      SELECT user_id, NULL::int AS seq, read_seq, NULL::bool AS is_sent, NULL::bool AS is_hidden, NULL::bool AS is_read
      FROM members WHERE ${inDialog}
      UNION ALL SELECT sender_id, seq, NULL, true, NULL, NULL FROM messages WHERE ${ofMessages}
      UNION ALL SELECT user_id, seq, NULL, NULL, true, NULL FROM hidden_messages WHERE ${ofMessages}
      UNION ALL SELECT user_id, seq, NULL, NULL, NULL, is_read FROM message_marks WHERE ${ofMessages}
    ), of_members AS (
      SELECT user_id, seq, is_sent, is_hidden, is_read, max(read_seq) OVER (PARTITION BY user_id) AS read_seq FROM known
    ), states AS (
      SELECT user_id, seq, read_seq, bool_or(is_sent) AS is_sent,
        coalesce(bool_or(is_sent), bool_or(is_hidden), bool_or(is_read), seq <= read_seq) AS is_settled
      FROM of_members WHERE read_seq IS NOT NULL GROUP BY user_id, seq, read_seq
    ), gone AS (
      SELECT user_id, count(*) FILTER (WHERE is_sent)::int AS sent,
        sum(CASE WHEN seq IS NULL THEN width_bucket(read_seq, ${seqs}::int[])
          ELSE is_settled::int - (seq <= read_seq)::int END)::int AS settled
      FROM states GROUP BY user_id
    ), counts AS MATERIALIZED (
      SELECT jsonb_object_agg(user_id, settled) AS settled,
        coalesce(jsonb_object_agg(user_id, sent) FILTER (WHERE sent > 0), '{}') AS sent
      FROM gone WHERE settled > 0
    )
    UPDATE members SET
      settled_count = settled_count - ((SELECT settled FROM counts) ->> user_id::text)::int,
      sent_count = sent_count - coalesce(((SELECT sent FROM counts) ->> user_id::text)::int, 0)
    WHERE ${inDialog} AND (SELECT settled FROM counts) ? user_id::text`;
}

function idsOf(messages: LockedMessage[]): Set<string> {
  return new Set(messages.map(({ id }) => id));
}
