import { db } from '../../db/client.ts';
import type { AuditEntry } from '../../generated/prisma/client.ts';

const BATCH = 1_000;

/** Oldest first, chained entries and new ones. @param since undefined: from the first entry on */
export async function* exportAuditLog(
  applicationId: number | undefined,
  since: Date | undefined,
): AsyncGenerator<AuditEntry[]> {
  let after = 0n;
  for (;;) {
    const entries = await db.auditEntry.findMany({
      where: { applicationId, id: { gt: after }, at: { gte: since } },
      orderBy: { id: 'asc' },
      take: BATCH,
    });
    const last = entries.at(-1);
    if (!last) return;
    yield entries;
    after = last.id;
  }
}
