import { randomBytes } from 'node:crypto';
import type { AdministrationContext } from '../../context.ts';
import { db, type Prisma } from '../../db/client.ts';
import { transact } from '../../db/transact.ts';
import type { ApiKey } from '../../generated/prisma/client.ts';
import { jobOwnerOf, type OfApplication } from '../../lib/access.ts';
import { BadInputError, InvalidFieldsError, NotFoundError } from '../../lib/errors.ts';
import { problem } from '../../lib/problems.ts';
import { hashSecret, isDatabaseId } from '../../lib/tokens.ts';
import { appendRevokedApiKey } from '../../realtime/outbox.ts';

/** The key itself is returned only once. */
export type NewApiKey = ApiKey & { key: string };

export const MAX_NAME = 255;

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
  name: string,
  { viewer, now }: Pick<AdministrationContext, 'viewer' | 'now'>,
): Promise<NewApiKey> {
  const trimmed = name.trim();
  if (trimmed === '') throw new InvalidFieldsError({ name: ['BLANK'] });
  if (trimmed.length > MAX_NAME) {
    throw new InvalidFieldsError({ name: [problem('TOO_LONG', { max: MAX_NAME })] });
  }
  const key = randomApiKey();
  const { applicationId } = viewer;
  const data = { applicationId, name: trimmed, keyHash: hashSecret(key), createdAt: now() };
  const created = await transact(jobOwnerOf(viewer), (transaction) => transaction.apiKey.create({ data }));
  return { ...created, key };
}

/** Also ends everything opened with the key, including On-Behalf-Of. @throws {NotFoundError} unknown or revoked */
export async function revokeApiKey(
  id: number,
  {
    viewer,
    now,
    outbox,
  }: Pick<AdministrationContext, 'now' | 'outbox'> & {
    viewer: Omit<OfApplication, 'catalogueVersion'>;
  },
  selection: Prisma.ApiKeyDefaultArgs = {},
): Promise<ApiKey> {
  const { applicationId } = viewer;
  const revoked = await transact(jobOwnerOf(viewer), async (transaction) => {
    const at = now();
    const where = { applicationId, id: isDatabaseId(id) ? id : 0, revokedAt: null };
    const [key] = await transaction.apiKey.updateManyAndReturn({ ...selection, where, data: { revokedAt: at } });
    if (!key) throw new NotFoundError();
    await appendRevokedApiKey(transaction, key, at);
    return key;
  });
  outbox.wake();
  return revoked;
}
