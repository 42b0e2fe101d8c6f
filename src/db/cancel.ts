import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { connectTo } from './connection.ts';

const REPEAT_MS = 200;

/**
 * Cancels running statements from the signal on, repeatedly, because the signal may come between two statements. Call
 * the result before closing a connection, because the server continues a closed connection's statement for as long as
 * it waits for a lock.
 */
export async function cancelOn(
  signal: AbortSignal | undefined,
  database: pg.ClientConfig,
  ...clients: pg.Client[]
): Promise<() => Promise<void>> {
  const pids = await Promise.all(clients.map(processOf));
  const over = new AbortController();
  let cancelled = Promise.resolve();
  const cancel = () => {
    cancelled = cancelUntil(over.signal, database, pids).catch(() => {}); // then statements run to completion
  };
  signal?.throwIfAborted();
  signal?.addEventListener('abort', cancel, { once: true });
  return () => {
    over.abort();
    signal?.removeEventListener('abort', cancel);
    return cancelled;
  };
}

/** A session whose statements the signal cancels. */
export interface CancellableSession {
  client: pg.Client;
  close: () => Promise<void>;
}

/** @param prepare runs before anything else; a failure closes the session */
export async function openCancellable(
  database: pg.ClientConfig,
  signal: AbortSignal | undefined,
  prepare: (client: pg.Client) => Promise<unknown>,
): Promise<CancellableSession> {
  const client = await connectTo(database);
  let forget = async () => {};
  const close = async () => {
    await forget();
    await client.end();
  };
  try {
    forget = await cancelOn(signal, database, client);
    await prepare(client);
    return { client, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function processOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return rows[0]!.pid;
}

/** Uses a separate connection because the others are busy. */
async function cancelUntil(over: AbortSignal, database: pg.ClientConfig, pids: number[]): Promise<void> {
  const client = await connectTo(database);
  try {
    do {
      await client.query('SELECT pg_cancel_backend(pid) FROM unnest($1::int[]) pid', [pids]);
      await pause(REPEAT_MS, undefined, { signal: over }).catch(() => {});
    } while (!over.aborted);
  } finally {
    await client.end();
  }
}
