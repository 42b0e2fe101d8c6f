import { describe, expect, onTestFinished, test } from 'vitest';
import { useApp } from '../../support/app/app.ts';
import { ownConnection, sql } from '../../support/app/sql.ts';
import { until } from '../../support/app/until.ts';
import { createDialog, type QuickUser, quickUsers, send, sendMany } from '../../support/fixtures/chat.ts';

useApp();

/** Exceeds the number of shared statements that run at once. */
const LOCKED = 8;

async function waitingConnections(): Promise<number> {
  const waiting = await sql(
    "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
  );
  return waiting.length;
}

describe('#51 starvation of connections', () => {
  test('messages to many locked dialogs occupy at most two connections, and other dialogs do not wait', async () => {
    const [alice, bob] = (await quickUsers(2)) as [QuickUser, QuickUser];
    const free = await createDialog(bob, [alice]);
    const locked: string[] = [];
    for (let nth = 0; nth < LOCKED; nth++) locked.push(await createDialog(alice, [bob]));
    const holder = await ownConnection();
    onTestFinished(() => holder.end());
    await holder.query('BEGIN');
    await holder.query('SELECT FROM dialogs WHERE id = ANY($1) FOR UPDATE', [locked]);
    let most = 0;
    const sending = locked.map((id) => send(alice, id, 'waits'));
    const isWaiting = async () => {
      most = Math.max(most, await waitingConnections());
      return most > 0;
    };
    await until(isWaiting);
    let isSent = false;
    const beside = sendMany(bob, free, 5).then(() => {
      isSent = true;
    });
    await until(async () => (await isWaiting()) && isSent);
    await beside;
    expect(most).toBeLessThanOrEqual(2);
    await holder.query('ROLLBACK');
    await Promise.all(sending);
  });
});
