import { columns, columnsOf, type RowOf } from '../../db/columns.ts';
import type { AuditChain } from '../../generated/prisma/client.ts';
import type { Encrypter } from '../../platform/encryption/encrypter.ts';

export const CHAINED_COLUMNS = columnsOf('AuditEntry', 'e', [
  'id',
  'at',
  'actorKind',
  'actorId',
  'network',
  'reason',
  'action',
  'subject',
  'subjectId',
]);

/** JSON as PostgreSQL prints it, because the hash needs one spelling. */
export const CHAINED_VALUES = columns({
  before: ['text | null', 'e.before::text'],
  after: ['text | null', 'e.after::text'],
});

export type ChainedEntry = RowOf<[typeof CHAINED_COLUMNS, typeof CHAINED_VALUES]>;

export type Ends = Omit<AuditChain, 'signature'>;

export const NO_HASH = new Uint8Array(0);

export const emptyChain = (applicationId: number): Ends => ({
  applicationId,
  startSeq: 0,
  startHash: NO_HASH,
  endSeq: 0,
  endHash: NO_HASH,
});

/** Only the service has the key, so that a person with access to the database alone cannot repair a chain. */
export class ChainSigner {
  readonly #key: Encrypter;

  constructor(encrypter: Encrypter) {
    this.#key = encrypter.forPurpose('audit log');
  }

  hashOf(applicationId: number, seq: number, previous: Uint8Array, entry: ChainedEntry): Buffer {
    const { id, at, actorKind, actorId, network, reason, action, subject, subjectId, before, after } = entry;
    const given = [String(id), at.toISOString(), actorKind, actorId, network, reason, action, subject, subjectId];
    return this.#sign(['entry', applicationId, seq, hex(previous), ...given, before, after]);
  }

  /** Of the ends, so that neither the first nor the last entries can be removed. */
  signatureOf({ applicationId, startSeq, startHash, endSeq, endHash }: Ends): Buffer {
    return this.#sign(['ends', applicationId, startSeq, hex(startHash), endSeq, hex(endHash)]);
  }

  #sign(values: readonly unknown[]): Buffer {
    return this.#key.sign(JSON.stringify(values));
  }
}

export function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return hex(one) === hex(other);
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
