import type { Services } from '../../context.ts';
import { db, Prisma, type Transaction } from '../../db/client.ts';
import { query } from '../../db/query.ts';
import { transact } from '../../db/transact.ts';
import type { User } from '../../generated/prisma/client.ts';
import { jobOwnerOf, type SessionViewer, type UserViewer } from '../../lib/access.ts';
import { SessionMissingError, SignInTooOldError } from '../../lib/errors.ts';
import { asProven, type Identity } from '../users/identities.ts';
import { requireSession } from '../users/lock.ts';
import { isUniqueViolation } from '../users/taken.ts';

export interface Proof {
  applicationId: number;
  identity: Identity;
  fullName: string | null;
  attachTo: AttachingViewer | undefined;
  mayAttach: boolean;
}

export type AttachingViewer = UserViewer & SessionViewer;

export interface Proven {
  user: User;
  attachedTo: User | undefined;
}

const COLUMNS = { phone: 'phone', facebookId: 'facebook_id', twitterId: 'twitter_id' };

/** Retries if other users claim the identity concurrently. */
const ATTEMPTS = 10;

/** The user who has proven it (the oldest if several), else the signed-in user, else a new one. Others lose the value. */
export async function proveIdentity(proof: Proof, services: Services): Promise<Proven> {
  const { provenId, isClaimed } = await standing(proof);
  const known = provenId !== null && !isClaimed ? await db.user.findUnique({ where: keyOf(proof, provenId) }) : null;
  if (known) return { user: known, attachedTo: undefined };
  for (let attempt = 1; ; attempt++) {
    try {
      return await transact(jobOwnerOf(proof), (transaction) => settle(transaction, proof, services.now()));
    } catch (error) {
      if (!isUniqueViolation(error) || attempt === ATTEMPTS) throw error;
    }
  }
}

export function provenBy(identity: Identity): Prisma.Sql {
  const { value, column, proven } = columnsOf(identity);
  return Prisma.sql`(${column} = ${value} AND ${proven} = ${value})`;
}

async function standing({ applicationId, identity }: Proof): Promise<{ provenId: number | null; isClaimed: boolean }> {
  const { value, column } = columnsOf(identity);
  const [row] = await query<{ provenId: number | null; isClaimed: boolean }>`
    SELECT min(id) FILTER (WHERE ${provenBy(identity)}) AS "provenId",
      count(*) FILTER (WHERE ${provenBy(identity)} IS NOT TRUE) > 0 AS "isClaimed"
    FROM users WHERE application_id = ${applicationId} AND ${column} = ${value}`;
  return row!;
}

/** Serializes proofs of one identity, so that only one creates the user. */
async function settle(transaction: Transaction, proof: Proof, at: Date): Promise<Proven> {
  const { applicationId, identity, attachTo } = proof;
  const { value, column } = columnsOf(identity);
  const name = `identity ${applicationId} ${Object.keys(identity)[0]} ${value}`;
  await transaction.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))`;
  // In id order, so that concurrent proofs cannot deadlock.
  const rows = await transaction.$queryRaw<{ id: number; isProven: boolean }[]>`
    SELECT id, ${provenBy(identity)} IS TRUE AS "isProven" FROM users
    WHERE application_id = ${applicationId} AND (${column} = ${value} OR id = ${attachTo?.userId ?? null}::int)
    ORDER BY id FOR NO KEY UPDATE`;
  const provenId = rows.find(({ isProven }) => isProven)?.id;
  const userId = provenId ?? attachTo?.userId;
  const claimants = rows.filter((row) => !row.isProven && row.id !== userId).map(({ id }) => id);
  await transaction.$executeRaw`
    UPDATE users SET ${column} = NULL
    WHERE application_id = ${applicationId} AND id = ANY(${claimants}::int[]) AND ${column} = ${value}`;
  if (provenId !== undefined) {
    const user = await transaction.user.findUniqueOrThrow({ where: keyOf(proof, provenId) });
    return { user, attachedTo: undefined };
  }
  return attachTo
    ? attach(transaction, proof, attachTo, at)
    : { user: await create(transaction, proof, at), attachedTo: undefined };
}

/** Replaces an identity of the same kind. */
async function attach(transaction: Transaction, proof: Proof, viewer: AttachingViewer, at: Date): Promise<Proven> {
  const where = keyOf(proof, viewer.userId);
  const before = await transaction.user.findUnique({ where });
  if (!before) throw new SessionMissingError();
  await requireSession(transaction, viewer);
  if (!proof.mayAttach && !before.isGuest) throw new SignInTooOldError();
  const { identity } = proof;
  const data = { ...identity, ...asProven(identity), isGuest: false, updatedAt: at };
  return { user: await transaction.user.update({ where, data }), attachedTo: before };
}

function create(transaction: Transaction, { applicationId, identity, fullName }: Proof, at: Date): Promise<User> {
  const data = { applicationId, ...identity, ...asProven(identity), fullName, createdAt: at, updatedAt: at };
  return transaction.user.create({ data });
}

function columnsOf(identity: Identity) {
  const [[field, value]] = Object.entries(identity) as [[keyof typeof COLUMNS, string]];
  const column = COLUMNS[field];
  return { value, column: Prisma.raw(column), proven: Prisma.raw(`verified_${column}`) };
}

const keyOf = ({ applicationId }: Proof, id: number) => ({ applicationId_id: { applicationId, id } });
