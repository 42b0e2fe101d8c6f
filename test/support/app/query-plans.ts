import pg from 'pg';
import { sqlState } from '../../../src/db/failures.ts';
import { ownConnection } from './sql.ts';

export interface Statement {
  text: string;
  values: unknown[];
}

const LOCK_TIMEOUT = '55P03';

export async function statementsAbout(about: RegExp, action: () => Promise<unknown>): Promise<Statement[]> {
  const sent: Statement[] = [];
  const { query } = pg.Client.prototype;
  pg.Client.prototype.query = function spied(this: pg.Client, ...args: unknown[]) {
    const { text, values } = args[0] as Partial<Statement>;
    if (text && about.test(text)) sent.push({ text, values: values ?? [] });
    return (query as (...all: unknown[]) => unknown).apply(this, args);
  } as typeof query;
  try {
    await action();
  } finally {
    pg.Client.prototype.query = query;
  }
  return sent;
}

/**
 * Explains each statement with a matching text during an action, in the state in which it runs. @returns by text, the
 * highest number of rows that its plan handled
 */
export async function workOf(about: RegExp, action: () => Promise<unknown>): Promise<Map<string, number>> {
  const work = new Map<string, number>();
  const inTransaction = new WeakSet<pg.Client>();
  const { query } = pg.Client.prototype;
  pg.Client.prototype.query = function spied(this: pg.Client, ...args: unknown[]) {
    const run = (text: string): Promise<pg.QueryResult> => Reflect.apply(query, this, [text]);
    const statement = typeof args[0] === 'string' ? { text: args[0] } : (args[0] as Partial<Statement>);
    const { text = '', values = [] } = statement;
    if (/^BEGIN/i.test(text)) inTransaction.add(this);
    if (/^(COMMIT|ROLLBACK)/i.test(text)) inTransaction.delete(this);
    if (about.test(text)) {
      const isInside = inTransaction.has(this);
      const given = values.length > 0 ? `(${values.map(literal).join(', ')})` : '';
      // A statement that is planned for its values never has a generic plan.
      const modes = text.includes('planned for its values') ? ['custom'] : ['custom', 'generic'];
      for (const mode of modes) {
        void run(isInside ? 'SAVEPOINT explained' : 'BEGIN');
        void run(`SET LOCAL plan_cache_mode = force_${mode}_plan`);
        void run(`PREPARE explained AS ${text}`);
        void run(`EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE explained${given}`).then(
          ({ rows }) => {
            const handled = rowsHandled(rows[0]['QUERY PLAN'][0].Plan);
            work.set(text, Math.max(work.get(text) ?? 0, handled));
          },
          (error) => {
            // The action fails for the same reason, and repeats the statement.
            if (sqlState(error) !== LOCK_TIMEOUT) throw error;
          },
        );
        void run(isInside ? 'ROLLBACK TO SAVEPOINT explained' : 'ROLLBACK');
        void run('DEALLOCATE explained');
      }
    }
    return (query as (...all: unknown[]) => unknown).apply(this, args);
  } as typeof query;
  try {
    await action();
  } finally {
    pg.Client.prototype.query = query;
  }
  return work;
}

/** `custom`: a plan for the given values; `generic`: for any values, as frequent statements may have. */
export type PlanMode = 'custom' | 'generic';

/** Rows of tables and indexes that a statement reads, filtered ones included. Rolls back its changes. */
export async function rowsReadBy({ text, values }: Statement, mode: PlanMode): Promise<number> {
  const client = await ownConnection();
  try {
    await client.query('BEGIN');
    await client.query(`SET LOCAL plan_cache_mode = force_${mode}_plan`);
    await client.query(`PREPARE explained AS ${text}`);
    const given = values.length > 0 ? `(${values.map(literal).join(', ')})` : '';
    const { rows } = await client.query(`EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE explained${given}`);
    await client.query('ROLLBACK');
    return rowsRead(rows[0]['QUERY PLAN'][0].Plan);
  } finally {
    await client.end();
  }
}

interface Node {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  'Rows Removed by Join Filter'?: number;
  Plans?: Node[];
}

function rowsRead(node: Node): number {
  const { 'Actual Rows': found, 'Rows Removed by Filter': filtered = 0, Plans = [] } = node;
  const rechecked = node['Rows Removed by Index Recheck'] ?? 0;
  const isScan = node['Relation Name'] !== undefined && node['Node Type'].endsWith('Scan');
  const own = isScan ? (found + filtered + rechecked) * node['Actual Loops'] : 0;
  return Plans.reduce((sum, below) => sum + rowsRead(below), own);
}

function rowsHandled(node: Node): number {
  const { 'Rows Removed by Filter': filtered = 0, 'Rows Removed by Join Filter': unjoined = 0, Plans = [] } = node;
  const own = (node['Actual Rows'] + filtered + unjoined) * node['Actual Loops'];
  return Plans.reduce((sum, below) => sum + rowsHandled(below), own);
}

function literal(value: unknown): string {
  if (value === null || value === undefined) return 'NULL';
  if (Array.isArray(value)) return pg.escapeLiteral(`{${value.map((item) => JSON.stringify(item)).join(',')}}`);
  return pg.escapeLiteral(value instanceof Date ? value.toISOString() : String(value));
}
