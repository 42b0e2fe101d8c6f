import pg from 'pg';
import { DatabaseConnection } from './connection.ts';

/**
 * `pg` handles errors of idle connections only: an error between checkout and the caller's first listener would crash
 * the process. The caller's next statement fails anyway.
 */
export function createPool(config: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool({ ...config, Client: DatabaseConnection as unknown as new () => pg.ClientBase });
  pool.on('connect', (client) => client.on('error', () => {}));
  pool.on('error', () => {});
  return pool;
}
