import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { db } from '../../src/db/client.ts';
import { useApp } from '../support/app/app.ts';

useApp();

const FOLDERS = ['resolvers', 'administration'].map((name) => resolve(import.meta.dirname, '../../src', name));

/** Single statements outside of `transact` name no actor. These change rows only for users, or for the service itself. */
const WITHOUT_ACTOR: Record<string, string> = {
  'administrators/expired.ts': 'sweep',
  'administrators/challenges.ts': 'challenges of passkeys',
  'administrators/passkey-assertions.ts': 'use of a passkey',
  'administrators/passkeys.ts': 'random handle of an account',
  'administrators/sessions.ts': 'time of the latest request',
  'administrators/totp.ts': 'use of a code',
  'ai/usage.ts': 'figures',
  'applications/delete.ts': 'rows of a deleted application',
  'applications/stats.ts': 'figures',
  'audit/entries.ts': 'writes the entry itself',
  'classes/indexes.ts': 'derived columns of records',
  'dialogs/data.ts': 'data of a deleted class',
  'files/staged.ts': 'bookkeeping of files',
  'jobs/backups.ts': 'sweep',
  'jobs/lease.ts': 'progress of jobs',
  'pushes/batch.ts': 'deliveries',
  'pushes/finish.ts': 'deliveries',
  'pushes/log.ts': 'deliveries',
  'pushes/messages.ts': 'deliveries',
  'request-log/figures.ts': 'figures',
  'request-log/store.ts': 'writes the row itself',
  'request-log/trim.ts': 'sweep',
  'second-factors/challenges.ts': 'step of a sign-in',
  'second-factors/codes.ts': 'guess of a code',
  'second-factors/passkeys.ts': 'use of a passkey, and its name by the user',
  'sessions/create.ts': 'sign-in of a user',
  'sessions/identity-providers.ts': 'migration of rows from before encryption',
  'sessions/mailed-codes.ts': 'guess of a code',
  'sessions/password-resets.ts': 'a link whose mail was not sent',
  'sessions/session-clock.ts': 'time of the latest request',
  'sessions/sign-in.ts': 'renewal of a hash at a sign-in',
  'sessions/token-sign-in.ts': 'use of a token',
  'users/daily-usage.ts': 'quota',
};

const SINGLE_STATEMENT =
  /\bdb\.\$executeRaw|\bdb\.\w+\.(?:create|update|delete|upsert)\w*\(|\bquery(?:<[^`(]*>)?\(?(?:Prisma\.sql)?`(?=[^`]*\b(?:INSERT INTO|UPDATE \w+ |DELETE FROM)\b)/;

test('every change that an administrator, an API key or the operator can make runs in a transaction with its actor', () => {
  const found = FOLDERS.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .filter((file) => SINGLE_STATEMENT.test(readFileSync(join(folder, file), 'utf8'))),
  );
  expect(found.sort()).toEqual(Object.keys(WITHOUT_ACTOR).sort());
});

/** Tables whose rows no request changes directly, or which repeat what other rows say. */
const UNAUDITED = [
  'activity_cursor activity_hours ai_usage audit_chains audit_entries blob_counts blob_uploads daily_usage',
  'database_identity deleted_classes destroyed_dialogs events_outbox geodata_counts mailed_codes message_keys message_marks',
  'migrated_items moved_positions outbox_start row_changes',
  'migrated_messages passkey_challenges push_cursor push_deliveries push_sends rate_limits record_keys request_log',
  'request_figures request_log_ends request_log_hours sign_in_challenges timelines unclaimed_files used_nonces used_tokens',
].flatMap((line) => line.split(' '));

test('every table is audited, or listed as one that is not', async () => {
  const rows = await db.$queryRaw<{ name: string; audited: boolean }[]>`
    SELECT c.relname AS name, EXISTS (
      SELECT FROM pg_trigger t WHERE t.tgrelid = c.oid AND t.tgname = c.relname || '_audited') AS audited
    FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND c.relname !~ '^_'
    ORDER BY 1`;
  expect(rows.filter(({ audited }) => !audited).map(({ name }) => name)).toEqual(UNAUDITED.sort());
  expect(rows.filter(({ audited }) => audited).length).toBeGreaterThan(20);
});
