import { additionalDataOfApiKey } from '../../resolvers/ai/assistants.ts';
import { additionalDataOfSettings, withoutOperatorInput } from '../../resolvers/pushes/settings.ts';
import { additionalDataOfProvider } from '../../resolvers/sessions/identity-providers.ts';

export type NamedRow = Record<string, string | null>;

export interface ArchivedTable {
  name: string;
  /** Columns that PostgreSQL generates, or that concern this service alone. */
  without?: readonly string[];
  instead?: Readonly<Record<string, string>>;
  where?: string;
  secrets?: Readonly<Record<string, Secret>>;
  /** Columns that only the operator may set, with the value that an import without `--trust` stores instead. */
  operatorOnly?: Readonly<Record<string, string | null>>;
}

export interface Secret {
  untrusted?: (secret: string, row: NamedRow) => string;
  /** Undefined: stored as plain text. */
  additionalData?: (row: NamedRow) => string;
}

export const APPLICATIONS = 'applications';

/**
 * A row follows the rows that it references. Sweeps run during an import, so rows that make the service sweep or finish
 * something follow all rows they concern. A test fails if a table is neither here nor in `EXCLUDED_TABLES`.
 */
export const ARCHIVED: readonly ArchivedTable[] = [
  {
    name: APPLICATIONS,
    without: ['user_count', 'import_id', 'moves_to', 'imported_entries'],
    secrets: { auth_secret: {} },
  },
  { name: 'api_keys' },
  { name: 'roles' },
  { name: 'token_issuers' },
  {
    name: 'identity_providers',
    operatorOnly: { endpoint: null },
    secrets: {
      // Services that were not restarted after the upgrade still have plain-text secrets in `settings`.
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
  { name: 'mail_templates' },
  { name: 'users' },
  { name: 'user_identities' },
  { name: 'daily_usage' },
  { name: 'contacts' },
  { name: 'user_blocks' },
  { name: 'privacy_lists' },
  { name: 'chat_contacts' },
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
  { name: 'class_indexes' },
  // A blob without bytes only waits for an upload, and the right to upload expires after an hour.
  { name: 'blobs', where: 't.storage_key IS NOT NULL' },
  // The service that started the last send of an event also finishes it.
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

export const EXCLUDED_TABLES: Readonly<Record<string, string>> = {
  sessions: 'short-lived, and an archive must not reveal who is signed in; users sign in again',
  used_nonces: 'belong to signed requests of the last hour',
  used_tokens: 'expire within the lifetime of a token',
  mailed_codes: 'belong to mails of the last hour',
  password_resets: 'belong to mails of the last hour, whose links lead to the old service',
  blob_uploads: 'the right to upload lasts an hour and names the URL of the old service',
  blob_counts: 'maintained by a trigger',
  geodata_counts: 'maintained by a trigger',
  unclaimed_files: 'bytes without a row, which the old service removes',
  administrators: 'people who administer this service',
  administrator_roles: 'belong to people who administer this service',
  administrator_sessions: 'belong to people who administer this service',
  administrator_links: 'belong to people who administer this service',
  administrator_passkeys: 'belong to people who administer this service',
  passkey_challenges: 'belong to sign-ins of the last minutes',
  audit_entries: 'changes of this service; `audit export` prints them',
  audit_chains: 'signed with the key of this service',
  jobs: 'exports and checks of this service',
  backup_downloads: 'tickets that are valid for a minute',
  activity_hours: 'figures of this service',
  ai_usage: 'figures of this service',
  request_log: 'failed and slow requests of this service',
  request_log_ends: 'failed and slow requests of this service',
  request_log_hours: 'failed and slow requests of this service',
  request_figures: 'figures of this service',
  database_identity: 'of the database, not of its applications',
  activity_cursor: 'a position in the outbox',
  rate_limits: 'last a minute and cover the complete service',
  events_outbox: 'cursors of one service are not valid in another',
  outbox_start: 'a position in the outbox',
  push_cursor: 'a position in the outbox',
  timelines: 'that of this database',
  row_changes: 'of an application that is being moved to another database',
  moved_positions: 'positions in the outbox',
  migrations: 'progress of a migration from another server',
  migrated_items: 'items of a migration that are not stored yet',
  migrated_messages: 'items of a migration that are not stored yet',
};

const byName = new Map(ARCHIVED.map((table) => [table.name, table]));

export function archivedTable(name: string): ArchivedTable | undefined {
  return byName.get(name);
}

export function ownerColumn(table: string): string {
  return table === APPLICATIONS ? 'id' : 'application_id';
}

/** Which rows `t` of the table an archive of the application has. */
export function conditionOf({ name, where }: ArchivedTable, applicationId: number): string {
  return [`t.${ownerColumn(name)} = ${applicationId}`, ...(where === undefined ? [] : [where])].join(' AND ');
}
