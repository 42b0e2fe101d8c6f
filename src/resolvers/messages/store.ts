import { Prisma } from '../../db/client.ts';
import { columns, insertion } from '../../db/columns.ts';
import { TYPE_IN_SQL } from '../../db/dialog-types.ts';
import { queryAs } from '../../db/query.ts';
import type { Actor } from '../../lib/actor.ts';
import type { EventOrigin } from '../../realtime/outbox.ts';
import { isRefused } from '../blocks/between.ts';
import { queueByDialog } from './dialog-queues.ts';
import type { MessageRow } from './rows.ts';

type DerivedColumn = 'seq' | 'recipientId' | 'dateSent' | 'createdAt' | 'updatedAt';

interface StoredInput extends Omit<MessageRow, DerivedColumn> {
  /** Whether the client chose `id`, which another message may then have. */
  isIdChosen: boolean;
  /** Idempotency key of the sender. */
  key: string | null;
  at: Date;
  origin: EventOrigin | undefined;
  actor: Actor | undefined;
}

interface StoredMessage {
  message: MessageRow;
  dialogType: number;
}

type Stored = StoredMessage | 'known' | 'no dialog' | 'no occupant' | 'blocked';

const OUTCOME = columns({
  ord: ['int', 'g.ord'],
  dialogType: ['int', 'g."dialogType"'],
  dialogKnown: ['boolean', 'g."dialogKnown"'],
  mayWrite: ['boolean', 'g."mayWrite"'],
  isBlocked: ['boolean', 'g."isBlocked"'],
  hasLock: ['boolean', 'w.id IS NOT NULL'],
  isKnown: ['boolean', 'w.id IS NOT NULL AND s.id IS NULL'],
  seq: ['int | null', 's.seq'],
  recipientId: ['int', 's.recipient_id'],
  dateSent: ['int', 's.date_sent'],
  createdAt: ['time', 's.created_at'],
});

const INPUT_TYPES: Record<keyof Omit<StoredInput, 'applicationId' | 'actor'> | 'ord', string> = {
  ord: 'int',
  dialogId: 'text',
  senderId: 'int',
  id: 'text',
  text: 'text',
  attachments: 'json',
  customFields: 'json',
  sendToChat: 'boolean',
  clientId: 'text',
  isIdChosen: 'boolean',
  key: 'text',
  origin: 'jsonb',
  at: 'timestamptz(3)',
};
const INPUT = Prisma.raw(
  Object.entries(INPUT_TYPES)
    .map(([name, type]) => `"${name}" ${type}`)
    .join(', '),
);

const NEW = insertion<'Message'>({
  id: 'p.id',
  dialogId: 'p."dialogId"',
  seq: 'c.before + p.nth',
  senderId: 'p."senderId"',
  recipientId: 'p."recipientId"',
  text: 'p.text',
  attachments: 'p.attachments',
  customFields: 'p."customFields"',
  clientId: 'p."clientId"',
  sendToChat: 'p."sendToChat"',
  dateSent: 'floor(extract(epoch FROM p."createdAt"))::int',
  createdAt: 'p."createdAt"',
  updatedAt: 'p."createdAt"',
});

/**
 * Stores messages of many callers in one statement, at most one statement per dialog at a time; its parts:
 *
 *     input ──► locked ──► writable ──► claimed ──► unsent ──► placed ─┬─► counted ─┬─► stored ──► published
 *                                                                      │            │
 *                                                                      └► settled   └ the seq before the new messages
 *
 * - `input`: the messages with their dialogs and recipients, whether the sender may write there or a block applies, and
 *   whether a chosen id is taken
 * - `locked`: the rows of these dialogs; `writable`: the messages whose dialog is locked
 * - `claimed`: the keys that are new, in `message_keys`; `unsent`: the messages that are no retry, one for each id
 * - `placed`: the number within the statement and the time
 * - `counted`: the new `last_seq` and counts of the dialogs; `stored`: the messages
 * - `settled`: the counts of members, except in public dialogs; `published`: one event per message
 *
 * `created_at` never decreases within a dialog, so that `date_sent` and `seq` agree even if clocks differ. A concurrent
 * insert of the same key blocks until the other transaction ends. Only writable messages claim keys, so that a key
 * always has a stored message.
 * @returns in the order of the messages; undefined if the dialog is locked and no `lockTimeoutMs` was given
 */
async function storeMessages(
  inputs: StoredInput[],
  applicationId: number,
  lockTimeoutMs?: number,
): Promise<(Stored | undefined)[]> {
  const input = inputs.map(({ at, applicationId: _same, actor: _actor, ...input }, ord) => ({
    ord,
    ...input,
    at: at.toISOString(),
  }));
  const isShared = lockTimeoutMs === undefined;
  const rows = await queryAs(inputs[0]!.actor)`
    WITH input AS MATERIALIZED (
      SELECT g.*, d.type AS "dialogType", d.id IS NOT NULL AS "dialogKnown",
        d.id IS NOT NULL AND (d.type = ${TYPE_IN_SQL.PUBLIC_GROUP} OR EXISTS (
          SELECT FROM members m
          WHERE m.application_id = ${applicationId} AND m.dialog_id = d.id AND m.user_id = g."senderId"
            AND m.left_at IS NULL)) AS "mayWrite",
        CASE WHEN g."isIdChosen" THEN (SELECT true FROM messages x
          WHERE x.application_id = ${applicationId} AND x.id = g.id) END IS TRUE AS "isTaken",
        r."recipientId", CASE WHEN r."recipientId" <> 0 THEN ${isBlocked(applicationId)} END IS TRUE AS "isBlocked"
      FROM json_to_recordset(${JSON.stringify(input)}::json) AS g (${INPUT})
      LEFT JOIN dialogs d ON d.application_id = ${applicationId} AND d.id = g."dialogId"
      CROSS JOIN LATERAL (SELECT CASE WHEN d.pair_key IS NULL THEN 0
        WHEN split_part(d.pair_key, ':', 1)::int = g."senderId" THEN split_part(d.pair_key, ':', 2)::int
        ELSE split_part(d.pair_key, ':', 1)::int END AS "recipientId") r
    ), locked AS MATERIALIZED (
      SELECT d.id, d.type, d.last_message_at
      FROM dialogs d
      WHERE d.application_id = ${applicationId} AND d.id IN (
          SELECT "dialogId" FROM input WHERE "mayWrite" AND NOT "isBlocked")
        ${isShared ? Prisma.empty : lockTimeout(lockTimeoutMs)}
      ORDER BY d.id
      FOR NO KEY UPDATE ${isShared ? SKIP_LOCKED : Prisma.empty}
    ), writable AS MATERIALIZED (
      SELECT g.*, l.type, l.last_message_at
      FROM input g JOIN locked l ON l.id = g."dialogId"
      WHERE g."mayWrite" AND NOT g."isBlocked"
    ), claimed AS MATERIALIZED (
      INSERT INTO message_keys (application_id, user_id, key, message_id)
      SELECT ${applicationId}::int, "senderId", key, id FROM writable
      WHERE key IS NOT NULL AND NOT "isTaken" ORDER BY 2, 3
      ON CONFLICT DO NOTHING RETURNING user_id, message_id
    ), unsent AS MATERIALIZED (
      SELECT DISTINCT ON (w.id) w.*
      FROM writable w LEFT JOIN claimed c ON c.message_id = w.id AND c.user_id = w."senderId"
      WHERE w.key IS NULL OR c.message_id IS NOT NULL
      ORDER BY w.id, w.ord
    ), placed AS MATERIALIZED (
      SELECT g.*,
        row_number() OVER dialog::int AS nth,
        greatest(g.last_message_at, max(g.at) OVER dialog) AS "createdAt"
      FROM unsent g
      WINDOW dialog AS (PARTITION BY g."dialogId" ORDER BY g.ord)
    ), counted AS (
      UPDATE dialogs d SET last_seq = d.last_seq + p.messages, message_count = d.message_count + p.messages,
        last_message_at = p.latest, updated_at = greatest(d.updated_at, p.latest)
      FROM (SELECT "dialogId", count(*)::int AS messages, max("createdAt") AS latest FROM placed GROUP BY 1) p
      WHERE d.application_id = ${applicationId} AND d.id = p."dialogId"
      RETURNING d.id, d.last_seq - p.messages AS before
    ), stored AS (
      INSERT INTO messages (application_id, ${NEW.columns}) SELECT ${applicationId}::int, ${NEW.values}
      FROM placed p JOIN counted c ON c.id = p."dialogId"
      RETURNING id, dialog_id, seq, sender_id, recipient_id, date_sent, created_at
    ), settled AS (
      UPDATE members m SET settled_count = m.settled_count + p.messages, sent_count = m.sent_count + p.messages
      FROM (SELECT "dialogId", "senderId", count(*)::int AS messages
        FROM placed WHERE type <> ${TYPE_IN_SQL.PUBLIC_GROUP} GROUP BY 1, 2) p
      WHERE m.application_id = ${applicationId} AND m.dialog_id = p."dialogId" AND m.user_id = p."senderId"
    ), published AS (
      INSERT INTO events_outbox (application_id, kind, dialog_id, subject_id, user_id, detail, created_at)
      SELECT ${applicationId}::int, 'messageSent', s.dialog_id, s.id, s.sender_id,
        CASE WHEN p.origin IS NOT NULL THEN jsonb_build_object('origin', p.origin) END, s.created_at
      FROM stored s JOIN placed p ON p.id = s.id ORDER BY s.dialog_id, s.seq
    )
    SELECT ${OUTCOME}
    FROM input g LEFT JOIN writable w ON w.ord = g.ord
    LEFT JOIN placed p ON p.ord = g.ord
    LEFT JOIN stored s ON s.id = p.id`;
  const sent = new Map(rows.map((row) => [row.ord, row]));
  return inputs.map((input, ord) => {
    const { dialogType, dialogKnown, mayWrite, isBlocked, hasLock, isKnown, seq, recipientId, dateSent, createdAt } =
      sent.get(ord)!;
    if (dialogKnown && !mayWrite) return 'no occupant';
    if (isBlocked) return 'blocked';
    if (isShared && mayWrite && !hasLock) return undefined;
    if (isKnown) return 'known';
    if (seq === null) return 'no dialog';
    const { at: _at, isIdChosen: _isIdChosen, key: _key, origin: _origin, actor: _actor, ...content } = input;
    const message: MessageRow = { ...content, seq, recipientId, dateSent, createdAt, updatedAt: createdAt };
    return { message, dialogType };
  });
}

function isBlocked(applicationId: number): Prisma.Sql {
  return isRefused(applicationId, Prisma.sql`g."senderId"`, Prisma.sql`r."recipientId"`);
}

const SKIP_LOCKED = Prisma.raw('SKIP LOCKED');

/** A condition that PostgreSQL evaluates before it locks the first row. */
function lockTimeout(milliseconds: number): Prisma.Sql {
  return Prisma.sql`AND (SELECT set_config('lock_timeout', ${String(milliseconds)}, true)) IS NOT NULL`;
}

/** Waits with others of the dialog for the next statement. */
export const storeMessage = queueByDialog(storeMessages);
