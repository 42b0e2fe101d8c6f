import type pg from 'pg';

/** The database has no tables yet, or is not one of the service. */
const UNDEFINED_FUNCTION = '42883';

const followed = new Map<string, string>();
const listeners = new Set<() => void>();
let changes = 0;

/**
 * A promoted standby begins a new timeline of PostgreSQL, and may lack rows that were acknowledged on the previous one.
 * The first connection advances the sequences, so that no id and no position is assigned twice
 * (docs/architecture/database.md). Listeners run before the connection is used.
 *
 * @param database names the database that several connections share
 * @returns whether the server is a standby, whose promotion this connection would not notice
 */
export async function followTimeline(client: pg.Client, database: string): Promise<{ isStandby: boolean }> {
  const timeline = await ask(client);
  if (typeof timeline !== 'string') return { isStandby: timeline === null };
  const previous = followed.get(database);
  followed.set(database, timeline);
  if (previous !== undefined && previous !== timeline) {
    changes++;
    for (const listener of listeners) listener();
  }
  return { isStandby: false };
}

/** Null on a standby, undefined without the function. */
async function ask(client: pg.Client): Promise<string | null | undefined> {
  try {
    const { rows } = await client.query<{ timeline: string | null }>('SELECT follow_timeline() AS timeline');
    return rows[0]!.timeline;
  } catch (error) {
    if ((error as pg.DatabaseError).code === UNDEFINED_FUNCTION) return undefined;
    throw error;
  }
}

/** What was read before may be lost. @returns a function that ends this */
export function onNewTimeline(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** New timelines that this process has noticed. */
export function timelineChanges(): number {
  return changes;
}
