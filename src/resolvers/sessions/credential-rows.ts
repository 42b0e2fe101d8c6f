import type { StoredSession } from '../../context.ts';
import { coalesce } from '../../db/coalesce.ts';
import { query } from '../../db/query.ts';
import { applicationOfToken, hashSecret } from '../../lib/tokens.ts';

/** The session that a token opens, expired or not; undefined for a token that opens none. */
export async function findSessionByToken(token: string): Promise<StoredSession | undefined> {
  const applicationId = applicationOfToken(token);
  return applicationId === undefined ? undefined : findSession({ applicationId, tokenHash: hashSecret(token) });
}

const findSession = coalesce(async (wanted: { applicationId: number; tokenHash: string }[]) => {
  const rows = await query<StoredSession & { tokenHash: string }>`
    SELECT s.application_id AS "applicationId", s.id, s.user_id AS "userId", s.generation,
      coalesce(s.signed_in_at, s.created_at) AS "signedInAt", s.updated_at AS "updatedAt", a.session_minutes AS "sessionMinutes",
      a.catalogue_version AS "catalogueVersion", s.token_hash AS "tokenHash"
    FROM unnest(${wanted.map((session) => session.applicationId)}::int[], ${wanted.map((session) => session.tokenHash)}::text[])
      AS wanted (application_id, token_hash)
    JOIN sessions s USING (application_id, token_hash)
    JOIN applications a ON a.id = s.application_id`;
  const byHash = new Map(rows.map((row) => [row.tokenHash, row]));
  return wanted.map(({ tokenHash }) => byHash.get(tokenHash));
});

interface KeyRow {
  applicationId: number;
  id: number;
  keyHash: string;
  catalogueVersion: number;
}

/** The API key that is not revoked, of an application that is not just being imported, by the hash of what is sent. */
export const findKeyByHash = coalesce(async (hashes: string[]) => {
  const rows = await query<KeyRow>`
    SELECT k.application_id AS "applicationId", k.id, k.key_hash AS "keyHash",
      a.catalogue_version AS "catalogueVersion"
    FROM api_keys k JOIN applications a ON a.id = k.application_id
    WHERE k.key_hash = ANY(${hashes}::text[]) AND k.revoked_at IS NULL AND a.import_id IS NULL`;
  const byHash = new Map(rows.map((row) => [row.keyHash, row]));
  return hashes.map((hash) => byHash.get(hash));
});

/** Whether an API key may still be used, and for the user it is used for, if any. */
export const isKeyLiving = coalesce(
  async (wanted: { applicationId: number; apiKeyId: number; userId: number | undefined }[]) => {
    const rows = await query<{ place: number }>`
      SELECT wanted.place::int AS place
      FROM unnest(${wanted.map((key) => key.applicationId)}::int[], ${wanted.map((key) => key.apiKeyId)}::int[],
        ${wanted.map((key) => key.userId ?? null)}::int[])
        WITH ORDINALITY AS wanted (application_id, id, user_id, place)
      JOIN api_keys k ON k.application_id = wanted.application_id AND k.id = wanted.id AND k.revoked_at IS NULL
      WHERE wanted.user_id IS NULL OR EXISTS (
        SELECT FROM users u WHERE u.application_id = wanted.application_id AND u.id = wanted.user_id)`;
    const places = new Set(rows.map(({ place }) => place));
    return wanted.map((_key, index) => places.has(index + 1));
  },
);
