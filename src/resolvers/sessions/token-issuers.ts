import type { AdministrationContext } from '../../context.ts';
import { db } from '../../db/client.ts';
import { transact } from '../../db/transact.ts';
import type { ClientSecret, ProviderClient } from '../../gateways/redirect-provider.ts';
import { isKeysUrl, TOKEN_ALGORITHMS } from '../../gateways/token-verifier.ts';
import type { IssuerKind, TokenIssuer } from '../../generated/prisma/client.ts';
import { jobOwnerOf } from '../../lib/access.ts';
import { isAppUrl } from '../../lib/app-url.ts';
import { InvalidFieldsError, NotFoundError, requireNone } from '../../lib/errors.ts';
import { type FieldProblems, type Problem, problem, when } from '../../lib/problems.ts';
import { isUniqueViolation } from '../users/taken.ts';

export interface TokenIssuerInput {
  name: string;
  issuer: string;
  audiences: string[];
  keysUrl?: string | null | undefined;
  algorithms?: string[] | null | undefined;
  keyIds?: string[] | null | undefined;
  subjectClaim?: string | null | undefined;
  isSingleUse?: boolean | null | undefined;
  signsUp?: boolean | null | undefined;
  kind?: IssuerKind | null | undefined;
  client?: ClientInput | null | undefined;
}

/** With which the service redirects browsers to the issuer. */
export interface ClientInput {
  id: string;
  /** Undefined and null keep the stored one. */
  secret?: string | null | undefined;
  /** Of Apple, in place of a secret. */
  privateKey?: string | null | undefined;
  keyId?: string | null | undefined;
  teamId?: string | null | undefined;
  scopes?: string[] | null | undefined;
  returnAddresses: string[];
}

export const additionalDataOfClient = ({ applicationId, name }: { applicationId: number; name: string }) =>
  `client of issuer ${applicationId} ${name}`;

export const ALGORITHMS = TOKEN_ALGORITHMS;
const DEFAULT_ALGORITHMS = ['RS256', 'ES256'];
export const MAX_LISTED = 20;
const MAX_ISSUERS = 20;
const MAX_TEXT = 255;

type IssuerContext = Pick<AdministrationContext, 'viewer' | 'now' | 'encrypter'>;

/** By name. */
export function listTokenIssuers({ viewer: { applicationId } }: Pick<IssuerContext, 'viewer'>): Promise<TokenIssuer[]> {
  return db.tokenIssuer.findMany({ where: { applicationId }, orderBy: { name: 'asc' } });
}

/** Creates it, or replaces all its settings. @throws {InvalidFieldsError} */
export async function updateTokenIssuer(input: TokenIssuerInput, context: IssuerContext): Promise<TokenIssuer> {
  const { viewer, now } = context;
  const { applicationId } = viewer;
  const { name, client, ...values } = input;
  const settings = {
    issuer: values.issuer.trim(),
    keysUrl: values.keysUrl?.trim() || null,
    audiences: values.audiences,
    algorithms: values.algorithms ?? DEFAULT_ALGORITHMS,
    keyIds: values.keyIds ?? [],
    subjectClaim: values.subjectClaim ?? 'sub',
    isSingleUse: values.isSingleUse ?? true,
    signsUp: values.signsUp ?? true,
    kind: values.kind ?? 'openid',
    clientId: client?.id ?? null,
    scopes: client?.scopes ?? [],
    returnAddresses: client?.returnAddresses ?? [],
    updatedAt: now(),
  };
  requireNone({ ...problemsOf(name, settings), ...clientProblems(client, settings) });
  const key = { applicationId, name };
  const encryptedSecret = encrypted(client, key, context);
  try {
    return await transact(jobOwnerOf(viewer), async (transaction) => {
      await transaction.$queryRaw`SELECT id FROM applications WHERE id = ${applicationId} FOR NO KEY UPDATE`;
      const others = await transaction.tokenIssuer.count({ where: { applicationId, name: { not: name } } });
      if (others >= MAX_ISSUERS) requireNone({ name: [problem('TOO_MANY_ENTRIES', { max: MAX_ISSUERS })] });
      return transaction.tokenIssuer.upsert({
        where: { applicationId_name: key },
        create: { ...key, ...settings, encryptedSecret: encryptedSecret ?? null, createdAt: settings.updatedAt },
        update: { ...settings, encryptedSecret },
      });
    });
  } catch (error) {
    throw isUniqueViolation(error) ? new InvalidFieldsError({ issuer: ['TAKEN'] }) : error;
  }
}

/** Users keep their identities, which count again if the issuer is added again. @throws {NotFoundError} */
export async function deleteTokenIssuer(name: string, { viewer }: Pick<IssuerContext, 'viewer'>): Promise<true> {
  const where = { applicationId: viewer.applicationId, name };
  const { count } = await transact(jobOwnerOf(viewer), (transaction) => transaction.tokenIssuer.deleteMany({ where }));
  if (count === 0) throw new NotFoundError();
  return true;
}

type Settings = Pick<TokenIssuer, 'issuer' | 'keysUrl' | 'audiences' | 'algorithms' | 'keyIds' | 'subjectClaim'>;

function problemsOf(
  name: string,
  { issuer, keysUrl, audiences, algorithms, keyIds, subjectClaim }: Settings,
): FieldProblems {
  return {
    name: when(!/^[a-z][a-z0-9-]{0,39}$/.test(name), 'ISSUER_NAME_INVALID'),
    issuer: when(!isKeysUrl(issuer), 'NOT_AN_HTTP_ADDRESS'),
    keysUrl: when(keysUrl !== null && !isKeysUrl(keysUrl), 'NOT_AN_HTTP_ADDRESS'),
    audiences: audiences.length === 0 ? ['BLANK'] : listProblems(audiences),
    algorithms: when(
      algorithms.length === 0 || !algorithms.every((one) => TOKEN_ALGORITHMS.includes(one)),
      problem('ALGORITHMS_INVALID', { known: TOKEN_ALGORITHMS.join(', ') }),
    ),
    keyIds: listProblems(keyIds),
    subjectClaim: when(!/^[\w:/.-]{1,100}$/.test(subjectClaim), 'INVALID'),
  };
}

/** Undefined keeps the stored secret. */
function encrypted(
  client: ClientInput | null | undefined,
  key: { applicationId: number; name: string },
  { encrypter }: IssuerContext,
): string | null | undefined {
  if (!client) return null;
  const { secret, privateKey, keyId, teamId } = client;
  const text = privateKey != null ? { privateKey, keyId, teamId } : secret != null ? { secret } : undefined;
  return text && encrypter.encrypt(JSON.stringify(text), additionalDataOfClient(key));
}

export function clientOf(issuer: TokenIssuer, { encrypter }: Pick<AdministrationContext, 'encrypter'>): ProviderClient {
  const { clientId, encryptedSecret } = issuer;
  const secret =
    encryptedSecret === null ? undefined : encrypter.decrypt(encryptedSecret, additionalDataOfClient(issuer));
  return {
    ...issuer,
    clientId: clientId!,
    secret: secret === undefined ? undefined : (JSON.parse(secret) as ClientSecret),
  };
}

const MAX_SECRET = 4_000;

function clientProblems(
  client: ClientInput | null | undefined,
  { kind, audiences }: Pick<TokenIssuer, 'kind' | 'audiences'>,
): FieldProblems {
  if (!client) return { client: when(kind !== 'openid', 'CLIENT_REQUIRED') };
  const { id, secret, privateKey, keyId, teamId, scopes, returnAddresses } = client;
  const isApple = privateKey != null;
  const texts = [secret, privateKey, keyId, teamId].filter((text) => text != null);
  const isComplete = isApple === (keyId != null) && isApple === (teamId != null) && !(isApple && secret != null);
  return {
    clientId: when(kind === 'openid' && !audiences.includes(id), 'CLIENT_NOT_AN_AUDIENCE'),
    clientSecret: when(!isComplete || texts.some((text) => text === '' || text.length > MAX_SECRET), 'INVALID'),
    scopes: [
      ...listProblems(scopes ?? []),
      ...when(scopes?.some((scope) => !/^[!#-[\]-~]+$/.test(scope)) ?? false, 'INVALID'),
    ],
    returnAddresses:
      returnAddresses.length === 0
        ? ['BLANK']
        : [...listProblems(returnAddresses), ...when(!returnAddresses.every(isReturnAddress), 'NOT_AN_ADDRESS')],
  };
}

/** Without a fragment, because the service adds parameters to the query. */
const isReturnAddress = (address: string) => isAppUrl(address) && !address.includes('#');

function listProblems(texts: readonly string[]): Problem[] {
  if (texts.length > MAX_LISTED) return [problem('TOO_MANY_ENTRIES', { max: MAX_LISTED })];
  return when(!texts.every((text) => text !== '' && text.length <= MAX_TEXT), 'INVALID');
}
