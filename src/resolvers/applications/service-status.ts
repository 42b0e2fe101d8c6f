import { readFileSync } from 'node:fs';
import type { Context } from '../../context.ts';
import { query } from '../../db/query.ts';
import { fromReachable } from '../../db/shards.ts';
import { PROJECT_ROOT } from '../../project-root.ts';
import type { ChatFigures } from '../../realtime/rooms.ts';

export interface ServiceStatus {
  version: string;
  nodeVersion: string;
  postgresVersion: string;
  startedAt: Date;
  isDatabaseReadOnly: boolean;
  databaseBytes: number;
  fileBytes: number;
  /** Null: the file system does not report them. */
  diskFreeBytes: number | null;
  diskTotalBytes: number | null;
  waitingPushJobs: number;
  chat: ChatStatus | null;
}

/** The live chat of legacy clients. */
export interface ChatStatus extends Omit<ChatFigures, 'isOn'> {
  /** Dialogs that clients of any process have joined. */
  rooms: number;
}

export function serviceVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL('package.json', PROJECT_ROOT), 'utf8')) as { version: string };
  return version;
}

const startedAt = new Date(Date.now() - process.uptime() * 1000);

/** Rows without an owner count all files of an application. */
const ALL_FILES = 0;

export const MAX_COUNTED_JOBS = 10_000;

/** Of the process that answers, and of the databases that respond. */
export async function findServiceStatus({
  dataSpace,
  chat,
  rooms: { count },
}: Pick<Context, 'dataSpace' | 'chat' | 'rooms'>): Promise<ServiceStatus> {
  const [rows, space] = await Promise.all([fromReachable(readStatus, ({ length }) => length > 0), dataSpace()]);
  const { postgresVersion } = rows[0]!;
  const sum = (bytes: (row: (typeof rows)[number]) => string) => rows.reduce((all, row) => all + Number(bytes(row)), 0);
  return {
    version: serviceVersion(),
    nodeVersion: process.versions.node,
    postgresVersion,
    startedAt,
    isDatabaseReadOnly: rows.some((row) => row.isDatabaseReadOnly),
    databaseBytes: sum((row) => row.databaseBytes),
    fileBytes: sum((row) => row.fileBytes),
    diskFreeBytes: space?.freeBytes ?? null,
    diskTotalBytes: space?.totalBytes ?? null,
    waitingPushJobs: rows.reduce((all, row) => all + row.waitingJobs, 0),
    chat: chat.isOn ? { ...chat, rooms: count } : null,
  };
}

/** The first start of the service creates the table of jobs. */
async function readStatus() {
  const [row] = await query<{
    postgresVersion: string;
    isDatabaseReadOnly: boolean;
    databaseBytes: string;
    fileBytes: string;
    hasJobs: boolean;
  }>`
    SELECT current_setting('server_version') AS "postgresVersion",
      current_setting('transaction_read_only') = 'on' AS "isDatabaseReadOnly",
      pg_database_size(current_database())::text AS "databaseBytes",
      (SELECT coalesce(sum(c.bytes), 0)::text FROM applications a
        JOIN blob_counts c ON c.application_id = a.id AND c.user_id = ${ALL_FILES}) AS "fileBytes",
      to_regclass('pgboss.job') IS NOT NULL AS "hasJobs"`;
  return [{ ...row!, waitingJobs: row!.hasJobs ? await countWaitingJobs() : 0 }];
}

async function countWaitingJobs(): Promise<number> {
  const [row] = await query<{ count: number }>`
    SELECT count(*)::int AS count FROM (
      SELECT FROM pgboss.job WHERE state < 'active' LIMIT ${MAX_COUNTED_JOBS}) AS j`;
  return row!.count;
}
