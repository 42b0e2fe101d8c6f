import type { TokenContext } from '../../context.ts';
import { db } from '../../db/client.ts';
import { SessionMissingError } from '../../lib/errors.ts';
import type { OpenSession } from './rows.ts';

export async function findSession({ viewer, now }: TokenContext): Promise<OpenSession> {
  const { applicationId, session } = viewer;
  const found = await db.session.findUnique({ where: { applicationId_id: { applicationId, id: session.id } } });
  if (!found) throw new SessionMissingError();
  return { ...found, updatedAt: now(), token: session.token, expiresAt: session.expiresAt };
}
