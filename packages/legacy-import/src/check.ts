import { MigrationError } from './errors.ts';
import type { ItemKind } from './ledger.ts';
import { Prisma, query } from './service.ts';

const MAX_REPORTED = 3;

interface Conflict {
  id: string;
  what: string;
}

/** The same id and creation second mean the same object, from an earlier run. @throws {MigrationError} */
export async function requireNoConflicts(applicationId: number): Promise<void> {
  const problems: string[] = [];
  for (const conflicts of [
    elsewhere(applicationId, 'user', 'users', NUMBER),
    otherUser(applicationId),
    takenIdentifier(applicationId),
    sharedIdentifier(applicationId),
    elsewhere(applicationId, 'dialog', 'dialogs'),
    elsewhere(applicationId, 'record', 'records'),
    messageElsewhere(applicationId),
    otherDialog(applicationId),
    otherRecord(applicationId),
    otherMessage(applicationId),
    otherBlob(applicationId),
  ]) {
    for (const { id, what } of await query<Conflict>`${conflicts} LIMIT ${MAX_REPORTED}`)
      problems.push(`${what} ${id}`);
  }
  if (problems.length > 0) {
    throw new MigrationError(`nothing was stored, because these are already in use here: ${problems.join(', ')}`);
  }
}

function staged(applicationId: number, kind: ItemKind): Prisma.Sql {
  return Prisma.sql`migrated_items i WHERE i.application_id = ${applicationId} AND i.kind = ${kind}
    AND i.content IS NOT NULL`;
}

/** One index lookup per application, because applications are few. */
function others(applicationId: number): Prisma.Sql {
  return Prisma.sql`(SELECT a.id AS other_id FROM applications a WHERE a.id <> ${applicationId}) a`;
}

const TEXT = Prisma.sql`i.id`;
/** Guarded by CASE, because PostgreSQL may evaluate the cast for rows of other kinds first. */
const NUMBER = Prisma.sql`CASE WHEN i.kind IN ('user', 'blob') THEN i.id::int END`;

function elsewhere(applicationId: number, kind: ItemKind, table: string, id = TEXT): Prisma.Sql {
  return Prisma.sql`SELECT i.id, ${`${kind} of another application`} AS what
    FROM ${others(applicationId)}, ${staged(applicationId, kind)}
      AND EXISTS (SELECT FROM ${Prisma.raw(table)} r WHERE r.application_id = a.other_id AND r.id = ${id})`;
}

function messageElsewhere(applicationId: number): Prisma.Sql {
  return Prisma.sql`SELECT s.id, 'message of another application' AS what
    FROM ${others(applicationId)}, migrated_messages s WHERE s.application_id = ${applicationId}
      AND EXISTS (SELECT FROM messages m WHERE m.application_id = a.other_id AND m.id = s.id)`;
}

function differs(column: string, property: string): Prisma.Sql {
  return Prisma.sql`date_trunc('second', ${Prisma.raw(column)})
    <> date_trunc('second', (i.content ->> ${property})::timestamptz)`;
}

function otherUser(applicationId: number): Prisma.Sql {
  return Prisma.sql`SELECT i.id, 'user' AS what
    FROM users u, ${staged(applicationId, 'user')} AND u.application_id = ${applicationId} AND u.id = ${NUMBER}
      AND ${differs('u.created_at', 'created_at')}`;
}

/** An account that a user has proven here remains theirs and is no conflict. */
const COMPARED = [
  ['login', 'u.login_key', "lower(i.content ->> 'login')"],
  ['email', 'u.email', "lower(i.content ->> 'email')"],
  ['facebook_id', "nullif(u.facebook_id, coalesce(u.verified_facebook_id, ''))", "i.content ->> 'facebook_id'"],
  ['twitter_id', "nullif(u.twitter_id, coalesce(u.verified_twitter_id, ''))", "i.content ->> 'twitter_id'"],
  ['external_user_id', 'u.external_user_id', "(i.content ->> 'external_user_id')::bigint"],
] as const;

function takenIdentifier(applicationId: number): Prisma.Sql {
  const parts = COMPARED.map(
    ([name, here, there]) => Prisma.sql`
      SELECT ${`${name} of user`} AS what, i.id
      FROM users u, ${staged(applicationId, 'user')} AND u.application_id = ${applicationId}
        AND ${Prisma.raw(here)} = ${Prisma.raw(`CASE WHEN i.kind = 'user' THEN ${there} END`)} AND u.id <> ${NUMBER}
        AND NOT EXISTS (SELECT FROM migrated_items o WHERE o.application_id = ${applicationId} AND o.kind = 'user'
          AND o.id = u.id::text)`,
  );
  return Prisma.sql`SELECT * FROM (${Prisma.join(parts, ' UNION ALL ')}) taken`;
}

function sharedIdentifier(applicationId: number): Prisma.Sql {
  return Prisma.sql`SELECT n.name || ' of user' AS what, max(i.id) AS id
    FROM unnest(${COMPARED.map(([name]) => name)}::text[]) AS n (name), ${staged(applicationId, 'user')}
      AND i.content ->> n.name IS NOT NULL
    GROUP BY n.name, lower(i.content ->> n.name) HAVING count(*) > 1`;
}

function otherDialog(applicationId: number): Prisma.Sql {
  return Prisma.sql`SELECT i.id, 'dialog' AS what
    FROM dialogs d, ${staged(applicationId, 'dialog')} AND d.application_id = ${applicationId} AND d.id = i.id
      AND (d.type <> (i.content ->> 'type')::int OR ${differs('d.created_at', 'createdAt')})`;
}

function otherRecord(applicationId: number): Prisma.Sql {
  return Prisma.sql`SELECT i.id, 'record' AS what
    FROM records r, ${staged(applicationId, 'record')} AND r.application_id = ${applicationId} AND r.id = i.id
      AND NOT EXISTS (SELECT FROM record_classes c
        WHERE c.application_id = ${applicationId} AND c.key = r.class_key AND c.name = i.container)`;
}

function otherMessage(applicationId: number): Prisma.Sql {
  return Prisma.sql`SELECT s.id, 'message' AS what
    FROM migrated_messages s JOIN messages m ON m.application_id = s.application_id AND m.id = s.id
    WHERE s.application_id = ${applicationId} AND m.sender_id <> s.sender_id`;
}

/** Ids of blobs are unique across applications. */
function otherBlob(applicationId: number): Prisma.Sql {
  return Prisma.sql`SELECT i.id, 'file' AS what
    FROM blobs b, ${staged(applicationId, 'blob')} AND b.id = ${NUMBER}
      AND (b.application_id <> ${applicationId} OR ${differs('b.created_at', 'created_at')})`;
}
