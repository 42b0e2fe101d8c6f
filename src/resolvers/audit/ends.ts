import type { db, Transaction } from '../../db/client.ts';
import type { AuditChain } from '../../generated/prisma/client.ts';
import type { ChainSigner, Ends } from './chain.ts';

export function readEnds(client: Transaction | typeof db, applicationId: number): Promise<AuditChain | null> {
  return client.auditChain.findUnique({ where: { applicationId } });
}

export async function storeEnds(transaction: Transaction, ends: Ends, signer: ChainSigner): Promise<void> {
  const { applicationId, startSeq, startHash, endSeq, endHash } = ends;
  const signature = signer.signatureOf(ends) as Uint8Array<ArrayBuffer>;
  await transaction.auditChain.update({
    where: { applicationId },
    data: { startSeq, startHash, endSeq, endHash, signature },
  });
}
