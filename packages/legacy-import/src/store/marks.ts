import type { StoredDialog } from '../run.ts';
import { DIALOG_TYPE, type Transaction } from '../service.ts';

/** The result is the union of both servers: nothing that was read here becomes unread. */
export async function storeMarks(transaction: Transaction, dialog: StoredDialog): Promise<void> {
  if (dialog.type !== DIALOG_TYPE.PUBLIC_GROUP) await addFormerMembers(transaction, dialog);
  await hideMessages(transaction, dialog);
  if (dialog.type !== DIALOG_TYPE.PUBLIC_GROUP) {
    await raiseWatermarks(transaction, dialog);
    await insertMarks(transaction, dialog);
    await countMessages(transaction, dialog);
    if (dialog.type === DIALOG_TYPE.PRIVATE && !dialog.isKnown) await hideDialog(transaction, dialog);
  }
  await muteDialog(transaction, dialog);
  await insertReactions(transaction, dialog);
}

/** Former members keep what they sent and read. */
async function addFormerMembers(transaction: Transaction, { applicationId, id }: StoredDialog): Promise<void> {
  await transaction.$executeRaw`
    INSERT INTO members (application_id, dialog_id, user_id, joined_at, left_at)
    SELECT d.application_id, d.id, p.user_id, d.created_at, d.created_at
    FROM dialogs d, (
      SELECT s.sender_id AS user_id FROM migrated_messages s
      WHERE s.application_id = ${applicationId} AND s.dialog_id = ${id}
      UNION SELECT unnest(s.read_ids || s.delivered_ids) FROM migrated_messages s
      WHERE s.application_id = ${applicationId} AND s.dialog_id = ${id}) p
    WHERE d.application_id = ${applicationId} AND d.id = ${id}
    ON CONFLICT DO NOTHING`;
}

async function hideMessages(transaction: Transaction, { applicationId, id }: StoredDialog): Promise<void> {
  await transaction.$executeRaw`
    INSERT INTO hidden_messages (application_id, user_id, dialog_id, seq)
    SELECT m.application_id, (i.content ->> 'userId')::int, m.dialog_id, m.seq
    FROM migrated_items i JOIN messages m ON m.application_id = i.application_id AND m.dialog_id = i.container
      AND m.id = i.content ->> 'messageId'
    WHERE i.application_id = ${applicationId} AND i.kind = 'hidden' AND i.container = ${id}
    ON CONFLICT DO NOTHING`;
}

async function raiseWatermarks(transaction: Transaction, { applicationId, id }: StoredDialog): Promise<void> {
  await transaction.$executeRaw`
    UPDATE members mb SET
      read_seq = coalesce((
        SELECT m.seq - 1 FROM messages m
        LEFT JOIN migrated_messages s ON s.application_id = m.application_id AND s.id = m.id
        LEFT JOIN message_marks k ON k.application_id = m.application_id AND k.dialog_id = m.dialog_id
          AND k.seq = m.seq AND k.user_id = mb.user_id
        WHERE m.application_id = mb.application_id AND m.dialog_id = mb.dialog_id AND m.seq > mb.read_seq
          AND NOT coalesce(mb.user_id = ANY(s.read_ids), false)
          AND NOT coalesce(k.is_read, s.id IS NULL AND m.sender_id = mb.user_id AND m.seq > mb.unread_own_seq)
        ORDER BY m.seq LIMIT 1), d.last_seq),
      delivered_seq = coalesce((
        SELECT m.seq - 1 FROM messages m
        LEFT JOIN migrated_messages s ON s.application_id = m.application_id AND s.id = m.id
        LEFT JOIN message_marks k ON k.application_id = m.application_id AND k.dialog_id = m.dialog_id
          AND k.seq = m.seq AND k.user_id = mb.user_id
        WHERE m.application_id = mb.application_id AND m.dialog_id = mb.dialog_id AND m.seq > mb.delivered_seq
          AND NOT coalesce(mb.user_id = ANY(s.delivered_ids), false)
          AND NOT coalesce(k.is_delivered,
            s.id IS NULL AND m.sender_id = mb.user_id AND m.seq > mb.undelivered_own_seq)
        ORDER BY m.seq LIMIT 1), d.last_seq)
    FROM dialogs d
    WHERE d.application_id = mb.application_id AND d.id = mb.dialog_id
      AND mb.application_id = ${applicationId} AND mb.dialog_id = ${id}`;
}

/** Deviations from a watermark, and messages inserted below one. Senders have read their own messages. */
async function insertMarks(transaction: Transaction, { applicationId, id }: StoredDialog): Promise<void> {
  await transaction.$executeRaw`
    WITH imported AS MATERIALIZED (
      SELECT m.seq, m.sender_id, s.read_ids, s.delivered_ids, s.behind IS NOT NULL AS is_fresh
      FROM migrated_messages s JOIN messages m ON m.application_id = s.application_id AND m.id = s.id
      WHERE s.application_id = ${applicationId} AND s.dialog_id = ${id} AND m.dialog_id = s.dialog_id
    ), readers AS MATERIALIZED (
      SELECT mb.user_id, mb.read_seq, mb.delivered_seq, mb.unread_own_seq, mb.undelivered_own_seq FROM members mb
      WHERE mb.application_id = ${applicationId} AND mb.dialog_id = ${id}
    ), compared AS (
      SELECT s.seq, r.user_id,
        r.user_id = ANY(s.read_ids) AS is_read, r.user_id = ANY(s.delivered_ids) AS is_delivered,
        s.seq <= r.read_seq OR s.sender_id = r.user_id AND s.seq > r.unread_own_seq AS counts_as_read,
        s.seq <= r.delivered_seq OR s.sender_id = r.user_id AND s.seq > r.undelivered_own_seq AS counts_as_delivered,
        s.is_fresh
      FROM imported s, readers r
      WHERE s.seq > least(r.read_seq, r.delivered_seq) OR s.is_fresh
    ), changed AS (
      SELECT seq, user_id,
        CASE WHEN is_read <> counts_as_read AND (is_read OR is_fresh) THEN is_read END AS is_read,
        CASE WHEN is_delivered <> counts_as_delivered AND (is_delivered OR is_fresh) THEN is_delivered END AS is_delivered
      FROM compared
    )
    INSERT INTO message_marks AS k (application_id, dialog_id, seq, user_id, is_read, is_delivered)
    SELECT ${applicationId}::int, ${id}, seq, user_id, is_read, is_delivered FROM changed
    WHERE is_read IS NOT NULL OR is_delivered IS NOT NULL
    ON CONFLICT (application_id, dialog_id, seq, user_id) DO UPDATE
    SET is_read = coalesce(excluded.is_read, k.is_read), is_delivered = coalesce(excluded.is_delivered, k.is_delivered)`;
  await transaction.$executeRaw`
    DELETE FROM message_marks k USING members mb
    WHERE k.application_id = ${applicationId} AND k.dialog_id = ${id} AND mb.application_id = k.application_id
      AND mb.dialog_id = k.dialog_id AND mb.user_id = k.user_id
      AND (k.is_read IS NULL OR k.is_read AND k.seq <= mb.read_seq)
      AND (k.is_delivered IS NULL OR k.is_delivered AND k.seq <= mb.delivered_seq)`;
}

async function countMessages(transaction: Transaction, { applicationId, id }: StoredDialog): Promise<void> {
  await transaction.$executeRaw`
    WITH sent AS (
      SELECT m.sender_id AS user_id, count(*)::int AS number FROM messages m
      WHERE m.application_id = ${applicationId} AND m.dialog_id = ${id} GROUP BY 1
    )
    UPDATE members mb SET sent_count = coalesce(s.number, 0), settled_count = d.message_count - (
      SELECT count(*)::int FROM messages m
      WHERE m.application_id = mb.application_id AND m.dialog_id = mb.dialog_id AND m.seq > mb.read_seq
        AND m.sender_id <> mb.user_id AND NOT EXISTS (SELECT FROM message_marks k
          WHERE k.application_id = m.application_id AND k.dialog_id = m.dialog_id AND k.seq = m.seq
            AND k.user_id = mb.user_id AND k.is_read)
        AND NOT EXISTS (SELECT FROM hidden_messages h WHERE h.application_id = m.application_id
          AND h.user_id = mb.user_id AND h.dialog_id = m.dialog_id AND h.seq = m.seq)
    ) - (
      SELECT count(*)::int FROM message_marks k
      JOIN messages m ON m.application_id = k.application_id AND m.dialog_id = k.dialog_id AND m.seq = k.seq
      WHERE k.application_id = mb.application_id AND k.dialog_id = mb.dialog_id AND k.user_id = mb.user_id
        AND k.seq <= mb.read_seq AND k.is_read = false AND m.sender_id <> mb.user_id
        AND NOT EXISTS (SELECT FROM hidden_messages h WHERE h.application_id = m.application_id
          AND h.user_id = mb.user_id AND h.dialog_id = m.dialog_id AND h.seq = m.seq))
    FROM dialogs d, members o LEFT JOIN sent s ON s.user_id = o.user_id
    WHERE d.application_id = ${applicationId} AND d.id = ${id} AND mb.application_id = d.application_id
      AND mb.dialog_id = d.id AND o.application_id = mb.application_id AND o.dialog_id = mb.dialog_id
      AND o.user_id = mb.user_id`;
}

/** Occupants whose list was not read remain unchanged. */
async function hideDialog(transaction: Transaction, { applicationId, id }: StoredDialog): Promise<void> {
  await transaction.$executeRaw`
    UPDATE members mb SET hidden_seq = d.last_seq FROM dialogs d
    WHERE d.application_id = mb.application_id AND d.id = mb.dialog_id AND mb.application_id = ${applicationId}
      AND mb.dialog_id = ${id} AND mb.left_at IS NULL
      AND EXISTS (SELECT FROM migrated_items a WHERE a.application_id = ${applicationId} AND a.kind = 'dialog list'
        AND a.id = mb.user_id::text)
      AND NOT EXISTS (SELECT FROM migrated_items p WHERE p.application_id = ${applicationId} AND p.kind = 'listed dialog'
        AND p.container = ${id} AND p.content ->> 'userId' = mb.user_id::text)`;
}

async function muteDialog(transaction: Transaction, { applicationId, id }: StoredDialog): Promise<void> {
  await transaction.$executeRaw`
    INSERT INTO muted_dialogs (application_id, dialog_id, user_id)
    SELECT u.application_id, ${id}, u.id FROM migrated_items i
    JOIN dialogs d ON d.application_id = i.application_id AND d.id = ${id}
    JOIN users u ON u.application_id = i.application_id AND u.id = (i.content ->> 'userId')::int
    WHERE i.application_id = ${applicationId} AND i.kind = 'muted' AND i.container = ${id}
    ON CONFLICT DO NOTHING`;
}

async function insertReactions(transaction: Transaction, { applicationId, id }: StoredDialog): Promise<void> {
  await transaction.$executeRaw`
    INSERT INTO reactions (application_id, message_id, user_id, name)
    SELECT m.application_id, m.id, u.id, r.reaction ->> 1
    FROM migrated_items i
    JOIN messages m ON m.application_id = i.application_id AND m.id = i.id
    CROSS JOIN LATERAL json_array_elements(i.content) WITH ORDINALITY AS r (reaction, ord)
    JOIN users u ON u.application_id = i.application_id AND u.id = (r.reaction ->> 0)::int
    WHERE i.application_id = ${applicationId} AND i.kind = 'reactions' AND i.container = ${id}
    ORDER BY i.id, r.ord
    ON CONFLICT DO NOTHING`;
}
