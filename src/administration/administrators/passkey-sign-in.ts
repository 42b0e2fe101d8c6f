import type { Context } from '../../context.ts';
import { transact } from '../../db/transact.ts';
import type { AdministratorViewer } from '../../lib/access.ts';
import { NotFoundError } from '../../lib/errors.ts';
import { problem } from '../../lib/problems.ts';
import { CHALLENGE_LIFETIME_MS } from '../../platform/second-factors/challenges.ts';
import { credentialsAt, type PasskeyAssertion, requestOptions } from '../../platform/second-factors/passkeys.ts';
import { bindBrowser, boundToBrowser, boundToSession, type ChallengeBinding, createChallenge } from './challenges.ts';
import { verifyAssertion } from './passkey-assertions.ts';
import { listCredentials } from './passkeys.ts';
import { relyingPartyOf } from './relying-party.ts';
import { type Administrator, findAdministrator, jobOfAdministrator } from './rows.ts';
import { confirmedUntil, requirePage, startSession } from './sessions.ts';

/** Without a list of credentials, so that it reveals no account and needs no email address. */
export async function passkeySignInOptions(context: Context): Promise<unknown> {
  const { id } = relyingPartyOf(context);
  return optionsFor(id, bindBrowser(context), context);
}

/** @throws {NotFoundError} */
export async function passkeyConfirmationOptions(viewer: AdministratorViewer, context: Context): Promise<unknown> {
  const { id } = relyingPartyOf(context);
  const allowCredentials = credentialsAt(await listCredentials(viewer.administrator.id), id);
  if (allowCredentials.length === 0) throw new NotFoundError(problem('NO_PASSKEY_FOR_HOST', { host: id }));
  return optionsFor(id, boundToSession('confirmation', viewer), context, allowCredentials);
}

/** Counts as password and code, because the authenticator has verified the person. @throws {PasskeyRefusedError} */
export async function signInAdministratorWithPasskey(
  assertion: PasskeyAssertion,
  context: Context,
): Promise<Administrator> {
  const page = requirePage(context);
  const id = await verifyAssertion(assertion, boundToBrowser(page), context);
  const at = context.now();
  const token = await transact(jobOfAdministrator(id, context.network), (transaction) =>
    startSession(transaction, id, at),
  );
  page.setToken(token);
  return { ...(await findAdministrator(id)), confirmedUntil: confirmedUntil(at) };
}

async function optionsFor(
  host: string,
  binding: ChallengeBinding,
  context: Context,
  allowCredentials?: { id: string; transports: string[] }[],
): Promise<unknown> {
  const challenge = await createChallenge(binding, context);
  return requestOptions(host, { challenge, lifetimeMs: CHALLENGE_LIFETIME_MS }, allowCredentials);
}
