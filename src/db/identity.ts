import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { SECOND } from '../lib/time.ts';
import { connectTo } from './connection.ts';

/** Which of the databases of an installation one is. */
interface Identity {
  installation: string;
  number: number;
  count: number;
}

/** Events of one user may come from several databases, and their order is by time. */
const MAX_CLOCK_DIFFERENCE_MS = SECOND;

const READ = 'SELECT installation, number, count FROM database_identity';
const WRITE = `
  INSERT INTO database_identity (installation, number, count) VALUES ($1, $2, $3)
  ON CONFLICT (ensures_one_row) DO UPDATE SET count = excluded.count`;

const READ_LAST_NUMBER = `
  SELECT coalesce(last_value, 0)::int AS last FROM pg_sequences WHERE schemaname = 'public' AND sequencename = 'blobs_id_seq'`;

const IS_USED = 'SELECT EXISTS (SELECT FROM applications) AS "isUsed"';

/**
 * Checks that a database is that of its number in the installation of the first one.
 * @throws {Error} one line that says what to do
 */
export async function requireIdentity(configs: readonly pg.ClientConfig[], number: number): Promise<void> {
  const first = await withClient(configs[0]!, readIdentity);
  if (configs.length === 1 && !first) return;
  const identity = number === 0 ? first : await withClient(configs[number]!, readIdentity);
  const count = configs.length;
  const name = `database ${number}`;
  if (!identity) throw new Error(`${name} is not set up; run \`database shards init\``);
  if (identity.installation !== first?.installation) throw new Error(`${name} belongs to another installation`);
  if (identity.number !== number)
    throw new Error(`${name} was set up as database ${identity.number}; list the databases in their order`);
  if (identity.count > count)
    throw new Error(`the installation has ${identity.count} databases, but ${count} are listed; list all of them`);
  if (identity.count < count)
    throw new Error(
      `the installation has ${identity.count} databases, but ${count} are listed; run \`database shards init\``,
    );
}

/** Numbers the databases; repeat it after adding one. @throws {Error} a database belongs elsewhere, or clocks differ */
export async function assignIdentities(configs: readonly pg.ClientConfig[], step: number): Promise<void> {
  const found = await Promise.all(configs.map((config) => withClient(config, readIdentity)));
  await requireSameTime(configs);
  const installation = found[0]?.installation ?? randomUUID();
  for (const [number, identity] of found.entries()) {
    if (!identity) continue;
    if (identity.installation !== installation) throw new Error(`database ${number} belongs to another installation`);
    if (identity.number !== number)
      throw new Error(
        `database ${number} was set up as database ${identity.number}; list the databases in their order`,
      );
    if (identity.count > configs.length)
      throw new Error(`the installation has ${identity.count} databases, but ${configs.length} are listed`);
  }
  const last = Math.max(...(await Promise.all(configs.map((config) => withClient(config, lastNumber)))));
  for (const [number, config] of configs.entries()) {
    await withClient(config, async (client) => {
      await client.query('BEGIN');
      if (!found[number]) {
        if (number > 0) await requireUnused(client, number);
        await divideNumbers(client, { number, step, last });
      }
      await client.query(WRITE, [installation, number, configs.length]);
      await client.query('COMMIT');
    });
  }
}

/**
 * Numbers of files are unique in the installation, because legacy clients send them without their application: each
 * database continues behind all of them, with numbers that leave a remainder of its own.
 */
async function divideNumbers(
  client: pg.Client,
  { number, step, last }: { number: number; step: number; last: number },
): Promise<void> {
  await client.query('LOCK TABLE blobs IN SHARE ROW EXCLUSIVE MODE');
  await client.query(`ALTER SEQUENCE blobs_id_seq INCREMENT BY ${step}`);
  const latest = Math.max(last, await lastNumber(client));
  const next = (Math.floor(latest / step) + 1) * step + number;
  await client.query(`SELECT setval('blobs_id_seq', $1, false)`, [next]);
}

async function lastNumber(client: pg.Client): Promise<number> {
  return (await client.query<{ last: number }>(READ_LAST_NUMBER)).rows[0]!.last;
}

/** Its applications could have the ids of others. */
async function requireUnused(client: pg.Client, number: number): Promise<void> {
  const { rows } = await client.query<{ isUsed: boolean }>(IS_USED);
  if (rows[0]!.isUsed) throw new Error(`database ${number} already stores applications; use an empty database`);
}

async function requireSameTime(configs: readonly pg.ClientConfig[]): Promise<void> {
  for (const [number, config] of configs.entries()) {
    const difference = await withClient(config, async (client) => {
      const { rows } = await client.query<{ now: Date }>('SELECT clock_timestamp() AS now');
      return Math.abs(rows[0]!.now.getTime() - Date.now());
    });
    if (difference > MAX_CLOCK_DIFFERENCE_MS)
      throw new Error(
        `the clock of database ${number} differs by ${Math.round(difference / SECOND)} s; synchronize it`,
      );
  }
}

async function readIdentity(client: pg.Client): Promise<Identity | undefined> {
  return (await client.query<Identity>(READ)).rows[0];
}

async function withClient<Result>(
  config: pg.ClientConfig,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = await connectTo(config);
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
