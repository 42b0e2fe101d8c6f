import pg from 'pg';

/**
 * `pg` handles errors of idle connections only: an error between checkout and the caller's first listener would crash
 * the process. The caller's next statement fails anyway.
 */
export function createPool(config: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool(config);
  pool.on('connect', (client) => client.on('error', () => {}));
  pool.on('error', () => {});
  return pool;
}
