import type { StoredDialog } from '../run.ts';
import { insertion, Prisma, type Transaction } from '../service.ts';

/** Newer messages sent here move up, because `seq` and timestamps must ascend together. Deleted ones remain deleted. */
export async function storeMessages(
  transaction: Transaction,
  { applicationId, id: dialogId }: StoredDialog,
  since: Date | null,
): Promise<void> {
  await transaction.$executeRaw`
    UPDATE messages m SET text = s.text, attachments = s.attachments, custom_fields = s.custom_fields,
      updated_at = s.updated_at
    FROM migrated_messages s
    WHERE s.application_id = ${applicationId} AND s.dialog_id = ${dialogId} AND m.application_id = s.application_id
      AND m.id = s.id AND m.dialog_id = s.dialog_id AND m.updated_at < s.updated_at`;
  await transaction.$executeRaw`
    DELETE FROM migrated_messages s
    WHERE s.application_id = ${applicationId} AND s.dialog_id = ${dialogId}
      AND s.created_at < date_trunc('second', ${since}::timestamptz)
      AND NOT EXISTS (SELECT FROM messages m WHERE m.application_id = s.application_id AND m.id = s.id)`;
  // If timestamps contradict the order of the other server, the order wins and timestamps are raised.
  const inserted = await transaction.$queryRaw<{ isAmong: boolean }[]>`
    WITH fresh AS (
      SELECT s.id, s.position, max(s.created_at) OVER rising AS at, max(s.date_sent) OVER rising AS second
      FROM migrated_messages s LEFT JOIN messages m ON m.application_id = s.application_id AND m.id = s.id
      WHERE s.application_id = ${applicationId} AND s.dialog_id = ${dialogId} AND m.id IS NULL
      WINDOW rising AS (ORDER BY s.date_sent, s.position)
    ), positioned AS (
      UPDATE migrated_messages s SET created_at = f.at, date_sent = f.second,
        behind = coalesce((SELECT m.seq - 1 FROM messages m
          WHERE m.application_id = ${applicationId} AND m.dialog_id = ${dialogId} AND m.created_at > f.at
          ORDER BY m.created_at, m.seq LIMIT 1), d.last_seq)
      FROM fresh f, dialogs d
      WHERE s.application_id = ${applicationId} AND s.id = f.id AND d.application_id = ${applicationId}
        AND d.id = ${dialogId}
      RETURNING s.behind < d.last_seq AS is_among
    )
    SELECT bool_or(is_among) AS "isAmong" FROM positioned HAVING count(*) > 0`;
  if (inserted.length === 0) return;
  if (inserted[0]!.isAmong) await raiseSeq(transaction, { applicationId, dialogId });
  await insert(transaction, { applicationId, dialogId });
}

interface DialogKey {
  applicationId: number;
  dialogId: string;
}

/** Negative `seq` avoid collisions, because primary keys are checked after each row. Counts per row would be quadratic. */
async function raiseSeq(transaction: Transaction, { applicationId, dialogId }: DialogKey): Promise<void> {
  for (const table of [Prisma.sql`messages`, Prisma.sql`message_marks`, Prisma.sql`hidden_messages`]) {
    await transaction.$executeRaw`
      WITH shifts AS MATERIALIZED (
        SELECT seq, is_late, (count(*) FILTER (WHERE is_late)
          OVER (ORDER BY seq, is_late ROWS UNBOUNDED PRECEDING))::int AS shift
        FROM (
          SELECT DISTINCT seq, false AS is_late FROM ${table}
          WHERE application_id = ${applicationId} AND dialog_id = ${dialogId}
          UNION ALL SELECT behind, true FROM migrated_messages
          WHERE application_id = ${applicationId} AND dialog_id = ${dialogId} AND behind IS NOT NULL) p
      )
      UPDATE ${table} t SET seq = -(t.seq + s.shift) FROM shifts s
      WHERE t.application_id = ${applicationId} AND t.dialog_id = ${dialogId} AND t.seq = s.seq AND NOT s.is_late
        AND s.shift > 0`;
    await transaction.$executeRaw`
      UPDATE ${table} SET seq = -seq
      WHERE application_id = ${applicationId} AND dialog_id = ${dialogId} AND seq < 0`;
  }
  await transaction.$executeRaw`
    UPDATE members mb SET read_seq = mb.read_seq + s.read, delivered_seq = mb.delivered_seq + s.delivered,
      unread_own_seq = mb.unread_own_seq + s.unread_own, undelivered_own_seq = mb.undelivered_own_seq + s.undelivered_own,
      hidden_seq = mb.hidden_seq + s.hidden
    FROM members o CROSS JOIN LATERAL (
      SELECT count(*) FILTER (WHERE f.behind < o.read_seq)::int AS read,
        count(*) FILTER (WHERE f.behind < o.delivered_seq)::int AS delivered,
        count(*) FILTER (WHERE f.behind < o.unread_own_seq)::int AS unread_own,
        count(*) FILTER (WHERE f.behind < o.undelivered_own_seq)::int AS undelivered_own,
        count(*) FILTER (WHERE f.behind < o.hidden_seq)::int AS hidden
      FROM migrated_messages f WHERE f.application_id = ${applicationId} AND f.dialog_id = ${dialogId}
    ) s
    WHERE mb.application_id = ${applicationId} AND mb.dialog_id = ${dialogId}
      AND o.application_id = mb.application_id AND o.dialog_id = mb.dialog_id AND o.user_id = mb.user_id`;
}

const NEW = insertion<'Message'>({
  id: 's.id',
  dialogId: 's.dialog_id',
  seq: 's.behind + row_number() OVER (ORDER BY s.date_sent, s.position)',
  senderId: 's.sender_id',
  recipientId: 's.recipient_id',
  text: 's.text',
  attachments: 's.attachments',
  customFields: 's.custom_fields',
  clientId: 'NULL',
  sendToChat: 'false',
  dateSent: 's.date_sent',
  createdAt: 's.created_at',
  updatedAt: 'greatest(s.updated_at, s.created_at)',
});

async function insert(transaction: Transaction, { applicationId, dialogId }: DialogKey): Promise<void> {
  await transaction.$executeRaw`
    INSERT INTO messages (application_id, ${NEW.columns}) SELECT ${applicationId}::int, ${NEW.values}
    FROM migrated_messages s
    WHERE s.application_id = ${applicationId} AND s.dialog_id = ${dialogId} AND s.behind IS NOT NULL`;
  await transaction.$executeRaw`
    UPDATE dialogs d SET last_seq = d.last_seq + n.count, message_count = d.message_count + n.count,
      last_message_at = greatest(d.last_message_at, n.latest), updated_at = greatest(d.updated_at, n.latest)
    FROM (SELECT count(*)::int AS count, max(s.created_at) AS latest FROM migrated_messages s
      WHERE s.application_id = ${applicationId} AND s.dialog_id = ${dialogId} AND s.behind IS NOT NULL) n
    WHERE d.application_id = ${applicationId} AND d.id = ${dialogId}`;
}
