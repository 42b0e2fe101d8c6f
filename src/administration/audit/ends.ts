import type { Transaction } from '../../db/client.ts';
import { query } from '../../db/query.ts';
import { type ChainSigner, type Ends, emptyChain, isSame } from './chain.ts';

/** The ends of a chain do not fit the key of this process. */
export class BrokenChainError extends Error {
  constructor(applicationId: number) {
    super(
      `the chain ${applicationId} of the audit log is not continued, because its ends were changed or ENCRYPTION_KEY ` +
        'is a different one; `audit verify` checks it',
    );
  }
}

/**
 * Locks the chain, so that one process at a time continues it. With a different key, entries remain outside of the
 * chain until the right key is back, because a chain that two keys have signed could not be verified.
 * @throws {BrokenChainError}
 */
export async function lockEnds(transaction: Transaction, applicationId: number, signer: ChainSigner): Promise<Ends> {
  const first = emptyChain(applicationId);
  const data = { ...first, signature: signer.signatureOf(first) as Uint8Array<ArrayBuffer> };
  const { count } = await transaction.auditChain.createMany({ data, skipDuplicates: true });
  await transaction.$executeRaw`SELECT FROM audit_chains WHERE application_id = ${applicationId} FOR NO KEY UPDATE`;
  const ends = await transaction.auditChain.findUniqueOrThrow({ where: { applicationId } });
  const orphan =
    count > 0 ? await transaction.auditEntry.findFirst({ where: { applicationId, seq: { gt: 0 } } }) : undefined;
  if (orphan || !isSame(ends.signature, signer.signatureOf(ends))) throw new BrokenChainError(applicationId);
  return ends;
}

export async function storeEnds(transaction: Transaction, ends: Ends, signer: ChainSigner): Promise<void> {
  const { applicationId, startSeq, startHash, endSeq, endHash } = ends;
  const signature = signer.signatureOf(ends) as Uint8Array<ArrayBuffer>;
  const data = { startSeq, startHash, endSeq, endHash, signature };
  await transaction.auditChain.upsert({
    where: { applicationId },
    create: { applicationId, ...data },
    update: data,
  });
}

/** Ids of the applications with a chain, also of chains whose ends were removed. */
export async function listChains(): Promise<number[]> {
  const rows = await query<{ applicationId: number }>`
    SELECT application_id AS "applicationId" FROM audit_chains
    UNION SELECT application_id FROM audit_entries WHERE seq IS NOT NULL ORDER BY 1`;
  return rows.map(({ applicationId }) => applicationId);
}

/** Runs `work` for each chain. A broken chain does not stop the others. @throws {BrokenChainError} after the last one */
export async function forEachChain(applicationIds: number[], work: (applicationId: number) => Promise<void>) {
  let broken: BrokenChainError | undefined;
  for (const applicationId of applicationIds) {
    try {
      await work(applicationId);
    } catch (error) {
      if (!(error instanceof BrokenChainError)) throw error;
      broken ??= error;
    }
  }
  if (broken) throw broken;
}
