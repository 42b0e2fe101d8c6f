import type { Duplex } from 'node:stream';
import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DatabaseConnection } from '../../src/db/connection.ts';
import { isDatabaseUnavailable } from '../../src/db/failures.ts';
import { createPool } from '../../src/db/pool.ts';
import { type OwnDatabase, startOwnDatabase } from '../support/app/postgres-server.ts';

let database: OwnDatabase;
beforeAll(async () => {
  database = await startOwnDatabase();
});
afterAll(() => database.drop());

test('a connection that breaks while the pool checks it out fails only its own statement', async () => {
  const pool = createPool({ ...database.config, max: 1 });
  await pool.query('SELECT 1');

  // The pool hands out the idle connection on the next tick; its socket breaks on the tick after that.
  const taken = pool.connect();
  const [idle] = (pool as unknown as { _idle: { client: { connection: { stream: Duplex } } }[] })._idle;
  idle!.client.connection.stream.destroy(new Error('broken off'));
  const client: pg.PoolClient = await taken;
  await expect(client.query('SELECT 1')).rejects.toThrow();
  client.release(true);

  expect((await pool.query('SELECT 2 AS two')).rows).toEqual([{ two: 2 }]);
  await pool.end();
});

test('a new connection that breaks before its first query fails only that query', async () => {
  const client = new DatabaseConnection(database.config);
  await client.connect();
  (client as unknown as { connection: { stream: Duplex } }).connection.stream.destroy(new Error('broken off'));
  await new Promise((resolve) => client.once('end', resolve));
  await expect(client.query('SELECT 1')).rejects.toThrow();
});

test('a query of a request that is still running when the pool ends fails as of an unavailable database', async () => {
  const pool = createPool(database.config);
  await pool.query('SELECT 1');
  await pool.end();
  const failure = await pool.query('SELECT 1').catch((error) => error);
  expect(isDatabaseUnavailable(failure)).toBe(true);
});
