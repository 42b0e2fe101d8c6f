import type { StoredSession } from '../../context.ts';
import { applicationOf, coalesce } from '../../db/coalesce.ts';
import { columns, columnsOf } from '../../db/columns.ts';
import { query } from '../../db/query.ts';
import { fromReachable } from '../../db/shards.ts';
import { applicationOfToken, hashSecret } from '../../lib/tokens.ts';

/** Includes expired sessions; excludes those of applications that are being imported or deleted. */
export async function findSessionByToken(token: string): Promise<StoredSession | undefined> {
  const applicationId = applicationOfToken(token);
  return applicationId === undefined ? undefined : findSession({ applicationId, tokenHash: hashSecret(token) });
}

const SESSION = columnsOf('Session', 's', [
  'applicationId',
  'id',
  'userId',
  'generation',
  'updatedAt',
  'tokenHash',
  'isMultiFactor',
]);
const SIGNED_IN_AT = columns({
  signedInAt: ['time', 'coalesce(s.signed_in_at, s.created_at)'],
  confirmedAt: ['time', 'coalesce(s.confirmed_at, s.signed_in_at, s.created_at)'],
});
const OF_APPLICATION = columnsOf('Application', 'a', [
  'sessionMinutes',
  'maxSessionMinutes',
  'verifiedEmailRequired',
  'dialogCreators',
  'secondFactorRoles',
]);
const CATALOGUE = columnsOf('Application', 'a', ['catalogueVersion']);

const findSession = coalesce(
  async (wanted: { applicationId: number; tokenHash: string }[], applicationId: number) => {
    const rows = await query`
      SELECT ${SESSION}, ${SIGNED_IN_AT}, ${OF_APPLICATION}, ${CATALOGUE}
      FROM sessions s JOIN applications a ON a.id = ${applicationId} AND a.import_id IS NULL
      WHERE s.application_id = ${applicationId} AND s.token_hash = ANY(${wanted.map(({ tokenHash }) => tokenHash)}::text[])`;
    const byHash = new Map(rows.map((row) => [row.tokenHash, row]));
    return wanted.map(({ tokenHash }) => byHash.get(tokenHash));
  },
  { applicationOf },
);

const KEY = columnsOf('ApiKey', 'k', [
  ...(['applicationId', 'id', 'keyHash', 'previousHash', 'previousExpiresAt'] as const),
  ...(['scopes', 'actsForAll', 'actsFor', 'actsForRoles', 'networks', 'expiresAt', 'generation'] as const),
]);

/** Includes expired keys and secrets; excludes revoked keys, and applications that are being imported. */
export const findKeyByHash = coalesce(async (hashes: string[]) => {
  const rows = await fromReachable(
    () => query`
      SELECT ${KEY}, ${CATALOGUE}
      FROM api_keys k JOIN applications a ON a.id = k.application_id
      WHERE (k.key_hash = ANY(${hashes}::text[]) OR k.previous_hash = ANY(${hashes}::text[]))
        AND k.revoked_at IS NULL AND a.import_id IS NULL`,
    (found) => hashes.every((hash) => found.some((key) => isHashOf(hash, key))),
  );
  return hashes.map((hash) => rows.find((row) => isHashOf(hash, row)));
});

function isHashOf(hash: string, { keyHash, previousHash }: { keyHash: string; previousHash: string | null }): boolean {
  return keyHash === hash || previousHash === hash;
}

interface KeyInUse {
  applicationId: number;
  apiKeyId: number;
  userId: number | undefined;
  generation: number;
}

/** False once the key was revoked or changed, or the user was deleted. */
export const isKeyLiving = coalesce(
  async (wanted: KeyInUse[], applicationId: number) => {
    const rows = await query<{ ord: number }>`
      SELECT wanted.ord::int AS ord
      FROM unnest(${wanted.map((key) => key.apiKeyId)}::int[], ${wanted.map((key) => key.userId ?? null)}::int[],
          ${wanted.map((key) => key.generation)}::int[])
        WITH ORDINALITY AS wanted (id, user_id, generation, ord)
      JOIN api_keys k ON k.application_id = ${applicationId} AND k.id = wanted.id AND k.revoked_at IS NULL
        AND k.generation = wanted.generation
      WHERE wanted.user_id IS NULL OR EXISTS (
        SELECT FROM users u WHERE u.application_id = ${applicationId} AND u.id = wanted.user_id)`;
    const ordinals = new Set(rows.map(({ ord }) => ord));
    return wanted.map((_key, index) => ordinals.has(index + 1));
  },
  { applicationOf },
);
