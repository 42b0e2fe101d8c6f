import type { Transaction } from '../../db/client.ts';
import { query } from '../../db/query.ts';
import { BACKGROUND, transact } from '../../db/transact.ts';
import type { Encrypter } from '../../platform/encryption/encrypter.ts';
import { ChainSigner } from './chain.ts';
import { forEachChain, lockEnds, storeEnds } from './ends.ts';

const BATCH = 5_000;

/** Removes the oldest chained entries of each chain. @param before entries from this time on remain @throws {BrokenChainError} */
export async function trimAuditLog(before: Date, encrypter: Encrypter): Promise<void> {
  const signer = new ChainSigner(encrypter);
  const chains = await query<{ applicationId: number }>`SELECT application_id AS "applicationId" FROM audit_chains`;
  const ids = chains.map(({ applicationId }) => applicationId);
  await forEachChain(ids, async (applicationId) => {
    while ((await transact(BACKGROUND, (transaction) => trim(transaction, applicationId, before, signer))) === BATCH);
  });
}

/** @returns the number of removed entries */
async function trim(
  transaction: Transaction,
  applicationId: number,
  before: Date,
  signer: ChainSigner,
): Promise<number> {
  const ends = await lockEnds(transaction, applicationId, signer);
  // Left by a restart of the chain.
  await transaction.auditEntry.deleteMany({
    where: { applicationId, seq: { lte: ends.startSeq }, at: { lt: before } },
  });
  // Entries of concurrent changes may be chained in another order than that of their times.
  const oldest = await transaction.auditEntry.findMany({
    where: { applicationId, seq: { gt: ends.startSeq } },
    orderBy: { seq: 'asc' },
    select: { seq: true, at: true, hash: true },
    take: BATCH,
  });
  const firstLeft = oldest.findIndex(({ at }) => at >= before);
  const removed = firstLeft === -1 ? oldest : oldest.slice(0, firstLeft);
  const last = removed.at(-1);
  if (!last) return 0;
  await transaction.auditEntry.deleteMany({ where: { applicationId, seq: { lte: last.seq! } } });
  await storeEnds(transaction, { ...ends, startSeq: last.seq!, startHash: last.hash! }, signer);
  return removed.length;
}
