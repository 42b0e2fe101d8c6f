import { createHash, randomBytes } from 'node:crypto';
import type { Context } from '../../context.ts';
import { db } from '../../db/client.ts';
import { IdentityRefusedError, ProviderUnavailableError } from '../../gateways/provider.ts';
import { RedirectDeniedError, type RedirectState } from '../../gateways/redirect-sign-in.ts';
import type { TokenIdentity } from '../../gateways/token-verifier.ts';
import type { TokenIssuer } from '../../generated/prisma/client.ts';
import { BadInputError, NotFoundError, requireNone, SignInRefusedError } from '../../lib/errors.ts';
import { problem, when } from '../../lib/problems.ts';
import { isSameSecret } from '../../lib/signature.ts';
import { MINUTE } from '../../lib/time.ts';
import { isDatabaseId } from '../../lib/tokens.ts';
import { createChallenge, findChallenge, useChallenge } from '../second-factors/challenges.ts';
import { clientOf } from './token-issuers.ts';

export const PENDING_LIFETIME_MS = 10 * MINUTE;
const ADDITIONAL_DATA = 'sign-in at a provider';
const MAX_STATE = 500;
const RANDOM_BYTES = 32;

export interface ProviderSignIn {
  applicationId: number;
  /** Name of the issuer. */
  provider: string;
  returnTo: string;
  /** SHA-256 of the verifier of the app, in base64url (PKCE). */
  codeChallenge: string;
  /** Of the app, which receives it back. */
  state?: string | null | undefined;
}

/** Kept by the browser, encrypted, so that requests without credentials store nothing here. */
interface Pending extends Omit<ProviderSignIn, 'state'>, Omit<RedirectState, 'redirectUri'> {
  appState: string | null;
  expiresAt: number;
}

export interface BegunSignIn {
  /** Of the provider. */
  url: string;
  /** Names this sign-in among others of the browser. */
  id: string;
  pending: string;
}

type ProviderContext = Pick<Context, 'now' | 'log' | 'encrypter' | 'publicUrl' | 'redirects'>;

/** @throws {NotFoundError} the provider {InvalidFieldsError} {SignInRefusedError} the provider is unavailable */
export async function beginProviderSignIn(input: ProviderSignIn, context: ProviderContext): Promise<BegunSignIn> {
  const { applicationId, provider, returnTo, codeChallenge, state } = input;
  const issuer = await findProvider(applicationId, provider);
  requireNone({
    returnTo: when(!issuer.returnAddresses.includes(returnTo), 'RETURN_ADDRESS_UNKNOWN'),
    codeChallenge: when(!/^[\w-]{43}$/.test(codeChallenge), 'PKCE_INVALID'),
    state: when((state?.length ?? 0) > MAX_STATE, problem('TOO_LONG', { max: MAX_STATE })),
  });
  const [own, nonce, verifier] = Array.from({ length: 3 }, () => randomBytes(RANDOM_BYTES).toString('base64url'));
  const random = { state: own!, nonce: nonce!, verifier: verifier! };
  const client = clientOf(issuer, context);
  const redirectUri = redirectUriOf(input, context);
  const url = await context.redirects.authorizationUrl(client, { ...random, redirectUri }).catch((error: unknown) => {
    throw refused(error, issuer, context);
  });
  const expiresAt = context.now().getTime() + PENDING_LIFETIME_MS;
  const app = { applicationId, provider, returnTo, codeChallenge, appState: state ?? null };
  const pending: Pending = { ...app, ...random, expiresAt };
  return { url, id: idOf(own!), pending: context.encrypter.encrypt(JSON.stringify(pending), ADDITIONAL_DATA) };
}

/**
 * @param callback query of the address to which the provider has sent the browser
 * @returns the address of the app, with `provider_code`, or with `error`
 * @throws {BadInputError} the browser has begun no such sign-in, or too long ago
 */
export async function finishProviderSignIn(
  pending: string,
  callback: string,
  context: ProviderContext,
): Promise<string> {
  const begun = readPending(pending, context);
  const { applicationId, provider, returnTo, codeChallenge, appState, ...state } = begun;
  const issuer = await findProvider(applicationId, provider);
  const redirectUri = redirectUriOf(begun, context);
  const arrived = new URL(redirectUri);
  arrived.search = callback;
  const answer = new URL(returnTo);
  if (appState !== null) answer.searchParams.set('state', appState);
  try {
    const { expiresAt: _, ...identity } = await context.redirects.identityOf(clientOf(issuer, context), arrived, {
      ...state,
      redirectUri,
    });
    const said = { challenge: codeChallenge, identity: { issuer: issuer.name, ...identity } };
    const { token } = await createChallenge({ applicationId, purpose: 'provider', userId: null, ...said }, context);
    answer.searchParams.set('provider_code', token);
  } catch (error) {
    const isDenied = error instanceof RedirectDeniedError && /^[\x20-\x7e]{1,100}$/.test(error.code);
    if (!isDenied) refused(error, issuer, context);
    answer.searchParams.set('error', isDenied ? error.code : 'sign_in_refused');
  }
  return answer.href;
}

/** Which of the sign-ins of a browser a callback finishes. */
export const idOf = (state: string) => state.slice(0, 16);

/** What an issuer has said about a person. */
export type ProvenIdentity = Omit<TokenIdentity, 'expiresAt'>;

export interface ProviderCode {
  code?: string | null | undefined;
  /** Whose SHA-256 began the sign-in. */
  verifier?: string | null | undefined;
}

/** Uses the code. @throws {SignInRefusedError} wrong, used or expired, or begun by another app */
export async function identityOfCode(
  { code, verifier }: ProviderCode,
  applicationId: number,
  context: Pick<Context, 'now'>,
): Promise<{ issuer: TokenIssuer; identity: ProvenIdentity }> {
  const found = await findChallenge(code, { applicationId, purpose: ['provider'] }, context);
  const hashed = createHash('sha256')
    .update(verifier ?? '')
    .digest('base64url');
  if (!found || !isSameSecret(hashed, found.challenge) || !(await useChallenge(found))) throw new SignInRefusedError();
  const { issuer: name, ...identity } = found.identity as unknown as ProvenIdentity & { issuer: string };
  const issuer = await db.tokenIssuer.findUnique({ where: { applicationId_name: { applicationId, name } } });
  if (!issuer) throw new SignInRefusedError();
  return { issuer, identity };
}

async function findProvider(applicationId: number, name: string): Promise<TokenIssuer> {
  const where = { applicationId_name: { applicationId, name }, application: { importId: null } };
  const issuer = isDatabaseId(applicationId) ? await db.tokenIssuer.findUnique({ where }) : null;
  if (!issuer || issuer.clientId === null) throw new NotFoundError('PROVIDER_NOT_FOUND');
  return issuer;
}

/** @throws {BadInputError} */
function readPending(pending: string, { encrypter, now }: ProviderContext): Pending {
  let begun: Pending;
  try {
    begun = JSON.parse(encrypter.decrypt(pending, ADDITIONAL_DATA)) as Pending;
  } catch {
    throw new BadInputError('SIGN_IN_NOT_BEGUN');
  }
  if (begun.expiresAt <= now().getTime()) throw new BadInputError('SIGN_IN_NOT_BEGUN');
  return begun;
}

/** Where the issuer sends browsers. */
export function redirectUriOf(
  { applicationId, provider }: Pick<ProviderSignIn, 'applicationId' | 'provider'>,
  { publicUrl }: Pick<Context, 'publicUrl'>,
): string {
  return `${publicUrl()}/sign-in/${applicationId}/${provider}/callback`;
}

function refused(error: unknown, { name }: TokenIssuer, { log }: ProviderContext): SignInRefusedError {
  const isKnown =
    error instanceof ProviderUnavailableError ||
    error instanceof IdentityRefusedError ||
    error instanceof RedirectDeniedError;
  if (!isKnown) throw error;
  log.warn({ issuer: name, reason: error.message }, 'a sign-in at a provider failed');
  return new SignInRefusedError();
}
