import pg from 'pg';
import { expect, test } from 'vitest';
import { cancelOn } from '../../src/db/cancel.ts';
import { useApp } from '../support/app/app.ts';
import { until } from '../support/app/until.ts';
import { lockRows } from '../support/faults/row-lock.ts';
import { currentInstallation } from '../support/fixtures/archives.ts';

useApp();

test('a statement that waits for a lock is cancelled before its connection closes', async () => {
  const { database } = currentInstallation();
  const holder = await lockRows(database, 'LOCK TABLE messages IN ACCESS EXCLUSIVE MODE');
  const client = new pg.Client({ ...database, application_name: holder.env.PGAPPNAME });
  await client.connect();
  const abort = new AbortController();
  const stopListening = await cancelOn(abort.signal, database, client);
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
