import pg from 'pg';

/**
 * A pool whose connections may break at any moment. `pg` listens to one only while it is idle: between the hand-over
 * and the first listener of whoever takes it an error would find nobody, and end the process. The statement that is
 * under way, or comes next, fails with it anyway, and an idle one is replaced.
 */
export function createPool(config: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool(config);
  pool.on('connect', (client) => client.on('error', () => {}));
  pool.on('error', () => {});
  return pool;
}
