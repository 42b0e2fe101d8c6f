import { BACKGROUND, transact } from '../../db/transact.ts';
import type { Encrypter } from '../../platform/encryption/encrypter.ts';
import { ChainSigner, isSame, NO_HASH } from './chain.ts';
import { listChains, storeEnds } from './ends.ts';

export interface RestartedChain {
  /** 0: administrators and their roles. */
  applicationId: number;
  /** Position of the last entry that can no longer be verified. */
  until: number;
}

/**
 * Continues chains that this key has not signed. Their entries remain, but can no longer be verified; an entry of the
 * operator records that. Does nothing to a chain whose ends fit the key, even if its entries were changed.
 */
export async function restartAuditLog(encrypter: Encrypter): Promise<RestartedChain[]> {
  const signer = new ChainSigner(encrypter);
  const restarted: RestartedChain[] = [];
  for (const applicationId of await listChains()) {
    const until = await restartChain(applicationId, signer);
    if (until !== undefined) restarted.push({ applicationId, until });
  }
  return restarted;
}

/** @returns undefined if the chain needs no restart */
function restartChain(applicationId: number, signer: ChainSigner): Promise<number | undefined> {
  return transact(BACKGROUND, async (transaction) => {
    await transaction.$executeRaw`SELECT FROM audit_chains WHERE application_id = ${applicationId} FOR NO KEY UPDATE`;
    const ends = await transaction.auditChain.findUnique({ where: { applicationId } });
    if (ends && isSame(ends.signature, signer.signatureOf(ends))) return undefined;
    const where = { applicationId, seq: { gt: 0 } };
    const last = await transaction.auditEntry.findFirst({ where, orderBy: { seq: 'desc' } });
    const [seq, hash] = [last?.seq ?? 0, last?.hash ?? NO_HASH];
    const fresh = { applicationId, startSeq: seq, startHash: hash, endSeq: seq, endHash: hash };
    await storeEnds(transaction, fresh, signer);
    await transaction.$executeRaw`
      INSERT INTO audit_entries (application_id, actor_kind, action, subject, subject_id, after)
      VALUES (${applicationId}, 'operator', 'update', 'AuditChain', ${String(applicationId)},
        ${JSON.stringify({ start_seq: seq })}::jsonb)`;
    return seq;
  });
}
