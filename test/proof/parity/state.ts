import { expect } from 'vitest';
import { sql } from '../../support/app/sql.ts';
import { graphql } from '../../support/clients/graphql.ts';
import { type ParityFixture, PEOPLE } from './fixture.ts';

/** Tables that are temporary, asynchronous or random. */
const PASSED_OVER = new Set([
  // Compared as delivered events.
  'events_outbox',
  'unclaimed_files',
  'push_sends',
  'push_deliveries',
  'audit_chains',
  'request_log',
  'request_log_ends',
  'request_log_hours',
  'request_figures',
  // A process uses a random part.
  'geodata_counts',
  'blob_counts',
  // Changed by other processes.
  'api_keys',
]);

/** Written asynchronously, random, or counted across applications. */
const PASSED_COLUMNS = [
  'last_request_at',
  'last_seen_at',
  'position',
  'storage_key',
  'signing_key',
  'password_hash',
  'encrypted_totp',
  'credential_id',
  'public_key',
  'xid',
];

export async function rowsOf(fixture: ParityFixture): Promise<Record<string, string[]>> {
  const tables = await sql<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.columns
     WHERE table_schema = 'public' AND column_name = 'application_id' ORDER BY 1`,
  );
  const rows: Record<string, string[]> = {};
  for (const { name } of tables) {
    if (PASSED_OVER.has(name)) continue;
    const found = await sql<{ row: Record<string, unknown> }>(
      `SELECT to_jsonb(t) AS row FROM "${name}" t WHERE application_id = $1`,
      [fixture.applicationId],
    );
    rows[name] = fixture.names.inAll(found.map(({ row }) => JSON.stringify(withoutPassed(name, row))));
  }
  return rows;
}

/** The place in the log of all applications, and the key of the fixture. */
const PLACE_OF_ENTRY = ['id', 'at', 'seq', 'hash', 'actor_id'];

function withoutPassed(table: string, row: Record<string, unknown>): Record<string, unknown> {
  const isPassed = (column: string) =>
    PASSED_COLUMNS.includes(column) ||
    (table === 'sessions' && ['updated_at', 'device'].includes(column)) ||
    (table === 'audit_entries' && PLACE_OF_ENTRY.includes(column));
  const others = Object.entries(row).filter(([column]) => !isPassed(column));
  return Object.fromEntries(
    table === 'audit_entries' ? others.map(([column, value]) => [column, withoutDevice(value)]) : others,
  );
}

/** Clients of each transport name themselves. */
function withoutDevice(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const { device: _device, ...others } = value as Record<string, unknown>;
  return others;
}

/** One by one, because an error of one would empty the others. */
const VIEWS = [
  `{ dialogs(first: 50) {
    edges { node { id name type occupantIds adminIds lastMessage unreadMessagesCount } } } }`,
  '{ recordPage(className: "cars", limit: 50) { items { id userId fields } } }',
  '{ events(first: 50) { edges { node { id name active } } } }',
  '{ blobs(first: 50) { edges { node { id name size } } } }',
  '{ subscriptions { id channel } }',
  '{ addressBook { contacts { name phone } } }',
];

export async function viewsOf(fixture: ParityFixture): Promise<Record<string, string[]>> {
  const views: Record<string, string[]> = {};
  for (const who of PEOPLE) {
    views[who] = [];
    // In this order, in which the names are assigned.
    for (const view of VIEWS) {
      const { data, errors } = await graphql(view, {}, fixture.callers[who]);
      const messages = errors?.map(({ message }) => message);
      // A document that does not fit the schema would show nothing, and so compare nothing.
      expect(messages?.filter((message) => /^Cannot query|^Unknown|^Field /.test(message)) ?? []).toEqual([]);
      views[who].push(fixture.names.in(JSON.stringify({ data, messages })));
    }
  }
  return views;
}
