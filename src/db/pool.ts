import pg from 'pg';

/**
 * A pool that tolerates broken connections. `pg` handles errors of idle connections only: an error between checkout and
 * the caller's first listener would crash the process. The caller's next statement fails anyway, and idle connections
 * are replaced.
 */
export function createPool(config: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool(config);
  pool.on('connect', (client) => client.on('error', () => {}));
  pool.on('error', () => {});
  return pool;
}
