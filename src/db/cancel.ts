import pg from 'pg';

/**
 * Has the database give up the statements that the connections wait for, once the signal comes. Between two statements
 * it is for their caller to look at the signal.
 * @returns stops listening
 */
export async function cancelOn(
  signal: AbortSignal | undefined,
  database: pg.ClientConfig,
  ...clients: pg.Client[]
): Promise<() => void> {
  const pids = await Promise.all(clients.map(processOf));
  const cancel = () => {
    cancelAll(database, pids).catch(() => {}); // then it ends when the statement does
  };
  signal?.throwIfAborted();
  signal?.addEventListener('abort', cancel, { once: true });
  return () => signal?.removeEventListener('abort', cancel);
}

async function processOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return rows[0]!.pid;
}

/** By a connection of its own: the others are busy. */
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
