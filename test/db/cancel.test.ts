import pg from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { cancelOn } from '../../src/db/cancel.ts';
import { useApp } from '../support/app/app.ts';
import { until } from '../support/app/until.ts';
import { lockRows } from '../support/faults/row-lock.ts';
import { currentInstallation } from '../support/fixtures/archives.ts';

useApp();

/** Another connection locks the table, so that statements of `client` wait until `abort` cancels them. */
async function lockMessages() {
  const { database } = currentInstallation();
  const holder = await lockRows(database, 'LOCK TABLE messages IN ACCESS EXCLUSIVE MODE');
  const client = new pg.Client({ ...database, application_name: holder.env.PGAPPNAME });
  await client.connect();
  const abort = new AbortController();
  const stopListening = await cancelOn(abort.signal, database, client);
  return { holder, client, abort, stopListening };
}

test('a statement that waits for a lock is cancelled before its connection closes', async () => {
  const { holder, client, abort, stopListening } = await lockMessages();
  const waiting = expect(client.query('SELECT FROM messages')).rejects.toThrow(
    /canceling statement|Connection terminated/,
  );
  await until(holder.isWaitedFor);
  abort.abort();
  await stopListening();
  await client.end();
  await waiting;
  await until(holder.isLeft);
});

test('a statement that begins after the signal is cancelled too', async () => {
  const { holder, client, abort, stopListening } = await lockMessages();
  const query = vi.spyOn(pg.Client.prototype, 'query');
  onTestFinished(() => query.mockRestore());
  const isCancellation = ([text]: unknown[]) => String(text).includes('pg_cancel_backend');
  abort.abort();
  await until(() => query.mock.calls.some(isCancellation));
  await query.mock.results[query.mock.calls.findIndex(isCancellation)]!.value;
  await expect(client.query('SELECT FROM messages')).rejects.toThrow('canceling statement');
  await stopListening();
  await client.end();
  await until(holder.isLeft);
});
