import { query } from './query.ts';

/** Prefix of what this service has in Redis. Named after the database, because one Redis may serve several services. */
export async function storeName(): Promise<string> {
  const [row] = await query<{ name: string }>`
    SELECT (SELECT system_identifier FROM pg_control_system())::text || ':' || current_database() AS name`;
  return `atrium:${row!.name}`;
}
