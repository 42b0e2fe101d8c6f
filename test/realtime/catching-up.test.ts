import { afterEach, describe, expect, test } from 'vitest';
import { APPLICATION, running, useApp } from '../support/app/app.ts';
import { startAnother } from '../support/app/other-apps.ts';
import { statementsAbout } from '../support/app/query-plans.ts';
import { sql } from '../support/app/sql.ts';
import { rest } from '../support/clients/rest.ts';
import { closeSockets, connect, listenOn, until } from '../support/clients/websocket.ts';
import { createDialog, execute, MESSAGE_SENT, type QuickUser, quickUsers, send } from '../support/fixtures/chat.ts';

useApp();

afterEach(() => closeSockets());

const SUBSCRIPTIONS = 20;
/** Takes several reads of the outbox. */
const MARKS = 2_600;

describe('subscriptions that catch up from the outbox', () => {
  test('resuming subscriptions share reads, receive each event once and in order, and do not delay others', async () => {
    const [alice, bob] = (await quickUsers(2)) as [QuickUser, QuickUser];
    const dialogId = await createDialog(alice, [bob]);
    const { changes } = await execute('{ changes(first: 1) { cursor } }', {}, bob);
    const texts = Array.from({ length: 60 }, (_, nth) => `message ${nth}`);
    for (const text of texts.slice(0, 30)) await send(alice, dialogId, text);
    await sql(
      `INSERT INTO events_outbox (application_id, kind, dialog_id, subject_id, audience_ids, created_at)
      SELECT $1, 'messagesMarked', $2, $2, '{}', now() FROM generate_series(1, ${MARKS})`,
      [APPLICATION.id, dialogId],
    );
    for (const text of texts.slice(30)) await send(alice, dialogId, text);
    // A new process has no recent events in memory.
    const other = await startAnother();
    const socket = await connect(bob, other);
    const reads = await statementsAbout(/FROM events_outbox e .*e\.position <= /s, async () => {
      const listening = [];
      for (let nth = 0; nth < SUBSCRIPTIONS; nth++) {
        listening.push(await listenOn(socket, MESSAGE_SENT, { since: changes.cursor }, other, `s${nth}`));
      }
      expect((await rest('GET', `/users/${alice.id}`, { as: bob })).status).toBe(200);
      await send(alice, dialogId, 'live');
      for (const { atLeast } of listening) {
        const received = await atLeast(61);
        expect(received.map(({ messageSent }) => messageSent.message.text)).toEqual([...texts, 'live']);
      }
    });
    // Without sharing, each subscription would read six times.
    expect(reads.length).toBeLessThan(SUBSCRIPTIONS * 6);
    await until(() => other.services.hub.subscriptionCount === SUBSCRIPTIONS);
    expect(running.app.services.hub.subscriptionCount).toBe(0);
    socket.socket.terminate();
    await other.stop();
  });
});
