import { beforeAll, describe, expect, test } from 'vitest';
import { APPLICATION, useApp } from '../support/app/app.ts';
import { type PlanMode, rowsReadBy, statementsAbout } from '../support/app/query-plans.ts';
import { sql } from '../support/app/sql.ts';
import { rest } from '../support/clients/rest.ts';
import { createDialog, execute, type QuickUser, quickUsers } from '../support/fixtures/chat.ts';

useApp();

const MESSAGES = 8_000;
const OTHER_DIALOGS = 3_000;
/** Messages that the reader has deleted for themselves: the newest ones of the dialog. */
const HIDDEN = 20;
const PAGE = 10;
/** Rows of one page and its senders, readers and reactions. */
const FEW = 300;
/** Seconds of the first message; three messages share each second. */
const START = 1_790_000_000;

let writer: QuickUser;
let reader: QuickUser;
let dialogId: string;

const sentAt = (seq: number) => START + Math.floor(seq / 3);
const messageId = (seq: number, dialog = 1) =>
  `${sentAt(seq).toString(16)}${String(dialog).padStart(10, '0')}${String(seq).padStart(6, '0')}`;

beforeAll(async () => {
  let other: QuickUser;
  [writer, reader, other] = (await quickUsers(3)) as [QuickUser, QuickUser, QuickUser];
  dialogId = await createDialog(writer, [reader]);
  const beside = await createDialog(other, [writer]);
  for (const [number, id] of [dialogId, beside].entries()) {
    await sql(
      `INSERT INTO messages (application_id, id, dialog_id, seq, sender_id, recipient_id, text, send_to_chat, date_sent,
        created_at, updated_at)
      SELECT $1, to_hex(${START} + n / 3) || lpad('${number + 1}', 10, '0') || lpad(n::text, 6, '0'), $2, n, $3, 0, 'x',
        true, ${START} + n / 3, moment, moment
      FROM generate_series(1, ${MESSAGES}) n, LATERAL (SELECT to_timestamp(${START} + n / 3) AS moment) AS created`,
      [APPLICATION.id, id, writer.id],
    );
    await sql(
      `UPDATE dialogs SET last_seq = ${MESSAGES}, message_count = ${MESSAGES},
        last_message_at = to_timestamp(${sentAt(MESSAGES)}) WHERE id = $1`,
      [id],
    );
  }
  await sql(
    `INSERT INTO hidden_messages (application_id, user_id, dialog_id, seq)
    SELECT $1, $2, $3, n FROM generate_series(${MESSAGES - HIDDEN + 1}, ${MESSAGES}) n`,
    [APPLICATION.id, reader.id, dialogId],
  );
  await sql('UPDATE members SET settled_count = $1 WHERE user_id = $2', [HIDDEN, reader.id]);
  await sql(
    `WITH made AS (
      INSERT INTO dialogs (application_id, id, type, user_id, name, created_at, updated_at)
      SELECT $1, lpad(to_hex(n), 24, '0'), 2, $2, 'Other', now(), now() FROM generate_series(1, ${OTHER_DIALOGS}) n
      RETURNING application_id, id
    )
    INSERT INTO members (application_id, dialog_id, user_id, joined_at)
    SELECT application_id, id, $2 + n, now() FROM made, generate_series(0, 1) n`,
    [APPLICATION.id, other.id],
  );
  for (const table of ['messages', 'members', 'dialogs', 'hidden_messages']) await sql(`VACUUM ANALYZE ${table}`);
});

const ABOUT_CHAT = /\b(messages|dialogs|members|hidden_messages|message_marks)\b/;

async function expectFewRows(action: () => Promise<unknown>, modes: PlanMode[], most = FEW): Promise<void> {
  const statements = await statementsAbout(ABOUT_CHAT, action);
  expect(statements).not.toEqual([]);
  for (const statement of statements) {
    for (const mode of modes) {
      const read = await rowsReadBy(statement, mode);
      expect(read, `${mode} plan of ${statement.text}`).toBeLessThanOrEqual(most);
    }
  }
}

describe('a page of a long dialog reads few rows', () => {
  const middle = 4_200;
  const newest = MESSAGES - HIDDEN;
  const PAGES: [what: string, query: string, first: number, second: number][] = [
    ['from the start', '', 1, 2],
    ['from the end', 'sort_desc=date_sent', newest, newest - 1],
    ['after a moment', `date_sent[gt]=${sentAt(middle - 3)}`, middle, middle + 1],
    ['after a late moment', `date_sent[gte]=${sentAt(newest - 200)}`, 7_779, 7_780],
    ['before a moment', `date_sent[lt]=${sentAt(middle)}&sort_desc=date_sent`, middle - 1, middle - 2],
    ['after a creation', `created_at[gte]=${sentAt(middle)}&sort_asc=created_at`, middle, middle + 1],
    ['created last', 'sort_desc=created_at', newest, newest - 1],
    ['changed since', `updated_at[gte]=${sentAt(middle)}&sort_asc=updated_at`, middle, middle + 1],
    ['changed last', 'sort_desc=updated_at', newest, newest - 1],
    ['after an id', `_id[gt]=${messageId(middle)}`, middle + 1, middle + 2],
    ['after a late id', `_id[gt]=${messageId(newest - 100)}`, newest - 99, newest - 98],
    ['after an id by id', `_id[gt]=${messageId(middle)}&sort_asc=_id`, middle + 1, middle + 2],
    ['before an id by id', `_id[lt]=${messageId(middle)}&sort_desc=_id`, middle - 1, middle - 2],
  ];
  test.each(PAGES)('a page of a long dialog %s reads few rows', async (_what, query, first, second) => {
    const path = `/chat/Message?chat_dialog_id=${dialogId}&limit=${PAGE}&mark_as_read=0&${query}`;
    await expectFewRows(async () => {
      const { body } = await rest('GET', path, { as: reader });
      expect(body.items.slice(0, 2).map((item: { _id: string }) => item._id)).toEqual(
        [first, second].map((seq) => messageId(seq)),
      );
    }, ['custom']);
  });

  const CURSORS: [field: string, direction: string, value: (seq: number) => string | number][] = [
    ['DATE_SENT', 'ASC', (seq) => seq],
    ['DATE_SENT', 'DESC', (seq) => seq],
    ['CREATED_AT', 'DESC', (seq) => new Date(sentAt(seq) * 1000).toISOString()],
    ['UPDATED_AT', 'ASC', (seq) => new Date(sentAt(seq) * 1000).toISOString()],
    ['ID', 'ASC', (seq) => messageId(seq)],
  ];
  test.each(CURSORS)('a page after a cursor by %s %s reads few rows', async (field, direction, value) => {
    const after = Buffer.from(JSON.stringify([value(middle), messageId(middle)])).toString('base64url');
    await expectFewRows(async () => {
      const { messages } = await execute(
        `query ($dialogId: ID!, $after: String, $orderBy: MessageOrder) {
          messages(dialogId: $dialogId, first: ${PAGE}, after: $after, orderBy: $orderBy) { edges { node { id } } }
        }`,
        { dialogId, after, orderBy: { field, direction } },
        reader,
      );
      expect(messages.edges[0].node.id).toBe(messageId(direction === 'ASC' ? middle + 1 : middle - 1));
    }, ['custom']);
  });
});

describe('calls whose cost does not depend on the number of messages and dialogs', () => {
  const CALLS: [what: string, method: 'GET' | 'PUT' | 'DELETE', path: () => string, json?: () => object][] = [
    ['the unread total', 'GET', () => '/chat/Message/unread'],
    ['the unread count', 'GET', () => `/chat/Message/unread?chat_dialog_ids=${dialogId}`],
    ['the number of messages', 'GET', () => `/chat/Message?chat_dialog_id=${dialogId}&limit=1&count=1`],
    ['the dialog', 'GET', () => `/chat/Dialog/${dialogId}`],
    ['the list of dialogs', 'GET', () => '/chat/Dialog'],
    ['a message', 'GET', () => `/chat/Message/${messageId(77)}`],
    ['marking a message', 'PUT', () => `/chat/Message/${messageId(77)}`, () => ({ read: 1 })],
    ['marking all read', 'PUT', () => '/chat/Message', () => ({ chat_dialog_id: dialogId, read: 1 })],
    ['marking all unread', 'PUT', () => '/chat/Message', () => ({ chat_dialog_id: dialogId, read: 0 })],
    ['hiding a message', 'DELETE', () => `/chat/Message/${messageId(78)}`],
  ];
  test.each(CALLS)('%s reads few rows', async (_what, method, path, json) => {
    await expectFewRows(async () => {
      const { status } = await rest(method, path(), { as: reader, json: json?.() });
      expect(status).toBe(200);
    }, ['custom', 'generic']);
  });

  const WRITES: [what: string, method: 'PUT' | 'DELETE', path: string, json: object][] = [
    ['editing', 'PUT', `/chat/Message/${messageId(79)}`, { message: 'y' }],
    ['retracting', 'DELETE', `/chat/Message/${messageId(80)}`, { force: 1 }],
  ];
  test.each(WRITES)('%s a message reads few rows', async (_what, method, path, json) => {
    await expectFewRows(async () => {
      const { status } = await rest(method, path, { as: writer, json });
      expect(status).toBe(200);
    }, ['custom', 'generic']);
  });
});
