import { randomUUID } from 'node:crypto';
import { db, type Transaction } from '../../db/client.ts';
import { columns, type RowOf, select } from '../../db/columns.ts';
import { DIALOG_TYPE } from '../../db/dialog-types.ts';
import { newId } from '../../db/ids.ts';
import { query, queryIn } from '../../db/query.ts';
import { BACKGROUND, transact } from '../../db/transact.ts';
import { OutboxReader, type StreamRow } from '../../realtime/outbox-reader.ts';
import { MESSAGE_CHANNELS } from './channels.ts';
import { type PushContext, SPREAD } from './context.ts';

/** After it another process continues. */
const LEASE_SECONDS = 10;

type Progress = 'done' | 'more' | 'gap';

/** One process moves the cursor in the transaction that stores the sends, so that each message is found once. */
export class MessagePushes {
  readonly #context: PushContext;
  readonly #process = randomUUID();
  #reader: OutboxReader | undefined;

  constructor(context: PushContext) {
    this.#context = context;
  }

  /** `gap`: a transaction in flight blocks the next rows. */
  async find(): Promise<Progress> {
    const lease = await this.#acquireLease();
    if (!lease) return 'done';
    if (!lease.hasDevices) {
      await this.#skip();
      return 'done';
    }
    if (this.#reader?.horizon !== lease.position) {
      this.#reader = new OutboxReader();
      this.#reader.horizon = lease.position;
    }
    const { rows, isBehind } = await this.#reader.read();
    if (rows.length > 0) await this.#store(lease.position, rows);
    return isBehind === 'no' ? 'done' : isBehind;
  }

  async release(): Promise<void> {
    await db.$executeRaw`UPDATE push_cursor SET lease_expires_at = NULL WHERE holder = ${this.#process}`;
  }

  async #acquireLease(): Promise<{ position: bigint; hasDevices: boolean } | undefined> {
    const [lease] = await query<{ position: bigint; hasDevices: boolean }>`
      UPDATE push_cursor SET holder = ${this.#process}, lease_expires_at = now() + ${LEASE_SECONDS} * interval '1 second'
      WHERE id = 1 AND (holder = ${this.#process} OR lease_expires_at IS NULL OR lease_expires_at < now())
      RETURNING position, EXISTS (SELECT FROM push_subscriptions) AS "hasDevices"`;
    return lease;
  }

  async #skip(): Promise<void> {
    this.#reader = undefined;
    await db.$executeRaw`
      UPDATE push_cursor SET position = greatest(position, (SELECT max(position) FROM events_outbox))
      WHERE id = 1 AND holder = ${this.#process}`;
  }

  async #store(from: bigint, rows: StreamRow[]): Promise<void> {
    const to = rows.at(-1)!.position;
    const sent = rows.filter(({ kind }) => kind === 'messageSent');
    const isStored = await transact(BACKGROUND, async (transaction) => {
      const moved = await transaction.$executeRaw`
        UPDATE push_cursor SET position = ${to}
        WHERE id = 1 AND holder = ${this.#process} AND position = ${from}`;
      if (moved > 0 && sent.length > 0) await this.#storeSends(transaction, sent);
      return moved > 0;
    });
    // Another process took over and continues from the cursor.
    if (!isStored) this.#reader = undefined;
    else if (sent.length > 0) this.#context.pushNotifier.wake();
  }

  async #storeSends(transaction: Transaction, sent: StreamRow[]): Promise<void> {
    const dialogs = await dialogsToPush(transaction, sent);
    if (dialogs.length === 0) return;
    const at = this.#context.now();
    const sends = dialogs.map((dialog) => ({ ...dialog, id: newId(at), createdAt: at }));
    await transaction.pushSend.createMany({ data: sends });
    const jobs = sends.map(({ applicationId, id }) => ({ applicationId, sendId: id }));
    await this.#context.queue.add(transaction, SPREAD, jobs);
  }
}

const DIALOG = columns({
  applicationId: ['int', 'x.application_id'],
  dialogId: ['text', 'x.dialog_id'],
  firstSeq: ['int', 'min(x.seq)'],
  lastSeq: ['int', 'max(x.seq)'],
});
type PushedDialog = RowOf<[typeof DIALOG]>;

/** Several messages of a dialog become one push. Those of an application that moved here were pushed where they were sent. */
function dialogsToPush(transaction: Transaction, sent: StreamRow[]): Promise<PushedDialog[]> {
  const statement = select`
    SELECT ${DIALOG}
    FROM unnest(${sent.map((row) => row.applicationId)}::int[], ${sent.map((row) => row.subjectId)}::text[],
      ${sent.map((row) => row.position)}::bigint[]) AS notified (application_id, id, position)
    JOIN messages x USING (application_id, id)
    JOIN dialogs d ON d.application_id = x.application_id AND d.id = x.dialog_id
    JOIN applications a ON a.id = x.application_id
    WHERE x.send_to_chat AND a.chat_pushes AND d.type <> ${DIALOG_TYPE.PUBLIC_GROUP}
      AND NOT EXISTS (SELECT FROM moved_positions p WHERE p.application_id = x.application_id
        AND notified.position BETWEEN p.first + p.shift AND p.last + p.shift)
    GROUP BY x.application_id, x.dialog_id
    HAVING EXISTS (SELECT FROM members m
      JOIN push_subscriptions s ON s.application_id = m.application_id AND s.user_id = m.user_id
      WHERE m.application_id = x.application_id AND m.dialog_id = x.dialog_id AND m.left_at IS NULL
        AND s.channel = ANY(${MESSAGE_CHANNELS}::push_channel[]))`;
  return queryIn(transaction, statement);
}
