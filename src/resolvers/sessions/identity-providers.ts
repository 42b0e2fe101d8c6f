import type { AdministrationContext } from '../../context.ts';
import { db, type Prisma } from '../../db/client.ts';
import { fromReachable } from '../../db/shards.ts';
import { transact } from '../../db/transact.ts';
import { identitySettings, type IdentityProvider as Provider } from '../../gateways/identity.ts';
import type { IdentityProvider } from '../../generated/prisma/client.ts';
import { jobOwnerOf } from '../../lib/access.ts';
import type { Actor } from '../../lib/actor.ts';
import { InvalidFieldsError } from '../../lib/errors.ts';
import { problemsOfIssues } from '../../lib/problems.ts';
import type { Encrypter } from '../../platform/encryption/encrypter.ts';

export interface ProviderInput {
  facebook?: { appId: string; appSecret: string } | null;
  twitter?: { consumerKey: string; consumerSecret: string } | null;
  firebasePhone?: { projectId: string } | null;
}

export function listIdentityProviders(
  { viewer }: AdministrationContext,
  selection: Prisma.IdentityProviderDefaultArgs = {},
): Promise<IdentityProvider[]> {
  return db.identityProvider.findMany({
    ...selection,
    where: { applicationId: viewer.applicationId },
    orderBy: { provider: 'asc' },
  });
}

/** Leaves the operator's endpoint unchanged. @throws {InvalidFieldsError} */
export function updateIdentityProvider(
  input: ProviderInput,
  { viewer, encrypter, now }: AdministrationContext,
  selection: Prisma.IdentityProviderDefaultArgs = {},
): Promise<IdentityProvider> {
  const { applicationId, actor } = viewer;
  return storeIdentityProvider({ ...input, applicationId }, { encrypter, now: now(), actor }, selection);
}

export async function deleteIdentityProvider(provider: Provider, { viewer }: AdministrationContext): Promise<true> {
  const where = { applicationId: viewer.applicationId, provider };
  await transact(jobOwnerOf(viewer), (transaction) => transaction.identityProvider.deleteMany({ where }));
  return true;
}

/** For the operator only, because the service connects to `endpoint` from inside its own network; null resets it. */
export async function storeIdentityProvider(
  { applicationId, endpoint, ...input }: ProviderInput & { applicationId: number; endpoint?: string | null },
  { encrypter, now, actor }: { encrypter: Encrypter; now: Date; actor?: Actor | undefined },
  selection: Prisma.IdentityProviderDefaultArgs = {},
): Promise<IdentityProvider> {
  const [provider, named] = namedProvider(input);
  const checked = identitySettings[provider].safeParse({ ...named, endpoint: endpoint ?? undefined });
  if (!checked.success) throw new InvalidFieldsError(problemsOfIssues(checked.error.issues));
  const key = { applicationId, provider };
  const values = { ...withoutSecrets(named, key, encrypter), endpoint, updatedAt: now };
  return transact(jobOwnerOf({ applicationId, actor }), (transaction) =>
    transaction.identityProvider.upsert({
      ...selection,
      where: { applicationId_provider: key },
      create: { ...key, createdAt: now, ...values },
      update: values,
    }),
  );
}

/** Includes the secrets. */
export function openSettings(row: IdentityProvider, encrypter: Encrypter): Prisma.JsonObject {
  const { settings, encryptedSecrets } = row;
  const secrets =
    encryptedSecrets === null
      ? {}
      : (JSON.parse(encrypter.decrypt(encryptedSecrets, additionalDataOfProvider(row))) as Prisma.JsonObject);
  return { ...(settings as Prisma.JsonObject), ...secrets };
}

/** Migrates rows from before encryption. Safe to run in parallel and to interrupt. */
export async function encryptIdentityProviders(encrypter: Encrypter): Promise<void> {
  const rows = await fromReachable(() => db.identityProvider.findMany({ where: { encryptedSecrets: null } }));
  for (const { applicationId, provider, settings, updatedAt } of rows) {
    const key = { applicationId, provider };
    const split = withoutSecrets(settings as Prisma.InputJsonObject, key, encrypter);
    // A concurrent update has already encrypted its row.
    const where = { ...key, encryptedSecrets: null, updatedAt };
    if (split.encryptedSecrets) await db.identityProvider.updateMany({ where, data: split });
  }
}

export function publicId({ settings }: Pick<IdentityProvider, 'settings'>): string {
  const { appId, consumerKey, projectId } = settings as Record<string, string>;
  return appId ?? consumerKey ?? projectId ?? '';
}

const SECRETS = ['appSecret', 'consumerSecret'];

type Key = Pick<IdentityProvider, 'applicationId' | 'provider'>;

function withoutSecrets(named: Prisma.InputJsonObject, key: Key, encrypter: Encrypter) {
  const isSecret = ([name]: [string, unknown]) => SECRETS.includes(name);
  const secrets = Object.entries(named).filter(isSecret);
  const settings: Prisma.InputJsonObject = Object.fromEntries(Object.entries(named).filter((one) => !isSecret(one)));
  const encryptedSecrets =
    secrets.length > 0
      ? encrypter.encrypt(JSON.stringify(Object.fromEntries(secrets)), additionalDataOfProvider(key))
      : null;
  return { settings, encryptedSecrets };
}

export function additionalDataOfProvider({ applicationId, provider }: Key): string {
  return `identity_providers/${applicationId}/${provider}`;
}

function namedProvider({ facebook, twitter, firebasePhone }: ProviderInput): [Provider, Prisma.InputJsonObject] {
  if (facebook) return ['facebook', { ...facebook }];
  if (twitter) return ['twitter', { ...twitter }];
  return ['firebase_phone', { ...firebasePhone }];
}
