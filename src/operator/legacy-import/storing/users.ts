import { db, Prisma, type Transaction } from '../../../db/client.ts';
import { checkedUser } from '../../../resolvers/users/rules.ts';
import type { Run } from '../run.ts';
import type { SourceUser } from '../shapes.ts';

/** Sign-ups that the other server may have between two runs before one of their ids is used here. */
const SEQUENCE_MARGIN = 100_000;

/** The later change wins; deleted users remain deleted. An account that another user proved here remains theirs. */
export async function storeUsers({ ledger, progress, identitiesProven }: Run): Promise<void> {
  const { applicationId, since = null } = ledger;
  progress.begin('users stored', await ledger.size('user'));
  const batches = ledger.batches<SourceUser>('user', String(ledger.cursor.after ?? ''));
  for await (const batch of batches) {
    const inputUsers = Prisma.sql`
      SELECT * FROM json_to_recordset(${JSON.stringify(batch.map(({ content }) => columnsOf(content)))}::json) AS g (
        id int, login text, "loginKey" text, email text, "fullName" text, phone text, website text,
        "facebookId" text, "twitterId" text, "externalUserId" bigint, "blobId" int, "customData" text,
        "parentsContacts" text, "ageOver16" boolean, "allowStatisticsAnalysis" boolean,
        "allowSalesActivities" boolean, tags json, "createdAt" timestamptz(3), "updatedAt" timestamptz(3),
        "lastRequestAt" timestamptz(3))`;
    await ledger.write({ after: batch.at(-1)!.id }, async (transaction) => {
      await transaction.$executeRaw`
        WITH input AS (${inputUsers})
        INSERT INTO users AS u (application_id, id, login, login_key, email, full_name, phone, website, facebook_id,
          twitter_id, external_user_id, blob_id, custom_data, parents_contacts, age_over16, allow_statistics_analysis,
          allow_sales_activities, tags, created_at, updated_at, last_request_at)
        SELECT ${applicationId}::int, g.id, g.login, g."loginKey", g.email, g."fullName", g.phone, g.website,
          ${unlessProvenByAnother(applicationId, 'facebookId')}, ${unlessProvenByAnother(applicationId, 'twitterId')},
          g."externalUserId", g."blobId", g."customData", g."parentsContacts",
          g."ageOver16", g."allowStatisticsAnalysis", g."allowSalesActivities",
          ARRAY(SELECT json_array_elements_text(g.tags)), g."createdAt", g."updatedAt", g."lastRequestAt"
        FROM input g
        WHERE ${since}::timestamptz IS NULL OR g."createdAt" >= date_trunc('second', ${since}::timestamptz)
          OR EXISTS (SELECT FROM users o WHERE o.application_id = ${applicationId} AND o.id = g.id)
        ORDER BY g.id
        ON CONFLICT (application_id, id) DO UPDATE SET login = excluded.login, login_key = excluded.login_key,
          email = excluded.email, full_name = excluded.full_name, phone = excluded.phone, website = excluded.website,
          facebook_id = excluded.facebook_id, twitter_id = excluded.twitter_id,
          external_user_id = excluded.external_user_id, blob_id = excluded.blob_id,
          custom_data = excluded.custom_data, parents_contacts = excluded.parents_contacts,
          age_over16 = excluded.age_over16, allow_statistics_analysis = excluded.allow_statistics_analysis,
          allow_sales_activities = excluded.allow_sales_activities, tags = excluded.tags,
          granted_tags = ARRAY(SELECT unnest(u.granted_tags) INTERSECT SELECT unnest(excluded.tags)),
          updated_at = excluded.updated_at, last_request_at = greatest(u.last_request_at, excluded.last_request_at)
        WHERE u.updated_at < excluded.updated_at`;
      await transaction.$executeRaw`
        UPDATE users u SET last_request_at = g."lastRequestAt" FROM (${inputUsers}) g
        WHERE u.application_id = ${applicationId} AND u.id = g.id
          AND g."lastRequestAt" > coalesce(u.last_request_at, '-infinity')`;
      if (identitiesProven) await proveIdentities(transaction, applicationId, inputUsers);
    });
    progress.advance(batch.length);
  }
  await reserveIds('users', applicationId);
}

const COLUMNS = { facebookId: 'facebook_id', twitterId: 'twitter_id' };

function unlessProvenByAnother(applicationId: number, field: keyof typeof COLUMNS): Prisma.Sql {
  const [input, column] = [Prisma.raw(`g."${field}"`), COLUMNS[field]];
  return Prisma.sql`CASE WHEN NOT EXISTS (SELECT FROM users p WHERE p.application_id = ${applicationId}
    AND ${Prisma.raw(`p.${column}`)} = ${input} AND ${Prisma.raw(`p.verified_${column}`)} = ${input} AND p.id <> g.id)
    THEN ${input} END`;
}

function proveIdentities(transaction: Transaction, applicationId: number, inputUsers: Prisma.Sql): Promise<number> {
  return transaction.$executeRaw`
    UPDATE users u SET
      verified_email = CASE WHEN u.email = g.email THEN u.email ELSE u.verified_email END,
      verified_phone = CASE WHEN u.phone = g.phone THEN u.phone ELSE u.verified_phone END,
      verified_facebook_id =
        CASE WHEN u.facebook_id = g."facebookId" THEN u.facebook_id ELSE u.verified_facebook_id END,
      verified_twitter_id = CASE WHEN u.twitter_id = g."twitterId" THEN u.twitter_id ELSE u.verified_twitter_id END
    FROM (${inputUsers}) g WHERE u.application_id = ${applicationId} AND u.id = g.id`;
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

function columnsOf(user: SourceUser) {
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
