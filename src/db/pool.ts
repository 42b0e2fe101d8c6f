import pg from 'pg';
import { DatabaseConnection } from './connection.ts';

/** The pool replaces connections that break while idle. */
export function createPool(config: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool({ ...config, Client: DatabaseConnection as unknown as new () => pg.ClientBase });
  pool.on('error', () => {});
  return pool;
}

/** Ends the statements in flight of a server that does not answer. */
export function breakConnections(pool: pg.Pool): void {
  const { _clients: clients } = pool as unknown as { _clients: DatabaseConnection[] };
  for (const client of [...clients]) client.break();
}
