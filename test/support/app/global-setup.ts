import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { startEmbedded } from '../../../src/db/embedded.ts';
import { migrate } from '../../../src/db/migrate.ts';
import { buildSource } from './compiled-source.ts';
import { createRunFolders } from './run-folder.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** URL of the migrated template database, which must have no connections. */
    templateUrl: string;
  }
}

/** Faster settings, because the data need not survive a crash. */
const SERVER_SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: 0,
  max_wal_size: '4GB',
  max_connections: 200,
};

const TEMPLATE = 'template_atrium';

/** Compiles the source and provides one PostgreSQL server for all tests: that of `TEST_DATABASE_URL`, or its own. */
export default async function setup(project: TestProject) {
  const { build, remove } = await createRunFolders();
  const [, { url, stop }] = await Promise.all([buildSource(build), startMigratedServer()]);
  project.provide('builtSource', build);
  project.onTestsRerun(() => buildSource(build));
  project.provide('templateUrl', url);
  return async () => {
    await stop();
    remove();
  };
}

async function startMigratedServer() {
  const { TEST_DATABASE_URL } = process.env;
  const server = await (TEST_DATABASE_URL ? createTemplate(TEST_DATABASE_URL) : startServer());
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  await migrate(client, new URL('../../../prisma/migrations', import.meta.url));
  await client.end();
  return server;
}

function startServer() {
  const flags = Object.entries(SERVER_SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  return startEmbedded({ dataDir: join(tmpdir(), 'postgres'), database: TEMPLATE, flags });
}

async function createTemplate(serverUrl: string) {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  await client.query(`DROP DATABASE IF EXISTS ${TEMPLATE} WITH (FORCE)`);
  await client.query(`CREATE DATABASE ${TEMPLATE} TEMPLATE template0`);
  await client.end();
  const url = new URL(serverUrl);
  url.pathname = `/${TEMPLATE}`;
  return { url: url.href, stop: async () => {} };
}
