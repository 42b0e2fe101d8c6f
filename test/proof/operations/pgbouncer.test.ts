import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import pg from 'pg';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { accountFor } from '../../../src/db/embedded/account.ts';
import { useApp } from '../../support/app/app.ts';
import { type OwnDatabase, startOwnDatabase } from '../../support/app/postgres-server.ts';
import { freePort } from '../../support/app/redis.ts';
import { createDataDir, startService } from '../../support/app/service.ts';
import { until } from '../../support/app/until.ts';
import { createDialog, type QuickUser, quickUsers } from '../../support/fixtures/chat.ts';
import { Random } from '../../support/fixtures/random.ts';
import { expectReceivedOnce, expectStoredOnce, notifiedEvents } from '../chaos/assertions.ts';
import { Listener } from '../chaos/listener.ts';
import { Writer } from '../chaos/writer.ts';

const PGBOUNCER = [
  process.env.PGBOUNCER_BIN ?? '',
  ...(process.env.PATH ?? '').split(':').map((one) => `${one}/pgbouncer`),
]
  .filter(existsSync)
  .find(
    (path) => Number(/PgBouncer 1\.(\d+)/.exec(execFileSync(path, ['--version'], { encoding: 'utf8' }))?.[1]) >= 21,
  );
if (!PGBOUNCER) console.info('PgBouncer 1.21 or newer is not installed: the pooler of docs/scaling.md is not tested.');

const ROLE = 'pooled';

let database: OwnDatabase;
let guide: string;

useApp({
  database: async () => {
    database = await startOwnDatabase();
    return database;
  },
});

beforeAll(async () => {
  guide = await readFile(resolve(import.meta.dirname, '../../../docs/scaling.md'), 'utf8');
});

/** The block of the guide in this language. */
const block = (language: string) => new RegExp(`^ *\`\`\`${language}\\n([\\s\\S]*?)^ *\`\`\`$`, 'm').exec(guide)![1]!;

/** Starts PgBouncer with the settings of the guide. @returns its port */
async function startPooler(): Promise<number> {
  const { host, port, database: name } = new pg.Client(database.config);
  const { dataDir, remove } = await createDataDir();
  const listening = await freePort();
  const target = `host=${host} port=${port} dbname=${name} `;
  const own = `listen_addr = 127.0.0.1\nlisten_port = ${listening}\nunix_socket_dir =\nauth_type = trust\nauth_file = ${dataDir}/users.txt\n`;
  const settings =
    block('ini').replace('host=postgres.internal port=5432 dbname=atrium ', target).replaceAll(/^ +/gm, '') + own;
  expect(settings).toContain(target);
  await writeFile(join(dataDir, 'pgbouncer.ini'), settings);
  await writeFile(join(dataDir, 'users.txt'), `"${ROLE}" ""\n`);
  await chmod(dataDir, 0o755);
  const child = spawn(PGBOUNCER!, [join(dataDir, 'pgbouncer.ini')], {
    ...accountFor(dataDir),
    cwd: '/',
    stdio: 'ignore',
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    await remove();
  });
  const url = `postgresql://${ROLE}@127.0.0.1:${listening}/atrium`;
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`PgBouncer exited with ${child.exitCode}`);
    const client = new pg.Client({ connectionString: url });
    return client.connect().then(
      () => client.end().then(() => true),
      () => false,
    );
  });
  return listening;
}

test.skipIf(!PGBOUNCER)(
  'processes behind the PgBouncer of docs/scaling.md store and deliver each message once',
  {
    timeout: 600_000,
  },
  async () => {
    const owner = new pg.Client(database.config);
    await owner.connect();
    onTestFinished(() => owner.end());
    await owner.query(`CREATE ROLE ${ROLE} SUPERUSER LOGIN`);
    await owner.query(block('sql').replaceAll(' atrium ', ` ${ROLE} `));
    const port = await startPooler();
    const pooled = `postgresql://${ROLE}@127.0.0.1:${port}/atrium`;
    const { host, port: ofServer, database: name } = new pg.Client(database.config);
    const direct = `postgresql://${ROLE}@${encodeURIComponent(host)}:${ofServer}/${name}`;

    const client = new pg.Client({ connectionString: pooled });
    await client.connect();
    const { rows } = await client.query(`SELECT name, setting FROM pg_settings WHERE name = ANY($1) ORDER BY name`, [
      ['TimeZone', 'jit', 'lock_timeout', 'statement_timeout', 'idle_in_transaction_session_timeout'],
    ]);
    await client.end();
    expect(Object.fromEntries(rows.map((row) => [row.name, row.setting]))).toEqual({
      TimeZone: 'UTC',
      idle_in_transaction_session_timeout: '60000',
      jit: 'off',
      lock_timeout: '10000',
      statement_timeout: '60000',
    });

    const { dataDir, remove } = await createDataDir();
    const settings = { DATABASE_URL: pooled, DATABASE_DIRECT_URL: direct };
    const services = await Promise.all([startService(dataDir, settings), startService(dataDir, settings)]);
    onTestFinished(async () => {
      await Promise.all(services.map((service) => service.kill()));
      await remove();
    });
    const [alice, bob] = (await quickUsers(2)) as [QuickUser, QuickUser];
    const dialogId = await createDialog(alice, [bob]);
    const { rows: positions } = await owner.query<{ since: string }>(
      'SELECT max(position) AS since FROM events_outbox',
    );
    const { since } = positions[0]!;
    const urls = () => services.map(({ url }) => url);
    const listener = new Listener(
      { user: bob, dialogId, via: 'socket', withMessages: true, since },
      urls,
      new Random(1),
    );
    const listening = listener.listen();
    const writers = Array.from({ length: 30 }, (_, nth) => new Writer(alice, [dialogId], urls, new Random(nth), nth));
    await Promise.all(
      writers.map(async (writer) => {
        for (let count = 0; count < 10; count++) await writer.send(dialogId);
      }),
    );
    const notified = await notifiedEvents(since);
    await until(() => listener.received.length >= notified.length);
    listener.stop();
    await listening;
    await expectStoredOnce(writers.flatMap(({ acknowledged }) => acknowledged));
    expectReceivedOnce(listener, notified);
    expect(notified).toHaveLength(300);
  },
);
