import type { AdministrationContext, UserContext } from '../../context.ts';
import { db, type Prisma } from '../../db/client.ts';
import { transact } from '../../db/transact.ts';
import type { ConfiguredProvider, Settings } from '../../gateways/push/provider.ts';
import type { PushProvider, PushSettings } from '../../generated/prisma/client.ts';
import { jobOwnerOf } from '../../lib/access.ts';
import type { Actor } from '../../lib/actor.ts';
import { InvalidFieldsError, NotFoundError, UnprocessableError } from '../../lib/errors.ts';
import { problemsOfIssues } from '../../lib/problems.ts';
import type { Encrypter } from '../../platform/encryption/encrypter.ts';
import { CONFIGURED_PROVIDERS, isPushEnvironment, type PushEnvironment } from './channels.ts';

export type PushProviderInput = { [Name in PushProvider]?: Settings | null };

/** Operator only, because the service connects from inside its own network. Undefined changes nothing. */
export interface OperatorInput {
  endpoint?: string | null;
  /** PEM certificates instead of the system's; null resets it. */
  ca?: string | null;
}

export function listPushSettings(
  { viewer }: AdministrationContext,
  selection: Prisma.PushSettingsDefaultArgs = {},
): Promise<PushSettings[]> {
  return db.pushSettings.findMany({
    ...selection,
    where: { applicationId: viewer.applicationId },
    orderBy: [{ environment: 'asc' }, { provider: 'asc' }],
  });
}

/** Preserves the operator's settings. @throws {UnprocessableError} {InvalidFieldsError} */
export async function updatePushSettings(
  environment: string,
  input: PushProviderInput,
  { viewer, encrypter, now }: AdministrationContext,
  selection: Prisma.PushSettingsDefaultArgs = {},
): Promise<PushSettings> {
  const { settings, given } = providerOf(input);
  const problems = settings.untrustedProblems?.(given) ?? {};
  if (Object.keys(problems).length > 0) throw new InvalidFieldsError(problems);
  return storePushSettings(
    { ...input, applicationId: viewer.applicationId, environment },
    { encrypter, now: now(), actor: viewer.actor },
    selection,
  );
}

export async function deletePushSettings(
  environment: string,
  provider: PushProvider,
  { viewer }: AdministrationContext,
): Promise<true> {
  const where = { applicationId: viewer.applicationId, environment: requireEnvironment(environment), provider };
  await transact(jobOwnerOf(viewer), (transaction) => transaction.pushSettings.deleteMany({ where }));
  return true;
}

/** @throws {NotFoundError} web push is not configured */
export async function findWebPushKey(environment: string, { viewer }: UserContext): Promise<string> {
  const { applicationId } = viewer;
  const key = { applicationId, environment: requireEnvironment(environment), provider: 'web' as const };
  const settings = await db.pushSettings.findUnique({ where: { applicationId_environment_provider: key } });
  if (!settings) throw new NotFoundError();
  return settings.publicId;
}

export async function storePushSettings(
  {
    applicationId,
    environment: givenEnvironment,
    endpoint,
    ca,
    ...input
  }: PushProviderInput & OperatorInput & { applicationId: number; environment: string },
  { encrypter, now, actor }: { encrypter: Encrypter; now: Date; actor?: Actor | undefined },
  selection: Prisma.PushSettingsDefaultArgs = {},
): Promise<PushSettings> {
  const environment = requireEnvironment(givenEnvironment);
  const { name, settings: rules, given } = providerOf(input);
  const key = { applicationId, environment, provider: name };
  const known = await db.pushSettings.findUnique({ where: { applicationId_environment_provider: key } });
  const before = known ? openSettings(known, encrypter) : {};
  const settings = {
    ...((await rules.complete?.(given, before)) ?? given),
    endpoint: (endpoint === undefined ? before.endpoint : endpoint) ?? undefined,
    ca: (ca === undefined ? before.ca : ca) ?? undefined,
  };
  const checked = rules.schema.safeParse(settings);
  if (!checked.success) throw new InvalidFieldsError(problemsOfIssues(checked.error.issues));
  const values = {
    publicId: rules.publicId(settings),
    encryptedSettings: encrypter.encrypt(JSON.stringify(settings), additionalDataOfSettings(key)),
    updatedAt: now,
  };
  return transact(jobOwnerOf({ applicationId, actor }), (transaction) =>
    transaction.pushSettings.upsert({
      ...selection,
      where: { applicationId_environment_provider: key },
      create: { ...key, ...values, createdAt: now },
      update: values,
    }),
  );
}

export function openSettings(
  row: Pick<PushSettings, 'applicationId' | 'environment' | 'provider' | 'encryptedSettings'>,
  encrypter: Encrypter,
): Settings {
  return JSON.parse(encrypter.decrypt(row.encryptedSettings, additionalDataOfSettings(row))) as Settings;
}

export function withoutOperatorInput(text: string, provider: string | null): string {
  const { endpoint: _endpoint, ca: _ca, ...settings } = JSON.parse(text) as Settings;
  const { untrusted } = CONFIGURED_PROVIDERS.find(({ name }) => name === provider)!.settings;
  return JSON.stringify(untrusted?.(settings) ?? settings);
}

/** Binds the encrypted settings to their row. */
export function additionalDataOfSettings({
  applicationId,
  environment,
  provider,
}: Pick<PushSettings, 'applicationId' | 'environment' | 'provider'>): string {
  return `push_settings/${applicationId}/${environment}/${provider}`;
}

function requireEnvironment(environment: string): PushEnvironment {
  if (isPushEnvironment(environment)) return environment;
  throw new UnprocessableError('ENVIRONMENT_INVALID');
}

function providerOf(input: PushProviderInput): ConfiguredProvider & { given: Settings } {
  const provider = CONFIGURED_PROVIDERS.find(({ name }) => input[name])!;
  return { ...provider, given: input[provider.name]! };
}
