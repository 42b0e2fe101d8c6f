import pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectDatabase, db } from '../../src/db/client.ts';
import { WorkQueue } from '../../src/db/work-queue.ts';
import { type OwnDatabase, startOwnDatabase } from '../support/app/postgres-server.ts';

let database: OwnDatabase;
beforeAll(async () => {
  database = await startOwnDatabase();
  await connectDatabase(database.config);
});
afterAll(async () => {
  await db.$disconnect();
  await database.drop();
});

test('processes that start at the same time on a new database all get their work queues', async () => {
  const client = new pg.Client(database.config);
  await client.connect();
  for (let round = 0; round < 5; round++) {
    await client.query('DROP SCHEMA IF EXISTS pgboss CASCADE');
    const names = ['one', 'two', 'three'];
    const settings = Object.fromEntries(names.map((name) => [name, { expireInSeconds: 60 }]));
    const queues = names.concat(names).map(() => new WorkQueue(database.config, settings, pino({ level: 'silent' })));
    const started = await Promise.allSettled(queues.map((queue) => queue.start()));
    await Promise.all(queues.map((queue) => queue.stop()));
    expect(started.filter(({ status }) => status === 'rejected')).toEqual([]);
    const { rows } = await client.query('SELECT name FROM pgboss.queue ORDER BY name');
    expect(rows.map(({ name }) => name)).toEqual(expect.arrayContaining(names));
  }
  await client.end();
});
