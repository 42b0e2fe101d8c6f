import { db } from '../../db/client.ts';
import { columnsOf } from '../../db/columns.ts';
import { query } from '../../db/query.ts';
import type { Encrypter } from '../../platform/encryption/encrypter.ts';
import { chainAuditLog } from './append.ts';
import { CHAINED_COLUMNS, CHAINED_VALUES, ChainSigner, isSame } from './chain.ts';
import { BrokenChainError, listChains } from './ends.ts';

export interface ChainReport {
  /** 0: administrators and their roles. */
  applicationId: number;
  /** Positions of the first and the last entry; both 0 for an empty chain. */
  from: number;
  to: number;
  /** Undefined: the chain is intact. */
  problem?: string;
}

const BATCH = 1_000;

const CHAINED = columnsOf('AuditEntry', 'e', ['seq', 'hash']);

/** Chains new entries first. @param applicationId undefined: all chains */
export async function verifyAuditLog(encrypter: Encrypter, applicationId?: number): Promise<ChainReport[]> {
  await chainAuditLog(encrypter).catch((error) => {
    if (!(error instanceof BrokenChainError)) throw error; // a report names it
  });
  const signer = new ChainSigner(encrypter);
  const reports: ChainReport[] = [];
  for (const id of await listChains()) {
    if (applicationId === undefined || applicationId === id) reports.push(await verifyChain(id, signer));
  }
  return reports;
}

async function verifyChain(applicationId: number, signer: ChainSigner): Promise<ChainReport> {
  const ends = await db.auditChain.findUnique({ where: { applicationId } });
  if (!ends) return { applicationId, from: 0, to: 0, problem: 'the ends of the chain were removed' };
  const report = { applicationId, from: ends.endSeq > ends.startSeq ? ends.startSeq + 1 : 0, to: ends.endSeq };
  if (!isSame(ends.signature, signer.signatureOf(ends))) {
    return { ...report, problem: 'the ends of the chain were changed, or ENCRYPTION_KEY is a different one' };
  }
  let [seq, hash]: [number, Uint8Array] = [ends.startSeq, ends.startHash];
  for (;;) {
    const entries = await readEntries(applicationId, seq);
    for (const entry of entries) {
      if (entry.seq !== seq + 1 || entry.hash === null) return { ...report, problem: `entry ${seq + 1} was removed` };
      seq = entry.seq;
      if (!isSame(entry.hash, signer.hashOf(applicationId, seq, hash, entry))) {
        return { ...report, problem: `entry ${seq} (id ${entry.id}) was changed` };
      }
      hash = entry.hash;
    }
    if (entries.length < BATCH) break;
  }
  // A process may have chained further entries in the meantime.
  if (seq < ends.endSeq) return { ...report, problem: `entries ${seq + 1} to ${ends.endSeq} were removed` };
  return report;
}

function readEntries(applicationId: number, after: number) {
  return query`
    SELECT ${CHAINED_COLUMNS}, ${CHAINED_VALUES}, ${CHAINED} FROM audit_entries e
    WHERE e.application_id = ${applicationId} AND e.seq > ${after} ORDER BY e.seq LIMIT ${BATCH}`;
}
