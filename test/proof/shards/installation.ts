import pg from 'pg';
import { cliJson } from '../../support/app/cli.ts';
import { type OwnDatabase, startOwnDatabase } from '../../support/app/postgres-server.ts';
import { freePort, startRedis } from '../../support/app/redis.ts';
import { createDataDir, type Service, startService } from '../../support/app/service.ts';
import type { QuickUser } from '../../support/fixtures/chat.ts';

export interface Chat {
  applicationId: number;
  /** Number of the database. */
  database: number;
  alice: QuickUser;
  bob: QuickUser;
  dialogId: string;
  since: string;
}

/** Two PostgreSQL servers, Redis, and two processes of the service. */
export interface Installation {
  databases: OwnDatabase[];
  services: Service[];
  env: Variables & Record<string, string>;
  urls: () => string[];
  end: () => Promise<void>;
}

interface Variables {
  DATABASE_URL: string;
  DATABASE_SHARDS: string;
  REDIS_URL: string;
  DATA_DIR: string;
}

/** @param before called before the databases are set up */
export async function startInstallation(
  before: (env: Variables) => Promise<void> = async () => {},
): Promise<Installation> {
  const databases = [await startOwnDatabase(), await startOwnDatabase()];
  const port = await freePort();
  const stopRedis = await startRedis(port);
  const folder = await createDataDir();
  const services: Service[] = [];
  const env = {
    DATABASE_URL: databases[0]!.url,
    DATABASE_SHARDS: databases[1]!.url,
    REDIS_URL: `redis://127.0.0.1:${port}`,
    DATA_DIR: folder.dataDir,
  };
  await before(env);
  await cliJson(env, 'database', 'shards', 'init');
  services.push(await startService(folder.dataDir, env), await startService(folder.dataDir, env));
  const end = async () => {
    await Promise.all(services.map((service) => service.kill()));
    await stopRedis();
    await folder.remove();
    await Promise.all(databases.map((database) => database.drop()));
  };
  return { databases, services, env, urls: () => services.map(({ url }) => url), end };
}

/** A dialog of two users in an application. */
export async function startChat(
  url: string,
  { applicationId, apiKey }: { applicationId: number; apiKey: string },
): Promise<Chat> {
  const create = 'mutation ($input: CreateUserInput!) { createUser(input: $input) { id } }';
  const ask = (query: string, variables: object, headers = {}) =>
    request(url, query, variables, { Authorization: `ApiKey ${apiKey}`, ...headers });
  const [alice, bob] = await Promise.all(
    ['alice', 'bob'].map(async (login) => {
      const { data } = await ask(create, { input: { login, password: 'password-1' } });
      const { id } = data.createUser;
      return { id, headers: { Authorization: `ApiKey ${apiKey}`, 'On-Behalf-Of': String(id) } };
    }),
  );
  const { data } = await ask(
    'mutation ($input: CreateDialogInput!) { createDialog(input: $input) { id } }',
    { input: { type: 'GROUP', name: 'both', occupantIds: [bob!.id] } },
    alice!.headers,
  );
  const { changes } = (await ask('{ changes(first: 1) { cursor } }', {}, bob!.headers)).data;
  return {
    applicationId,
    database: applicationId % 2,
    alice: alice!,
    bob: bob!,
    dialogId: data.createDialog.id,
    since: changes.cursor,
  };
}

export async function request(
  url: string,
  query: string,
  variables: object,
  headers: Record<string, string>,
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
): Promise<any> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify({ query, variables }),
  });
  return response.json();
}

export async function onDatabase({ config }: OwnDatabase, text: string, values: unknown[] = []) {
  const client = new pg.Client(config);
  await client.connect();
  try {
    return await client.query(text, values);
  } finally {
    await client.end();
  }
}

/** Those with an application in each row. */
export async function tablesOf(database: OwnDatabase): Promise<string[]> {
  const { rows } = await onDatabase(
    database,
    `SELECT table_name AS name FROM information_schema.columns
     WHERE table_schema = 'public' AND column_name = 'application_id' AND table_name <> 'administrator_roles'`,
  );
  return rows.map(({ name }) => name);
}
