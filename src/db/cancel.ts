import pg from 'pg';

/**
 * Once the signal aborts, cancels the statements that the connections are running. Between two statements their caller
 * checks the signal.
 * @returns stops listening, and waits for a cancellation under way: before a connection closes, because the server goes
 *   on with the statement of a closed one for as long as it waits for a lock
 */
export async function cancelOn(
  signal: AbortSignal | undefined,
  database: pg.ClientConfig,
  ...clients: pg.Client[]
): Promise<() => Promise<void>> {
  const pids = await Promise.all(clients.map(processOf));
  let cancelled = Promise.resolve();
  const cancel = () => {
    cancelled = cancelAll(database, pids).catch(() => {}); // then it ends when the statement does
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

/** On a connection of its own: the others are busy. */
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
