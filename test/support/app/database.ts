import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';

export interface TestDatabase {
  config: pg.ClientConfig;
  drop: () => Promise<void>;
}

export async function createDatabase(): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  // A copy of the files takes a third of the time of one through the log.
  await administer((client) => client.query(`CREATE DATABASE ${name} TEMPLATE template_atrium STRATEGY FILE_COPY`));
  return {
    config: { connectionString: urlOf(name) },
    drop: () => administer((client) => client.query(`DROP DATABASE ${name} WITH (FORCE)`)).then(() => {}),
  };
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
