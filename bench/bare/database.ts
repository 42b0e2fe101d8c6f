import { createHash } from 'node:crypto';
import pg from 'pg';
import type { Statement } from '../service.ts';

export type Prepared<Row> = (values?: unknown[]) => Promise<Row[]>;

/** The pool has the size of that of the service. */
export function preparer(databaseUrl: string) {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 10 });
  let statements = 0;
  return <Row>({ text, values: recorded }: Statement): Prepared<Row> => {
    const name = `bare${statements++}`;
    return async (values = recorded) => (await pool.query({ name, text, values })).rows as Row[];
  };
}

export function sessionValues(token: string): unknown[] {
  return [[Number.parseInt(token.slice(0, 8), 16)], [createHash('sha256').update(token).digest('hex')]];
}
