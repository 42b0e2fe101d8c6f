import type { Transaction } from '../../db/client.ts';
import { select } from '../../db/columns.ts';
import { query, queryIn } from '../../db/query.ts';
import { BACKGROUND, transact } from '../../db/transact.ts';
import type { Encrypter } from '../../platform/encryption/encrypter.ts';
import { CHAINED_COLUMNS, CHAINED_VALUES, ChainSigner } from './chain.ts';
import { forEachChain, lockEnds, storeEnds } from './ends.ts';

/** Entries per transaction. */
const BATCH = 1_000;

/**
 * Appends new entries to the chains of their applications. Later, because a chain in the transaction of the change
 * would make all changes of an application wait for each other. Several processes may run it concurrently.
 * @throws {BrokenChainError}
 */
export async function chainAuditLog(encrypter: Encrypter): Promise<void> {
  const signer = new ChainSigner(encrypter);
  await forEachChain(await waitingApplications(), async (applicationId) => {
    while ((await transact(BACKGROUND, (transaction) => chainBatch(transaction, applicationId, signer))) === BATCH);
  });
}

async function waitingApplications(): Promise<number[]> {
  const rows = await query<{ applicationId: number }>`
    SELECT DISTINCT e.application_id AS "applicationId" FROM audit_entries e WHERE e.seq IS NULL`;
  return rows.map(({ applicationId }) => applicationId);
}

/** @returns the number of chained entries */
async function chainBatch(transaction: Transaction, applicationId: number, signer: ChainSigner): Promise<number> {
  const ends = await lockEnds(transaction, applicationId, signer);
  const waiting = select`
    SELECT ${CHAINED_COLUMNS}, ${CHAINED_VALUES} FROM audit_entries e
    WHERE e.application_id = ${applicationId} AND e.seq IS NULL ORDER BY e.id LIMIT ${BATCH}`;
  const entries = await queryIn(transaction, waiting);
  if (entries.length === 0) return 0;
  let { endSeq, endHash } = ends;
  const chained = entries.map((entry) => {
    endSeq += 1;
    endHash = signer.hashOf(applicationId, endSeq, endHash, entry) as Uint8Array<ArrayBuffer>;
    return { id: entry.id, seq: endSeq, hash: endHash };
  });
  await transaction.$executeRaw`
    UPDATE audit_entries e SET seq = g.seq, hash = g.hash
    FROM unnest(${chained.map(({ id }) => id)}::bigint[], ${chained.map(({ seq }) => seq)}::int[],
      ${chained.map(({ hash }) => hash)}::bytea[]) AS g (id, seq, hash)
    WHERE e.application_id = ${applicationId} AND e.id = g.id`;
  await storeEnds(transaction, { ...ends, endSeq, endHash }, signer);
  return entries.length;
}
