import { Prisma } from '../../db/client.ts';
import { query } from '../../db/query.ts';
import type { AuditAction } from '../../generated/prisma/client.ts';
import type { Actor } from '../../lib/actor.ts';

export interface NewEntry {
  applicationId: number;
  action: AuditAction;
  subject: string;
  subjectId: string;
  after?: object | undefined;
}

/** For acts that change no audited table; triggers record the others. */
export async function appendEntry(
  { applicationId, action, subject, subjectId, after }: NewEntry,
  { kind, id, network, reason }: Actor,
): Promise<void> {
  await query(Prisma.sql`
    INSERT INTO audit_entries (application_id, actor_kind, actor_id, network, reason, action, subject, subject_id, after)
    VALUES (${applicationId}, ${kind}::audit_actor_kind, ${id ?? null}, ${network ?? null}, ${reason ?? null},
      ${action}::audit_action, ${subject}, ${subjectId}, ${after ? JSON.stringify(after) : null}::jsonb)`);
}
