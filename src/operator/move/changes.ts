import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { isLockConflict } from '../../db/failures.ts';
import { groupBy } from '../../lib/collections.ts';
import { inTransaction } from '../archive/import-progress.ts';
import { copyKeys, type Move, removeMissing } from './rows.ts';
import { type MovedTable, OUTBOX } from './tables.ts';

/** Statements of a mover pass the triggers. */
export const BE_MOVER = `SET atrium.mover = 'on'`;

/** Other writers of the table queue behind a lock that is waited for. */
const LOCK_TIMEOUT_MS = 500;
const LOCK_ATTEMPTS = 120;
const LOCK_PAUSE_MS = 250;

const TRIGGERS = { INSERT: 'move_insert', UPDATE: 'move_update', DELETE: 'move_delete' } as const;
type Operation = keyof typeof TRIGGERS;

/** From now on, changes of rows of the application are noted. */
export async function noteChanges({ source, applicationId }: Move, tables: readonly MovedTable[]): Promise<void> {
  for (const { name, key } of tables) {
    const values = [name, ...key].map((argument) => pg.escapeLiteral(argument)).join(', ');
    await replaceTriggers(source, name, (table) =>
      operationsOn(name).map((operation) =>
        trigger(operation, table, { applicationId, time: 'AFTER', call: `note_row_change(${values})` }),
      ),
    );
  }
}

/**
 * Refuses changes of rows of the application; the service responds that it is unavailable. Returns when no transaction
 * with such changes is in progress, because a trigger is created after all writers of its table have ended.
 */
export async function refuseChanges({ source, applicationId }: Move, tables: readonly MovedTable[]): Promise<void> {
  for (const { name } of tables) {
    await replaceTriggers(source, name, (table) =>
      operationsOn(name).map((operation) =>
        trigger(operation, table, { applicationId, time: 'BEFORE', call: 'refuse_row_change()' }),
      ),
    );
  }
}

export async function permitChanges(source: pg.Client, tables: readonly MovedTable[]): Promise<void> {
  for (const { name } of tables)
    await replaceTriggers(source, name, (table) =>
      Object.values(TRIGGERS).map((one) => `DROP TRIGGER IF EXISTS ${one} ON ${table}`),
    );
}

/**
 * Repeats the noted changes in the target, as the transaction of the source sees them.
 * @returns their positions, to forget them when it has ended
 */
export async function repeatChanges(move: Move, tables: readonly MovedTable[]): Promise<string[]> {
  const { rows } = await move.source.query<{ position: string; table: string; key: string }>(
    'SELECT position, table_name AS "table", key::text FROM row_changes WHERE application_id = $1',
    [move.applicationId],
  );
  const byTable = groupBy(rows, ({ table }) => table);
  const keysOf = ({ name }: MovedTable) => [...new Set((byTable.get(name) ?? []).map(({ key }) => key))];
  for (const table of tables.toReversed()) await removeMissing(move, table, keysOf(table));
  for (const table of tables) await copyKeys(move, table, keysOf(table));
  return rows.map(({ position }) => position);
}

/** After the target has committed them; until then, an interruption repeats them. */
export async function forgetChanges({ source, applicationId }: Move, positions: readonly string[]): Promise<void> {
  await source.query('DELETE FROM row_changes WHERE application_id = $1 AND position = ANY($2)', [
    applicationId,
    positions,
  ]);
}

/** Events are only appended by requests; retention may remove expired ones at any time. */
function operationsOn(name: string): readonly Operation[] {
  return name === OUTBOX ? ['INSERT'] : (Object.keys(TRIGGERS) as Operation[]);
}

interface TriggerOptions {
  applicationId: number;
  time: 'AFTER' | 'BEFORE';
  call: string;
}

function trigger(operation: Operation, table: string, { applicationId, time, call }: TriggerOptions): string {
  const row = operation === 'DELETE' ? 'OLD' : 'NEW';
  const owner = table === '"applications"' ? 'id' : 'application_id';
  return `CREATE OR REPLACE TRIGGER ${TRIGGERS[operation]} ${time} ${operation} ON ${table} FOR EACH ROW
    WHEN (${row}.${owner} = ${applicationId} AND current_setting('atrium.mover', true) IS DISTINCT FROM 'on')
    EXECUTE FUNCTION ${call}`;
}

async function replaceTriggers(
  client: pg.Client,
  name: string,
  statements: (table: string) => string[],
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await inTransaction(client, async () => {
        await client.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
        for (const statement of statements(pg.escapeIdentifier(name))) await client.query(statement);
      });
    } catch (error) {
      if (!isLockConflict(error) || attempt === LOCK_ATTEMPTS) throw error;
      await pause(LOCK_PAUSE_MS);
    }
  }
}
