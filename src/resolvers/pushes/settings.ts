import type { z } from 'zod';
import type { AdministrationContext, UserContext } from '../../context.ts';
import { db } from '../../db/client.ts';
import { type PushProvider, pushSettings } from '../../gateways/push/index.ts';
import { createVapidKeys } from '../../gateways/push/web.ts';
import type { PushSettings } from '../../generated/prisma/client.ts';
import { type FieldErrors, InvalidFieldsError, NotFoundError, UnprocessableError } from '../../lib/errors.ts';
import type { Encrypter } from '../../server/encryption/encrypter.ts';
import { isPushEnvironment, type PushEnvironment } from './channels.ts';

/** What one of the providers gave the application; exactly one is named. */
export interface PushProviderInput {
  apns?: { topic: string; teamId: string; keyId: string; key: string } | null;
  /** The service account's file. */
  fcm?: { serviceAccount?: unknown } | null;
  web?: { subject: string } | null;
}

/** What the operator alone says: the service asks these addresses from within its own network. */
export interface OperatorInput {
  /** Where the provider is asked instead of its own host; undefined leaves it as it is, null is its own. */
  endpoint?: string | null;
  /** Certificates that Apple's stand-in is trusted by, PEM. */
  ca?: string | null;
}

type Settings = Record<string, unknown>;

/** Google's own address, the only one at which a service account of somebody else's choice is used. */
const GOOGLE_TOKENS = 'https://oauth2.googleapis.com/token';

/** The providers that are set up for the caller's application. */
export function listPushSettings({ viewer }: AdministrationContext): Promise<PushSettings[]> {
  return db.pushSettings.findMany({
    where: { applicationId: viewer.applicationId },
    orderBy: [{ environment: 'asc' }, { provider: 'asc' }],
  });
}

/**
 * Sets a provider up, or anew, for the caller's application and one environment. Where it is asked stays as the
 * operator has set it; browsers keep their key.
 * @throws {UnprocessableError} another environment
 * @throws {InvalidFieldsError} a setting that can't be one
 */
export async function updatePushSettings(
  environment: string,
  input: PushProviderInput,
  { viewer, encrypter, now }: AdministrationContext,
): Promise<PushSettings> {
  const account = (input.fcm?.serviceAccount ?? {}) as { token_uri?: unknown };
  if (input.fcm && account.token_uri !== GOOGLE_TOKENS) {
    throw new InvalidFieldsError({ serviceAccount: [`should hold the token_uri ${GOOGLE_TOKENS}`] });
  }
  return storePushSettings({ ...input, applicationId: viewer.applicationId, environment }, { encrypter, now: now() });
}

/** Ends pushes by the provider; subscriptions stay. */
export async function deletePushSettings(
  environment: string,
  provider: PushProvider,
  { viewer }: AdministrationContext,
): Promise<true> {
  await db.pushSettings.deleteMany({
    where: { applicationId: viewer.applicationId, environment: requireEnvironment(environment), provider },
  });
  return true;
}

/**
 * What a browser subscribes with: `applicationServerKey`.
 * @throws {NotFoundError} browsers get no pushes in this environment
 */
export async function findWebPushKey(environment: string, { viewer }: UserContext): Promise<string> {
  const { applicationId } = viewer;
  const key = { applicationId, environment: requireEnvironment(environment), provider: 'web' as const };
  const settings = await db.pushSettings.findUnique({ where: { applicationId_environment_provider: key } });
  if (!settings) throw new NotFoundError();
  return settings.publicId;
}

/**
 * As `updatePushSettings`, for the operator.
 * @throws {UnprocessableError} another environment
 * @throws {InvalidFieldsError} a setting that can't be one
 */
export async function storePushSettings(
  {
    applicationId,
    environment: given,
    endpoint,
    ca,
    ...input
  }: PushProviderInput & OperatorInput & { applicationId: number; environment: string },
  { encrypter, now }: { encrypter: Encrypter; now: Date },
): Promise<PushSettings> {
  const environment = requireEnvironment(given);
  const provider = providerOf(input);
  const key = { applicationId, environment, provider };
  const known = await db.pushSettings.findUnique({ where: { applicationId_environment_provider: key } });
  const before = known ? openSettings(known, encrypter) : {};
  const settings = {
    ...settingsOf(input, before),
    endpoint: (endpoint === undefined ? before.endpoint : endpoint) ?? undefined,
    ca: (ca === undefined ? before.ca : ca) ?? undefined,
  };
  const checked = pushSettings[provider].safeParse(settings);
  if (!checked.success) throw new InvalidFieldsError(textsByField(checked.error.issues));
  const values = {
    publicId: publicIdOf(settings),
    sealed: encrypter.encrypt(JSON.stringify(settings), additionalDataOfSettings(key)),
    updatedAt: now,
  };
  return db.pushSettings.upsert({
    where: { applicationId_environment_provider: key },
    create: { ...key, ...values, createdAt: now },
    update: values,
  });
}

/** The settings in the clear. @throws {DecryptionError} */
export function openSettings(
  row: Pick<PushSettings, 'applicationId' | 'environment' | 'provider' | 'sealed'>,
  encrypter: Encrypter,
): Settings {
  return JSON.parse(encrypter.decrypt(row.sealed, additionalDataOfSettings(row))) as Settings;
}

/** Settings as JSON text without what only the operator may set. @throws {SyntaxError} no JSON */
export function withoutOperatorInput(text: string): string {
  const { endpoint: _endpoint, ca: _ca, ...settings } = JSON.parse(text) as Settings;
  const account = settings.serviceAccount as { token_uri?: unknown } | undefined;
  if (account) settings.serviceAccount = { ...account, token_uri: GOOGLE_TOKENS };
  return JSON.stringify(settings);
}

/** Where the settings of a provider are stored: sealed for it, they can be opened for no other. */
export function additionalDataOfSettings({
  applicationId,
  environment,
  provider,
}: Pick<PushSettings, 'applicationId' | 'environment' | 'provider'>): string {
  return `push_settings/${applicationId}/${environment}/${provider}`;
}

function requireEnvironment(environment: string): PushEnvironment {
  if (isPushEnvironment(environment)) return environment;
  throw new UnprocessableError('environment should be production or development');
}

function providerOf({ apns, fcm }: PushProviderInput): PushProvider {
  if (apns) return 'apns';
  return fcm ? 'fcm' : 'web';
}

/** A new pair of keys would end all subscriptions of browsers, so they keep the one they have. */
function settingsOf({ apns, fcm, web }: PushProviderInput, before: Settings): Settings {
  if (apns) return { ...apns };
  if (fcm) return { ...fcm };
  const { publicKey, privateKey } = 'publicKey' in before ? before : createVapidKeys();
  return { subject: web?.subject, publicKey, privateKey };
}

function publicIdOf({ topic, serviceAccount, publicKey }: Settings): string {
  const projectId = (serviceAccount as { project_id?: string } | undefined)?.project_id;
  return String(topic ?? projectId ?? publicKey);
}

function textsByField(issues: z.core.$ZodIssue[]): FieldErrors {
  const texts: FieldErrors = {};
  for (const { path, message } of issues) {
    const field = String(path[0]);
    texts[field] = [...new Set([...(texts[field] ?? []), message])];
  }
  return texts;
}
