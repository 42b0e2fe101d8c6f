import type { AdministrationContext } from '../../context.ts';
import { db } from '../../db/client.ts';
import { transact } from '../../db/transact.ts';
import { isKeysUrl, TOKEN_ALGORITHMS } from '../../gateways/token-verifier.ts';
import type { TokenIssuer } from '../../generated/prisma/client.ts';
import { jobOwnerOf } from '../../lib/access.ts';
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
}

export const ALGORITHMS = TOKEN_ALGORITHMS;
const DEFAULT_ALGORITHMS = ['RS256', 'ES256'];
export const MAX_LISTED = 20;
const MAX_ISSUERS = 20;
const MAX_TEXT = 255;

type IssuerContext = Pick<AdministrationContext, 'viewer' | 'now'>;

/** By name. */
export function listTokenIssuers({ viewer: { applicationId } }: Pick<IssuerContext, 'viewer'>): Promise<TokenIssuer[]> {
  return db.tokenIssuer.findMany({ where: { applicationId }, orderBy: { name: 'asc' } });
}

/** Creates it, or replaces all its settings. @throws {InvalidFieldsError} */
export async function updateTokenIssuer(input: TokenIssuerInput, { viewer, now }: IssuerContext): Promise<TokenIssuer> {
  const { applicationId } = viewer;
  const { name, ...values } = input;
  const settings = {
    issuer: values.issuer.trim(),
    keysUrl: values.keysUrl?.trim() || null,
    audiences: values.audiences,
    algorithms: values.algorithms ?? DEFAULT_ALGORITHMS,
    keyIds: values.keyIds ?? [],
    subjectClaim: values.subjectClaim ?? 'sub',
    isSingleUse: values.isSingleUse ?? true,
    signsUp: values.signsUp ?? true,
    updatedAt: now(),
  };
  requireNone(problemsOf(name, settings));
  const key = { applicationId, name };
  try {
    return await transact(jobOwnerOf(viewer), async (transaction) => {
      await transaction.$queryRaw`SELECT id FROM applications WHERE id = ${applicationId} FOR NO KEY UPDATE`;
      const others = await transaction.tokenIssuer.count({ where: { applicationId, name: { not: name } } });
      if (others >= MAX_ISSUERS) requireNone({ name: [problem('TOO_MANY_ENTRIES', { max: MAX_ISSUERS })] });
      return transaction.tokenIssuer.upsert({
        where: { applicationId_name: key },
        create: { ...key, ...settings, createdAt: settings.updatedAt },
        update: settings,
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

function listProblems(texts: readonly string[]): Problem[] {
  if (texts.length > MAX_LISTED) return [problem('TOO_MANY_ENTRIES', { max: MAX_LISTED })];
  return when(!texts.every((text) => text !== '' && text.length <= MAX_TEXT), 'INVALID');
}
