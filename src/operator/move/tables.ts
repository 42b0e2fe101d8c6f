import type pg from 'pg';
import { TABLES_OF_APPLICATION } from '../../resolvers/applications/tables.ts';

export const OUTBOX = 'events_outbox';

/** A table whose rows an application takes along. Names come from the PostgreSQL catalogue. */
export interface MovedTable {
  name: string;
  columns: string[];
  key: string[];
  /** Columns of other unique indexes that may be null, so that two rows can exchange their values. */
  exchangeable: string[];
  /** Rows `t` that are copied while the application is in use; undefined: all. */
  settled?: string | undefined;
}

/** The row of the application itself, which is copied with other values. */
export const APPLICATIONS: MovedTable = { name: 'applications', columns: [], key: ['id'], exchangeable: [] };

/**
 * Tables that are copied while the application is in use, because they may be large. Nothing in the background starts
 * work because of their rows; the others are copied while writes are refused.
 */
const COPIED_IN_USE: Readonly<Record<string, { settled?: string }>> = {
  users: {},
  sessions: {},
  daily_usage: {},
  contacts: {},
  user_blocks: {},
  privacy_lists: {},
  chat_contacts: {},
  geodata: {},
  push_tokens: {},
  push_subscriptions: {},
  dialogs: {},
  members: {},
  muted_dialogs: {},
  messages: {},
  message_keys: {},
  hidden_messages: {},
  message_marks: {},
  reactions: {},
  record_classes: {},
  records: {},
  record_keys: {},
  blobs: {},
  ai_usage: {},
  request_log: {},
  migrations: {},
  migrated_items: {},
  migrated_messages: {},
  [OUTBOX]: {},
  // Entries are chained in the background.
  audit_entries: { settled: 't.seq IS NOT NULL' },
};

const MOVED_TOO = ['unclaimed_files', 'audit_chains', 'audit_entries', OUTBOX];

/** Rows that stay: triggers maintain the counts, roles are in the first database, changes are those of a move. */
const LEFT = new Set<string>(['blob_counts', 'geodata_counts', 'administrator_roles', 'row_changes']);

/** In an order in which rows can be deleted; without events. */
export const REMOVED_TABLES: readonly string[] = [
  ...TABLES_OF_APPLICATION.filter((name) => name !== 'administrator_roles'),
  ...MOVED_TOO.filter((name) => name !== OUTBOX),
];

const NAMES = [...TABLES_OF_APPLICATION.filter((name) => !LEFT.has(name)).toReversed(), ...MOVED_TOO];

/** Rows of an application; no row references rows of later tables. */
export interface MovedTables {
  inUse: MovedTable[];
  refusing: MovedTable[];
}

export async function readMovedTables(client: pg.Client): Promise<MovedTables> {
  const { rows } = await client.query<Omit<MovedTable, 'settled'>>(
    `SELECT c.relname AS name,
      (SELECT array_agg(a.attname::text ORDER BY a.attnum) FROM pg_attribute a
        WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '') AS columns,
      (SELECT array_agg(a.attname::text ORDER BY a.attnum) FROM pg_index i
        JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = ANY(i.indkey)
        WHERE i.indrelid = c.oid AND i.indisprimary) AS key,
      coalesce((SELECT array_agg(DISTINCT a.attname::text) FROM pg_index i
        JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = ANY(i.indkey)
        WHERE i.indrelid = c.oid AND i.indisunique AND NOT i.indisprimary AND NOT a.attnotnull), '{}') AS exchangeable
    FROM pg_class c WHERE c.relnamespace = current_schema()::regnamespace AND c.relname = ANY($1)`,
    [NAMES],
  );
  const byName = new Map(rows.map((table) => [table.name, table]));
  const tables = NAMES.map((name) => byName.get(name)!);
  return {
    inUse: tables
      .filter(({ name }) => name in COPIED_IN_USE)
      .map((table) => ({ ...table, settled: COPIED_IN_USE[table.name]!.settled })),
    refusing: tables
      .filter(({ name }) => !(name in COPIED_IN_USE) || COPIED_IN_USE[name]!.settled)
      .map((table) => ({ ...table, settled: opposite(COPIED_IN_USE[table.name]?.settled) })),
  };
}

export function allTablesOf({ inUse, refusing }: MovedTables): MovedTable[] {
  return [...inUse, ...refusing, APPLICATIONS];
}

/** The last values that the source has assigned. */
export async function sequencesOf(source: pg.Client, tables: readonly MovedTable[]): Promise<Map<string, bigint>> {
  const { rows } = await source.query<{ sequence: string; last: string | null }>(
    `SELECT sequence, pg_sequence_last_value(sequence::regclass) AS last
    FROM (SELECT pg_get_serial_sequence(quote_ident(a.attrelid::regclass::text), a.attname) AS sequence
      FROM pg_attribute a WHERE a.attrelid = ANY($1::text[]::regclass[]) AND a.attnum > 0 AND NOT a.attisdropped) s
    WHERE sequence IS NOT NULL`,
    [tables.map(({ name }) => name)],
  );
  return new Map(rows.flatMap(({ sequence, last }) => (last === null ? [] : [[sequence, BigInt(last)]])));
}

function opposite(condition: string | undefined): string | undefined {
  return condition && `NOT (${condition})`;
}
