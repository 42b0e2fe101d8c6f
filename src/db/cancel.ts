import pg from 'pg';

/**
 * Cancels only running statements: between statements the caller must check the signal. Call the result before closing
 * a connection, because the server continues a closed connection's statement for as long as it waits for a lock.
 */
export async function cancelOn(
  signal: AbortSignal | undefined,
  database: pg.ClientConfig,
  ...clients: pg.Client[]
): Promise<() => Promise<void>> {
  const pids = await Promise.all(clients.map(processOf));
  let cancelled = Promise.resolve();
  const cancel = () => {
    cancelled = cancelAll(database, pids).catch(() => {}); // then the statement runs to completion
  };
  signal?.throwIfAborted();
  signal?.addEventListener('abort', cancel, { once: true });
  return () => {
    signal?.removeEventListener('abort', cancel);
    return cancelled;
  };
}

async function processOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return rows[0]!.pid;
}

/** Uses a separate connection because the others are busy. */
async function cancelAll(database: pg.ClientConfig, pids: number[]): Promise<void> {
  const client = new pg.Client(database);
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query('SELECT pg_cancel_backend(pid) FROM unnest($1::int[]) pid', [pids]);
  } finally {
    await client.end();
  }
}
