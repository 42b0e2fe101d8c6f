import { db } from '../../db/client.ts';
import { DisabledError } from '../../lib/errors.ts';
import { hostOfOrigin } from '../../lib/passkey-origins.ts';
import type { RelyingParty } from '../../platform/second-factors/passkeys.ts';

export interface UserRelyingParty extends RelyingParty {
  origin: string[];
  /** Of the application. */
  name: string;
}

/** @throws {DisabledError} the application names no origin */
export async function relyingPartyOf(applicationId: number): Promise<UserRelyingParty> {
  const found = await findRelyingParty(applicationId);
  if (!found) throw new DisabledError('PASSKEYS_OFF');
  return found;
}

/** Undefined without passkeys. */
export async function findRelyingParty(applicationId: number): Promise<UserRelyingParty | undefined> {
  const application = await db.application.findUnique({ where: { id: applicationId, importId: null } });
  const [first, ...others] = application?.passkeyOrigins ?? [];
  const id = first === undefined ? undefined : hostOfOrigin(first);
  return id === undefined ? undefined : { id, origin: [first!, ...others], name: application!.name };
}
