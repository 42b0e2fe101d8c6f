import type { Context } from '../../context.ts';
import { db } from '../../db/client.ts';
import type { AdministratorPasskey } from '../../generated/prisma/client.ts';
import { PasskeyRefusedError } from '../../lib/errors.ts';
import { challengeIn, type PasskeyAssertion, verifySignature } from '../../platform/second-factors/passkeys.ts';
import { type ChallengeBinding, useChallenge } from './challenges.ts';
import { relyingPartyOf } from './relying-party.ts';

/**
 * @param binding undefined: refused
 * @param administratorId undefined: the passkey identifies the administrator
 * @returns the id of the administrator whose passkey it is
 * @throws {PasskeyRefusedError} {BadInputError}
 */
export async function verifyAssertion(
  assertion: PasskeyAssertion,
  binding: ChallengeBinding | undefined,
  context: Context,
  administratorId?: number,
): Promise<number> {
  const relyingParty = relyingPartyOf(context);
  const challenge = challengeIn(assertion.clientDataJSON);
  const isValid = challenge !== undefined && binding !== undefined && (await useChallenge(challenge, binding, context));
  if (!isValid) throw new PasskeyRefusedError();
  const passkey = await db.administratorPasskey.findUnique({
    where: { credentialId: assertion.id, administratorId, relyingPartyId: relyingParty.id },
    include: { administrator: { select: { passkeyHandle: true } } },
  });
  // Browsers send the handle of each passkey that they have found without a list of credentials.
  const handle =
    assertion.userHandle ?? (administratorId === undefined ? undefined : passkey?.administrator.passkeyHandle);
  if (!passkey || handle !== passkey.administrator.passkeyHandle) throw new PasskeyRefusedError();
  const use = await verifySignature(assertion, challenge, passkey, relyingParty);
  if (!use) throw new PasskeyRefusedError();
  await recordUse(passkey, use, context);
  return passkey.administratorId;
}

/** A counter that does not grow means that the authenticator was cloned. @throws {PasskeyRefusedError} */
async function recordUse(
  { id, administratorId, counter }: AdministratorPasskey,
  { newCounter, credentialBackedUp }: { newCounter: number; credentialBackedUp: boolean },
  { now, log }: Context,
): Promise<void> {
  const isCounted = newCounter > 0 || counter > 0n;
  const { count } = await db.administratorPasskey.updateMany({
    where: { id, counter: isCounted ? { lt: newCounter } : 0n },
    data: { counter: newCounter, isBackedUp: credentialBackedUp, lastUsedAt: now() },
  });
  if (count > 0) return;
  log.warn(
    { passkeyId: id, administratorId, counter: newCounter, latestCounter: Number(counter) },
    'a passkey was refused because its counter did not grow; the authenticator may have been copied',
  );
  throw new PasskeyRefusedError();
}
