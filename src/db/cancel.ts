import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';

const REPEAT_MS = 200;

/**
 * Cancels running statements, repeatedly, because the signal may come between two statements. Call the result before
 * closing a connection, because the server continues a closed connection's statement for as long as it waits for a lock.
 */
export async function cancelOn(
  signal: AbortSignal | undefined,
  database: pg.ClientConfig,
  ...clients: pg.Client[]
): Promise<() => Promise<void>> {
  const pids = await Promise.all(clients.map(processOf));
  let isForgotten = false;
  let cancelled = Promise.resolve();
  const cancel = () => {
    cancelled = cancelRepeatedly(database, pids, () => isForgotten).catch(() => {}); // then it runs to completion
  };
  signal?.throwIfAborted();
  signal?.addEventListener('abort', cancel, { once: true });
  return () => {
    isForgotten = true;
    signal?.removeEventListener('abort', cancel);
    return cancelled;
  };
}

async function processOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return rows[0]!.pid;
}

/** Uses a separate connection because the others are busy. */
async function cancelRepeatedly(database: pg.ClientConfig, pids: number[], isOver: () => boolean): Promise<void> {
  const client = new pg.Client(database);
  client.on('error', () => {});
  await client.connect();
  try {
    do {
      await client.query('SELECT pg_cancel_backend(pid) FROM unnest($1::int[]) pid', [pids]);
      await pause(REPEAT_MS);
    } while (!isOver());
  } finally {
    await client.end();
  }
}
