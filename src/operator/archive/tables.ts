import { additionalDataOfApiKey } from '../../resolvers/ai/assistants.ts';
import { additionalDataOfSettings, withoutOperatorInput } from '../../resolvers/pushes/settings.ts';
import { additionalDataOfProvider } from '../../resolvers/sessions/identity-providers.ts';

/** A row as text, by its columns. */
export type NamedRow = Record<string, string | null>;

export interface ArchivedTable {
  name: string;
  /** Columns that the database keeps by itself, or that tell of this service alone. */
  without?: readonly string[];
  /** SQL of what is archived of a column instead of its value. */
  instead?: Readonly<Record<string, string>>;
  /** SQL that says which rows are archived; all but for this. */
  where?: string;
  /** Columns that hold secrets; the archive encrypts them. */
  secrets?: Readonly<Record<string, Secret>>;
  /** Columns that only the operator may set, with the value that an import without `--trust` stores instead. */
  operatorOnly?: Readonly<Record<string, string | null>>;
}

export interface Secret {
  /** The secret, decrypted, without what only the operator may set. */
  untrusted?: (secret: string, row: NamedRow) => string;
  /** The additional data with which the database encrypts it; undefined: it is stored as plain text. */
  additionalData?: (row: NamedRow) => string;
}

/** What an application consists of, beside the bytes of its files; a table that is neither here nor there fails a test. */
export const APPLICATIONS = 'applications';

/**
 * In the order in which rows are stored: what refers to a row comes behind it. A service sweeps while an import runs;
 * what tells it what to sweep, or to finish, comes behind all that it is about.
 */
export const ARCHIVED: readonly ArchivedTable[] = [
  {
    name: APPLICATIONS,
    without: ['user_count', 'import_id', 'imported_entries'],
    secrets: { auth_secret: {} },
  },
  { name: 'api_keys' },
  {
    name: 'identity_providers',
    operatorOnly: { endpoint: null },
    secrets: {
      // Where the service has not begun anew since, secrets still lie among the settings.
      settings: {},
      sealed: {
        additionalData: (row) =>
          additionalDataOfProvider({ applicationId: Number(row.application_id), provider: row.provider as 'facebook' }),
      },
    },
  },
  {
    name: 'push_settings',
    secrets: {
      sealed: {
        untrusted: (secret, { provider = null }) => withoutOperatorInput(secret, provider),
        additionalData: (row) =>
          additionalDataOfSettings({
            applicationId: Number(row.application_id),
            environment: row.environment as 'production',
            provider: row.provider as 'web',
          }),
      },
    },
  },
  {
    name: 'assistants',
    operatorOnly: { is_trusted: 'false' },
    secrets: {
      sealed_api_key: {
        additionalData: (row) => additionalDataOfApiKey({ applicationId: Number(row.application_id), id: row.id! }),
      },
    },
  },
  { name: 'users' },
  { name: 'daily_usage' },
  { name: 'contacts' },
  { name: 'geodata' },
  { name: 'push_tokens', without: ['session_id'] },
  { name: 'push_subscriptions', without: ['session_id'] },
  { name: 'dialogs' },
  { name: 'members' },
  { name: 'muted_dialogs' },
  { name: 'messages' },
  { name: 'message_keys' },
  { name: 'hidden_messages' },
  { name: 'message_marks' },
  { name: 'reactions' },
  { name: 'records' },
  { name: 'record_keys' },
  { name: 'record_classes' },
  { name: 'class_fields' },
  // Without bytes it hangs on a right to upload that lasts an hour.
  { name: 'blobs', where: 't.storage_key IS NOT NULL' },
  // The last send of one that is under way is finished by the service that has begun it.
  { name: 'events', instead: { active: 't.active AND t.due_at IS NOT NULL' } },
  {
    name: 'push_deliveries',
    where: `t.status <> 'pending' AND EXISTS (SELECT FROM push_sends s WHERE s.application_id = t.application_id
      AND s.id = t.send_id AND s.finished_at IS NOT NULL)`,
  },
  { name: 'push_sends', where: 't.finished_at IS NOT NULL' },
  { name: 'destroyed_dialogs' },
  { name: 'deleted_classes' },
];

/** Why the other tables are in no archive. */
export const EXCLUDED_TABLES: Readonly<Record<string, string>> = {
  sessions:
    'last for hours, and whoever has the archive must not be able to tell who is signed in; users sign in again',
  used_nonces: 'belong to signed requests of the last hour',
  password_resets: 'belong to mails of the last hour, whose links lead to the old service',
  blob_uploads: 'the right to upload lasts an hour, and is told with the address of the old service',
  blob_counts: 'kept by a trigger',
  geodata_counts: 'kept by a trigger',
  loose_files: 'bytes of no row, which the old service removes',
  rate_limits: 'of a minute, of the service as a whole',
  events_outbox: 'what has happened in one service; its cursors are no places in the stream of another',
  push_cursor: 'a place in that stream',
  migrations: 'how far this service has read from another one',
  migrated_items: 'what it has read there and not stored yet',
  migrated_messages: 'what it has read there and not stored yet',
};

const byName = new Map(ARCHIVED.map((table) => [table.name, table]));

export function archivedTable(name: string): ArchivedTable | undefined {
  return byName.get(name);
}

/** The column that says whose a row is. */
export function ownerColumn(table: string): string {
  return table === APPLICATIONS ? 'id' : 'application_id';
}
