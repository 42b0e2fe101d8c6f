import { randomBytes } from 'node:crypto';
import type { AdministrationContext } from '../../context.ts';
import { db, type Prisma, type Transaction } from '../../db/client.ts';
import { transact } from '../../db/transact.ts';
import type { ApiKey } from '../../generated/prisma/client.ts';
import { jobOwnerOf, type OfApplication } from '../../lib/access.ts';
import { BadInputError, NotFoundError, NoUpdateDataError, requireNone } from '../../lib/errors.ts';
import { type FieldProblems, type Problem, problem, when } from '../../lib/problems.ts';
import { ALL_SCOPES, scopeProblems } from '../../lib/scopes.ts';
import { HOUR } from '../../lib/time.ts';
import { hashSecret, isDatabaseId } from '../../lib/tokens.ts';
import { isNetwork, MAX_NETWORKS } from '../../platform/limits/allowed-networks.ts';
import { appendNotices } from '../../realtime/outbox.ts';
import { isRoleName, MAX_ROLES } from '../users/roles.ts';

/** The key itself is returned only once. */
export type NewApiKey = ApiKey & { key: string };

/** Undefined members remain; null removes the restriction. */
export interface KeyChanges {
  name?: string | null | undefined;
  scopes?: string[] | null | undefined;
  onBehalfOf?: number[] | null | undefined;
  onBehalfOfRoles?: string[] | null | undefined;
  networks?: string[] | null | undefined;
  expiresAt?: Date | null | undefined;
}

export const MAX_NAME = 255;
export const MAX_ACTED_USERS = 100;
/** Of a replaced secret. */
export const MAX_OVERLAP_HOURS = 720;

type KeyContext = Pick<AdministrationContext, 'now' | 'outbox'> & { viewer: Omit<OfApplication, 'catalogueVersion'> };

/** 43 characters of `A–Z a–z 0–9 - _`. */
export function randomApiKey(): string {
  return randomBytes(32).toString('base64url');
}

/** Oldest first, including revoked keys. */
export function listApiKeys(applicationId: number, selection: Prisma.ApiKeyDefaultArgs = {}): Promise<ApiKey[]> {
  return db.apiKey.findMany({ ...selection, where: { applicationId }, orderBy: { id: 'asc' } });
}

export function listAllApiKeys(): Promise<ApiKey[]> {
  return db.apiKey.findMany({ orderBy: { id: 'asc' } });
}

/** Imported keys keep their ids, so two applications may have the same. @throws {BadInputError} ambiguous id */
export async function findApiKey(id: number, applicationId?: number): Promise<ApiKey> {
  const [key, another] = isDatabaseId(id) ? await db.apiKey.findMany({ where: { id, applicationId }, take: 2 }) : [];
  if (another) throw new BadInputError(problem('AMBIGUOUS_API_KEY', { id }));
  if (!key) throw new NotFoundError();
  return key;
}

/** @throws {InvalidFieldsError} */
export async function createApiKey(
  input: KeyChanges & { name: string },
  { viewer, now }: Pick<AdministrationContext, 'viewer' | 'now'>,
): Promise<NewApiKey> {
  const changes = checkedKey(input, now());
  const key = randomApiKey();
  const { applicationId } = viewer;
  const data = { applicationId, ...changes, name: input.name.trim(), keyHash: hashSecret(key), createdAt: now() };
  const created = await transact(jobOwnerOf(viewer), (transaction) => transaction.apiKey.create({ data }));
  return { ...created, key };
}

/**
 * Closes everything opened with the key, so that clients connect again with its new restrictions.
 * @throws {NotFoundError} unknown or revoked @throws {InvalidFieldsError} {NoUpdateDataError}
 */
export async function updateApiKey(
  id: number,
  changes: KeyChanges,
  context: KeyContext,
  selection: Prisma.ApiKeyDefaultArgs = {},
): Promise<ApiKey> {
  const data = checkedKey(changes, context.now());
  if (Object.keys(data).length === 0) throw new NoUpdateDataError();
  return changeKey(id, () => data, context, selection);
}

/**
 * Replaces the secret; the previous one remains valid during the overlap. A secret that an earlier rotation replaced
 * ends at once.
 * @throws {NotFoundError} unknown or revoked @throws {BadInputError} overlap out of range
 */
export async function rotateApiKey(id: number, overlapHours: number, context: KeyContext): Promise<NewApiKey> {
  if (overlapHours < 0 || overlapHours > MAX_OVERLAP_HOURS) {
    throw new BadInputError(problem('OUT_OF_RANGE', { name: 'overlapHours', min: 0, max: MAX_OVERLAP_HOURS }));
  }
  const key = randomApiKey();
  const rotated = await changeKey(
    id,
    ({ keyHash }, at) => ({
      keyHash: hashSecret(key),
      previousHash: overlapHours === 0 ? null : keyHash,
      previousExpiresAt: overlapHours === 0 ? null : new Date(at.getTime() + overlapHours * HOUR),
    }),
    context,
  );
  return { ...rotated, key };
}

/** Also ends everything opened with the key, including On-Behalf-Of. @throws {NotFoundError} unknown or revoked */
export function revokeApiKey(
  id: number,
  context: KeyContext,
  selection: Prisma.ApiKeyDefaultArgs = {},
): Promise<ApiKey> {
  return changeKey(id, (_key, at) => ({ revokedAt: at }), context, selection);
}

async function changeKey(
  id: number,
  changesOf: (key: { keyHash: string }, at: Date) => Prisma.ApiKeyUpdateInput,
  { viewer, now, outbox }: KeyContext,
  selection: Prisma.ApiKeyDefaultArgs = {},
): Promise<ApiKey> {
  const { applicationId } = viewer;
  const changed = await transact(jobOwnerOf(viewer), async (transaction) => {
    const at = now();
    const before = await lockKey(transaction, applicationId, isDatabaseId(id) ? id : 0);
    const where = { applicationId_id: { applicationId, id } };
    const key = await transaction.apiKey.update({
      ...selection,
      where,
      data: { ...changesOf(before, at), generation: { increment: 1 } },
    });
    await appendNotices(transaction, 'apiKeyRevoked', { applicationId, ids: [id] }, at);
    return key;
  });
  outbox.wake();
  return changed;
}

async function lockKey(transaction: Transaction, applicationId: number, id: number): Promise<{ keyHash: string }> {
  const [key] = await transaction.$queryRaw<{ keyHash: string }[]>`
    SELECT key_hash AS "keyHash" FROM api_keys
    WHERE application_id = ${applicationId} AND id = ${id} AND revoked_at IS NULL FOR NO KEY UPDATE`;
  if (!key) throw new NotFoundError();
  return key;
}

/** @throws {InvalidFieldsError} */
function checkedKey({ name, scopes, onBehalfOf, onBehalfOfRoles, networks, expiresAt }: KeyChanges, now: Date) {
  const problems: FieldProblems = {
    name: name == null ? [] : nameProblems(name.trim()),
    scopes: scopes == null ? [] : scopeProblems(scopes),
    onBehalfOf: when(
      (onBehalfOf?.length ?? 0) > MAX_ACTED_USERS,
      problem('TOO_MANY_ENTRIES', { max: MAX_ACTED_USERS }),
    ),
    onBehalfOfRoles: roleProblems(onBehalfOfRoles ?? []),
    networks: networkProblems(networks ?? []),
    expiresAt: when(expiresAt != null && expiresAt <= now, 'TIME_PAST'),
  };
  requireNone(problems);
  return {
    ...(name != null && { name: name.trim() }),
    ...(scopes !== undefined && { scopes: scopes ?? [ALL_SCOPES] }),
    ...(onBehalfOf !== undefined && { actsForAll: onBehalfOf === null, actsFor: onBehalfOf ?? [] }),
    ...(onBehalfOfRoles !== undefined && { actsForRoles: onBehalfOfRoles ?? [] }),
    ...(networks !== undefined && { networks: networks ?? [] }),
    ...(expiresAt !== undefined && { expiresAt }),
  };
}

function roleProblems(roles: readonly string[]): Problem[] {
  if (roles.length > MAX_ROLES) return [problem('TOO_MANY_ENTRIES', { max: MAX_ROLES })];
  return when(!roles.every(isRoleName), 'ROLE_NAME_INVALID');
}

function nameProblems(name: string): Problem[] {
  if (name === '') return ['BLANK'];
  return when(name.length > MAX_NAME, problem('TOO_LONG', { max: MAX_NAME }));
}

function networkProblems(networks: readonly string[]): Problem[] {
  if (networks.length > MAX_NETWORKS) return [problem('TOO_MANY_ENTRIES', { max: MAX_NETWORKS })];
  const wrong = networks.find((network) => !isNetwork(network));
  return wrong === undefined ? [] : [problem('NETWORK_INVALID', { network: wrong.slice(0, 100) })];
}
