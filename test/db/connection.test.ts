import pg from 'pg';
import { pino } from 'pino';
import { afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { connectTo } from '../../src/db/connection.ts';
import { isDatabaseUnavailable } from '../../src/db/failures.ts';
import { createPool } from '../../src/db/pool.ts';
import { DatabaseProbe } from '../../src/db/probe.ts';
import { freePort } from '../support/app/redis.ts';
import { until } from '../support/app/until.ts';
import { createProxiedDatabase, type ProxiedDatabase } from '../support/faults/proxied-database.ts';
import { type SilentPeer, startSilentPeer } from '../support/faults/silent-peer.ts';

let database: ProxiedDatabase;
let silent: SilentPeer;
let dead: number;

beforeAll(async () => {
  dead = await freePort();
});

beforeEach(async () => {
  database = await createProxiedDatabase();
  silent = await startSilentPeer();
});

afterEach(async () => {
  await silent.stop();
  await database.drop();
});

function urlOf(ports: number[], wanted = 'read-write'): string {
  const { user, database: name } = new pg.Client(database.config);
  const hosts = ports.map((port) => `127.0.0.1:${port}`).join();
  return `postgresql://${user}@${hosts}/${name}?target_session_attrs=${wanted}`;
}

describe('a URL of several servers', () => {
  test.each(['read-write', 'any'])('connections go to the server that responds (%s)', async (wanted) => {
    const ports = [dead, silent.port, database.proxy.port];
    // No timeout of the silent server passes.
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const client = await connectTo({ connectionString: urlOf(ports, wanted) });
    const { rows } = await client.query('SELECT current_database() AS name');
    expect(rows).toEqual([{ name: new pg.Client(database.config).database }]);
    expect(client.port).toBe(database.proxy.port);
    await client.end();
  });

  test('connections of a pool that begin at the same time share the search', async () => {
    const pool = createPool({ connectionString: urlOf([silent.port, database.proxy.port]), max: 5 });
    const clients = await Promise.all(Array.from({ length: 5 }, () => pool.connect()));
    expect(silent.connections()).toBe(1);
    for (const client of clients) client.release();
    await pool.end();
  });

  test('a pool finds the database again after its connections were cut', async () => {
    const pool = createPool({ connectionString: urlOf([dead, database.proxy.port]) });
    await pool.query('SELECT 1');
    database.proxy.cut();
    await pool.query('SELECT 1').catch(() => {});
    expect((await pool.query('SELECT 2 AS two')).rows).toEqual([{ two: 2 }]);
    await pool.end();
  });

  test('a server that hangs does not make the database count as unavailable', async () => {
    const lines: string[] = [];
    const log = pino({ level: 'info' }, { write: (line) => void lines.push(JSON.parse(line).msg) });
    const probe = new DatabaseProbe({ connectionString: urlOf([silent.port, database.proxy.port]) }, log);
    expect(await probe.state()).toBe('writable');
    database.proxy.pause();
    expect(await probe.state()).toBe('unavailable');
    database.proxy.resume();
    await until(async () => (await probe.state()) === 'writable');
    expect(lines).toEqual(['the database does not respond', 'the database accepts writes again']);
    await probe.stop();
  });

  test('without a usable server, the error names each and is one of an unavailable database', async () => {
    const refused = await connectTo({ connectionString: urlOf([dead, silent.port]) }).catch((error) => error);
    expect(refused.message).toMatch(
      new RegExp(
        `^no PostgreSQL server accepts writes: 127.0.0.1:${dead} cannot be reached \\(connect ECONNREFUSED .*\\), ` +
          `127.0.0.1:${silent.port} cannot be reached \\(.*timeout.*\\)$`,
      ),
    );
    expect(isDatabaseUnavailable(refused)).toBe(true);
  });

  test('a server that refuses writes is not used for them', async () => {
    const { user, database: name } = new pg.Client(database.config);
    const client = await connectTo(database.config);
    await client.query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
    await client.end();
    const refused = await connectTo({ connectionString: urlOf([database.proxy.port]) }).catch((error) => error);
    expect(refused.message).toBe(`no PostgreSQL server accepts writes: 127.0.0.1:${database.proxy.port} is read-only`);
    const reader = await connectTo({ connectionString: urlOf([database.proxy.port], 'any') });
    expect((await reader.query('SELECT current_user AS name')).rows).toEqual([{ name: user }]);
    await reader.end();
  });
});
