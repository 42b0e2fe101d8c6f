import pg from 'pg';
import { walk } from '../../db/walk.ts';
import { type MovedTable, OUTBOX } from './tables.ts';

/** The application that moves, and the databases. */
export interface Move {
  applicationId: number;
  source: pg.Client;
  target: pg.Client;
  /** Added to the positions of its events. */
  shift: bigint;
  onRows: (count: number) => void;
}

const BATCH_CHARACTERS = 1_000_000;
const BATCH_ROWS = 2_000;

/** Columns that grow with the positions of events. */
const SHIFTED: Readonly<Record<string, string>> = { [OUTBOX]: 'position', moved_positions: 'shift' };

const quoted = pg.escapeIdentifier;

/** Copies the rows that the transaction of the source sees. Rows that are in the target already are replaced. */
export async function copyRows(move: Move, table: MovedTable): Promise<void> {
  const rows = walk(
    move.source,
    `SELECT row_to_json(t)::text FROM ${quoted(table.name)} t WHERE ${conditionOf(table)}`,
    [move.applicationId],
  );
  let batch: string[] = [];
  let characters = 0;
  const store = async () => {
    await storeRows(move, table, batch);
    move.onRows(batch.length);
    batch = [];
    characters = 0;
  };
  for await (const [row] of rows) {
    batch.push(row!);
    characters += row!.length;
    if (characters > BATCH_CHARACTERS || batch.length >= BATCH_ROWS) await store();
  }
  await store();
}

/** Makes the rows with these keys what they are in the source. */
export async function copyKeys(move: Move, table: MovedTable, keys: readonly string[]): Promise<void> {
  for (let from = 0; from < keys.length; from += BATCH_ROWS) {
    const { rows } = await move.source.query<{ row: string }>(
      `SELECT row_to_json(t)::text AS row FROM ${quoted(table.name)} t JOIN ${recordset(table, 2)} k ON ${isSame(table, 'k')}
      WHERE ${conditionOf(table)}`,
      [move.applicationId, listed(keys.slice(from, from + BATCH_ROWS))],
    );
    await storeRows(
      move,
      table,
      rows.map(({ row }) => row),
    );
  }
}

/** Removes rows that the source no longer has, and gives up values that another row may have now. */
export async function removeMissing(move: Move, table: MovedTable, keys: readonly string[]): Promise<void> {
  for (let from = 0; from < keys.length; from += BATCH_ROWS) {
    const some = listed(keys.slice(from, from + BATCH_ROWS));
    const { rows } = await move.source.query<{ key: string }>(
      `SELECT row_to_json(k)::text AS key FROM ${recordset(table, 1)} k
      WHERE NOT EXISTS (SELECT FROM ${quoted(table.name)} t WHERE ${isSame(table, 'k')})`,
      [some],
    );
    const missing = listed(rows.map(({ key }) => key));
    await move.target.query(
      `DELETE FROM ${quoted(table.name)} t USING ${recordset(table, 1)} k WHERE ${isSame(table, 'k')}`,
      [missing],
    );
    if (table.exchangeable.length === 0) continue;
    const cleared = table.exchangeable.map((name) => `${quoted(name)} = NULL`);
    await move.target.query(
      `UPDATE ${quoted(table.name)} t SET ${cleared.join(', ')} FROM ${recordset(table, 1)} k WHERE ${isSame(table, 'k')}`,
      [some],
    );
  }
}

async function storeRows({ target, shift }: Move, table: MovedTable, rows: readonly string[]): Promise<void> {
  if (rows.length === 0) return;
  const names = table.columns.map(quoted);
  const shifted = SHIFTED[table.name];
  const values = table.columns.map((name) => (name === shifted ? `${quoted(name)} + ${shift}` : quoted(name)));
  const changed = table.columns.filter((name) => !table.key.includes(name)).map(quoted);
  const change =
    changed.length === 0 ? 'NOTHING' : `UPDATE SET ${changed.map((name) => `${name} = excluded.${name}`).join(', ')}`;
  await target.query(
    `INSERT INTO ${quoted(table.name)} (${names.join(', ')}) SELECT ${values.join(', ')} FROM ${recordset(table, 1)} t
    ON CONFLICT (${table.key.map(quoted).join(', ')}) DO ${change}`,
    [listed(rows)],
  );
}

function recordset({ name }: MovedTable, parameter: number): string {
  return `json_populate_recordset(NULL::${quoted(name)}, $${parameter}::json)`;
}

function isSame({ key }: MovedTable, other: string): string {
  return key.map((name) => `t.${quoted(name)} = ${other}.${quoted(name)}`).join(' AND ');
}

function conditionOf({ settled }: MovedTable): string {
  return `t.application_id = $1${settled === undefined ? '' : ` AND ${settled}`}`;
}

function listed(rows: readonly string[]): string {
  return `[${rows.join(',')}]`;
}
