import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { startEmbedded } from '../../src/db/embedded.ts';
import { migrate } from '../../src/db/migrate.ts';
import { buildSource } from './built-source.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** URL of the migrated template database, which nobody is connected to. */
    templateUrl: string;
  }
}

/** For the whole run the source in JavaScript, and one PostgreSQL, whose data need not survive a crash. */
export default async function setup(project: TestProject) {
  const built = await buildSource();
  project.provide('builtSource', built.folder);
  project.onTestsRerun(built.again);
  const folder = await mkdtemp(join(tmpdir(), 'atrium-test-'));
  await chmod(folder, 0o755); // as root, PostgreSQL runs as another user, who has to get in
  const flags = ['-c', 'fsync=off', '-c', 'max_connections=200'];
  const postgres = await startEmbedded({ dataDir: join(folder, 'postgres'), database: 'template_atrium', flags });
  const client = new pg.Client(postgres.config);
  await client.connect();
  await migrate(client, new URL('../../prisma/migrations', import.meta.url));
  await client.end();
  project.provide('templateUrl', postgres.url);
  return async () => {
    await built.remove();
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  };
}
