import { readFileSync } from 'node:fs';
import { query } from '../../db/query.ts';
import { PROJECT_ROOT } from '../../project-root.ts';

export interface ServiceStatus {
  version: string;
  nodeVersion: string;
  postgresVersion: string;
  startedAt: Date;
  databaseBytes: number;
  waitingPushJobs: number;
}

export function serviceVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL('package.json', PROJECT_ROOT), 'utf8')) as { version: string };
  return version;
}

const startedAt = new Date(Date.now() - process.uptime() * 1000);
const MAX_COUNTED_JOBS = 10_000;

/** Of the process that answers, and of the database. */
export async function findServiceStatus(): Promise<ServiceStatus> {
  const [row] = await query<{ postgresVersion: string; databaseBytes: string; waitingPushJobs: number }>`
    SELECT current_setting('server_version') AS "postgresVersion",
      pg_database_size(current_database())::text AS "databaseBytes",
      (SELECT count(*)::int FROM (
        SELECT FROM pgboss.job WHERE state < 'active' LIMIT ${MAX_COUNTED_JOBS}) AS j) AS "waitingPushJobs"`;
  const { postgresVersion, databaseBytes, waitingPushJobs } = row!;
  return {
    version: serviceVersion(),
    nodeVersion: process.versions.node,
    postgresVersion,
    startedAt,
    databaseBytes: Number(databaseBytes),
    waitingPushJobs,
  };
}
