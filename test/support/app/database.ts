import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';

export interface TestDatabase {
  /** Of the database that stores the application of the tests. */
  config: pg.ClientConfig;
  /** All databases in their order, if there are several. */
  shards?: pg.ClientConfig[];
  drop: () => Promise<void>;
}

export function createDatabase(): Promise<TestDatabase> {
  return process.env.TEST_DATABASE === 'shards' ? createShards() : createOne();
}

/** Three databases, of which the last one stores the application of the tests. */
export async function createShards(): Promise<TestDatabase & { shards: pg.ClientConfig[] }> {
  const databases = await Promise.all([createOne(), createOne(), createOne()]);
  for (const [number, { config }] of databases.slice(0, -1).entries()) await spreadIds(config, (number + 1) * 100_000);
  const shards = databases.map(({ config }) => config);
  const drop = async () => {
    await Promise.all(databases.map((database) => database.drop()));
  };
  return { config: shards.at(-1)!, shards, drop };
}

/** So that applications of different databases have no ids in common, as in one database. */
async function spreadIds(config: pg.ClientConfig, after: number): Promise<void> {
  const client = new pg.Client(config);
  await client.connect();
  await client.query(
    `SELECT setval(format('%I.%I', schemaname, sequencename)::regclass, $1)
     FROM pg_sequences WHERE sequencename !~ 'applications|administrator|position'`,
    [after],
  );
  await client.end();
}

async function createOne(): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  // A copy of the files takes a third of the time of one through the log.
  await administer((client) => client.query(`CREATE DATABASE ${name} TEMPLATE template_atrium STRATEGY FILE_COPY`));
  return {
    config: { connectionString: urlOf(name) },
    drop: () => administer((client) => client.query(`DROP DATABASE ${name} WITH (FORCE)`)).then(() => {}),
  };
}

/** Ends the connections to a database, and refuses new ones. @returns a function that accepts them again */
export async function closeDatabase({ connectionString }: pg.ClientConfig): Promise<() => Promise<void>> {
  const name = new URL(connectionString!).pathname.slice(1);
  const allow = (isOpen: boolean) =>
    administer(async (client) => {
      await client.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS ${isOpen}`);
    });
  await allow(false);
  await administer((client) =>
    client.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name]),
  );
  return () => allow(true);
}

async function administer<Result>(action: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: urlOf('postgres') });
  await client.connect();
  try {
    return await action(client);
  } finally {
    await client.end();
  }
}

function urlOf(database: string): string {
  const url = new URL(inject('templateUrl'));
  url.pathname = `/${database}`;
  return url.href;
}
