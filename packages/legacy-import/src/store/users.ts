import { columnList, excluded, inSnakeCase, rowsOf } from '../rows.ts';
import type { Run } from '../run.ts';
import { checkedUser, db, Prisma, type Transaction } from '../service.ts';
import type { SourceUser } from '../shapes.ts';

/** Sign-ups that the other server may have between two runs before one of their ids is used here. */
const SEQUENCE_MARGIN = 100_000;

/** The later change wins; deleted users remain deleted. An account that another user proved here remains theirs. */
export async function storeUsers({ ledger, progress, identitiesProven }: Run): Promise<void> {
  const { applicationId, since = null } = ledger;
  progress.begin('users stored', await ledger.size('user'));
  const batches = ledger.batches<SourceUser>('user', String(ledger.cursor.after ?? ''));
  for await (const batch of batches) {
    const rows = batch.map(({ content }) => inSnakeCase(rowOf(content)));
    const input = rowsOf('users', rows);
    const names = Object.keys(rows[0]!);
    await ledger.write({ after: batch.at(-1)!.id }, async (transaction) => {
      await transaction.$executeRaw`
        INSERT INTO users AS u (application_id, ${columnList(names)})
        SELECT ${applicationId}::int, ${Prisma.join(names.map((name) => columnValue(name, applicationId)))} FROM ${input} AS g
        WHERE ${since}::timestamptz IS NULL OR g.created_at >= date_trunc('second', ${since}::timestamptz)
          OR EXISTS (SELECT FROM users o WHERE o.application_id = ${applicationId} AND o.id = g.id)
        ORDER BY g.id
        ON CONFLICT (application_id, id) DO UPDATE SET ${excluded(names.filter((name) => !KEPT.includes(name)))},
          granted_tags = ARRAY(SELECT unnest(u.granted_tags) INTERSECT SELECT unnest(excluded.tags))
        WHERE u.updated_at < excluded.updated_at`;
      await transaction.$executeRaw`
        UPDATE users u SET last_request_at = g.last_request_at FROM ${input} AS g
        WHERE u.application_id = ${applicationId} AND u.id = g.id
          AND g.last_request_at > coalesce(u.last_request_at, '-infinity')`;
      if (identitiesProven) await proveIdentities(transaction, applicationId, input);
    });
    progress.advance(batch.length);
  }
  await reserveIds('users', applicationId);
}

/** `last_request_at` may rise although the user is unchanged. */
const KEPT = ['id', 'created_at', 'last_request_at'];

/** An account that another user has proven is omitted. */
function columnValue(name: string, applicationId: number): Prisma.Sql {
  const input = Prisma.raw(`g.${name}`);
  if (name !== 'facebook_id' && name !== 'twitter_id') return input;
  return Prisma.sql`CASE WHEN NOT EXISTS (SELECT FROM users p WHERE p.application_id = ${applicationId}
    AND ${Prisma.raw(`p.${name}`)} = ${input} AND ${Prisma.raw(`p.verified_${name}`)} = ${input} AND p.id <> g.id)
    THEN ${input} END`;
}

const PROVEN = ['email', 'phone', 'facebook_id', 'twitter_id'];

function proveIdentities(transaction: Transaction, applicationId: number, input: Prisma.Sql): Promise<number> {
  const changes = PROVEN.map(
    (name) => `verified_${name} = CASE WHEN u.${name} = g.${name} THEN u.${name} ELSE u.verified_${name} END`,
  );
  return transaction.$executeRaw`
    UPDATE users u SET ${Prisma.raw(changes.join(', '))} FROM ${input} AS g
    WHERE u.application_id = ${applicationId} AND u.id = g.id`;
}

export async function reserveIds(table: 'users' | 'blobs', applicationId: number): Promise<void> {
  await db.$executeRaw`
    SELECT setval(s.name, greatest(s.used, s.highest + ${SEQUENCE_MARGIN}::bigint))
    FROM (SELECT pg_get_serial_sequence(${table}, 'id') AS name,
      coalesce(pg_sequence_last_value(pg_get_serial_sequence(${table}, 'id')::regclass), 1) AS used,
      (SELECT max(CASE WHEN i.kind IN ('user', 'blob') THEN i.id::bigint END) FROM migrated_items i
        WHERE i.application_id = ${applicationId} AND i.kind = ${table === 'users' ? 'user' : 'blob'}) AS highest
    ) s WHERE s.highest + ${SEQUENCE_MARGIN / 2}::bigint > s.used`;
}

function rowOf(user: SourceUser) {
  const { externalUserId, ...checked } = checkedUser({
    login: user.login,
    email: user.email,
    fullName: user.full_name,
    phone: user.phone,
    website: user.website,
    facebookId: user.facebook_id,
    twitterId: user.twitter_id,
    externalUserId: user.external_user_id === null ? null : String(user.external_user_id),
    blobId: user.blob_id === null ? null : String(user.blob_id),
    customData: user.custom_data,
    parentsContacts: user.parents_contacts,
    ageOver16: user.age_over16,
    allowStatisticsAnalysis: user.allow_statistics_analysis,
    allowSalesActivities: user.allow_sales_activities,
    tags: user.user_tags?.split(',') ?? [],
  });
  return {
    ...checked,
    externalUserId: externalUserId === null ? null : String(externalUserId),
    id: user.id,
    createdAt: user.created_at,
    updatedAt: user.updated_at,
    lastRequestAt: user.last_request_at,
  };
}
