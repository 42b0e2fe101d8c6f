import { randomBytes } from 'node:crypto';
import type { Services } from '../context.ts';
import { db, type Prisma, type Transaction } from '../db/client.ts';
import { BACKGROUND, transact } from '../db/transact.ts';
import type { Application, PhoneMatching, SignatureHash } from '../generated/prisma/client.ts';
import { jobOwnerOf } from '../lib/access.ts';
import { type FieldErrors, InvalidFieldsError, NotFoundError } from '../lib/errors.ts';
import { isPhoneRegion } from '../lib/phone-numbers.ts';
import { hashSecret, isDatabaseId } from '../lib/tokens.ts';
import { announceSessionMinutes } from '../realtime/outbox.ts';
import { randomApiKey } from './api-keys.ts';

/** What a new application is reached with; key and secret are shown this once. */
export interface ApplicationCredentials {
  applicationId: number;
  authKey: string;
  authSecret: string;
  apiKey: string;
}

export interface NewApplication {
  id?: number;
  name: string;
  authKey?: string;
  authSecret?: string;
  apiKey?: string;
}

/** What may be changed of an application; what is left out, or null where null means nothing, stays as it is. */
export interface ApplicationChanges {
  name?: string | null;
  /** The one hash that signatures of its sessions may use. */
  signatureHash?: SignatureHash | null;
  /** Whether sessions may list its users. */
  usersList?: boolean | null;
  /** Whether users may have mails sent by which they set a new password. */
  passwordReset?: boolean | null;
  /** Whether offline occupants get pushes of messages. */
  chatPushes?: boolean | null;
  /** Sliding lifetime of its sessions, at least 1; null is the service's own. */
  sessionMinutes?: number | null;
  /** How contacts of address books find registered users. */
  phoneMatching?: PhoneMatching | null;
  /** ISO country of numbers without country code; null: such numbers match only themselves. */
  phoneRegion?: string | null;
  answerAssist?: boolean | null;
  summarize?: boolean | null;
  translate?: boolean | null;
  gateway?: boolean | null;
  /** Tokens of models that each user may use up in a day (UTC). */
  aiDailyTokens?: number | null;
}

const MAX_NAME = 255;

/** Applications are made one after the other: never two first ones, and no id is handed out twice. */
const CREATION_LOCK = 7_270_101;

/**
 * Creates the first application of an empty database; does nothing where there is one.
 * @param keep is given the secrets before the application is stored for good; if it fails, there is none
 */
export function bootstrapApplication(
  input: NewApplication,
  now: Date,
  keep: (credentials: ApplicationCredentials) => Promise<void> = async () => {},
): Promise<ApplicationCredentials | undefined> {
  return inTurn(async (transaction) => {
    if ((await transaction.application.count()) > 0) return undefined;
    const credentials = await storeApplication(transaction, input, now);
    await keep(credentials);
    return credentials;
  });
}

/**
 * Creates an application with one API key; for the operator alone.
 * @throws {InvalidFieldsError} a blank or long name; an id that is taken, or can't be one
 */
export async function createApplication(
  { id, name }: Pick<NewApplication, 'id' | 'name'>,
  { now }: Pick<Services, 'now'>,
): Promise<ApplicationCredentials> {
  const problems = problemsOf({ name });
  if (id !== undefined && !isDatabaseId(id)) problems.id = ['should be between 1 and 2147483647'];
  requireNone(problems);
  return inTurn(async (transaction) => {
    const isTaken = id !== undefined && (await transaction.application.count({ where: { id } })) > 0;
    if (isTaken) throw new InvalidFieldsError({ id: ['has already been taken'] });
    return storeApplication(transaction, { id, name: name.trim() }, now());
  });
}

/** All applications, for the operator alone. */
export function listApplications(): Promise<Application[]> {
  return db.application.findMany({ orderBy: { id: 'asc' } });
}

/** @throws {NotFoundError} unknown application */
export async function findApplication(id: number): Promise<Application> {
  const application = await db.application.findUnique({ where: { id } });
  if (!application) throw new NotFoundError();
  return application;
}

/**
 * Changes an application's settings from the next request on. Another session lifetime counts for open sessions too.
 * @throws {NotFoundError} unknown application
 * @throws {InvalidFieldsError} a blank or long name; minutes that are no positive number; an unknown country
 */
export async function updateApplication(
  id: number,
  changes: ApplicationChanges,
  { now, outbox }: Pick<Services, 'now' | 'outbox'>,
): Promise<Application> {
  requireNone(problemsOf(changes));
  const at = now();
  const data: Prisma.ApplicationUpdateManyMutationInput = {
    name: changes.name?.trim(),
    signatureHash: changes.signatureHash ?? undefined,
    usersList: changes.usersList ?? undefined,
    passwordReset: changes.passwordReset ?? undefined,
    chatPushes: changes.chatPushes ?? undefined,
    sessionMinutes: changes.sessionMinutes,
    phoneMatching: changes.phoneMatching ?? undefined,
    phoneRegion: changes.phoneRegion,
    answerAssist: changes.answerAssist ?? undefined,
    summarize: changes.summarize ?? undefined,
    translate: changes.translate ?? undefined,
    gateway: changes.gateway ?? undefined,
    aiDailyTokens: changes.aiDailyTokens ?? undefined,
    updatedAt: at,
  };
  const updated = await transact(jobOwnerOf({ applicationId: id }), async (transaction) => {
    const [application] = await transaction.application.updateManyAndReturn({ where: { id }, data });
    if (!application) throw new NotFoundError();
    if (changes.sessionMinutes !== undefined) await announceSessionMinutes(transaction, id, at);
    return application;
  });
  outbox.wake();
  return updated;
}

function inTurn<Result>(create: (transaction: Transaction) => Promise<Result>): Promise<Result> {
  return transact(BACKGROUND, async (transaction) => {
    await transaction.$executeRaw`SELECT pg_advisory_xact_lock(${CREATION_LOCK})`;
    return create(transaction);
  });
}

/** What is not given of the credentials is random. */
async function storeApplication(
  transaction: Transaction,
  { id: wanted, name, ...given }: NewApplication,
  now: Date,
): Promise<ApplicationCredentials> {
  const authKey = given.authKey ?? randomBytes(15).toString('base64url');
  const authSecret = given.authSecret ?? randomBytes(15).toString('base64url');
  const apiKey = given.apiKey ?? randomApiKey();
  const { id } = await transaction.application.create({
    data: { id: wanted, name, authKey, authSecret, createdAt: now, updatedAt: now },
  });
  await transaction.apiKey.create({
    data: { applicationId: id, name: 'first', keyHash: hashSecret(apiKey), createdAt: now },
  });
  // An id that was chosen must not be handed out again.
  await transaction.$executeRaw`
    SELECT setval(pg_get_serial_sequence('applications', 'id'), (SELECT max(id) FROM applications))`;
  return { applicationId: id, authKey, authSecret, apiKey };
}

function problemsOf({ name, sessionMinutes, phoneRegion, aiDailyTokens }: ApplicationChanges): FieldErrors {
  const problems: FieldErrors = {};
  if (name?.trim() === '') problems.name = ["can't be blank"];
  if (name && name.trim().length > MAX_NAME) problems.name = [`is too long (maximum is ${MAX_NAME} characters)`];
  if (sessionMinutes != null && sessionMinutes < 1) problems.sessionMinutes = ['should be a positive integer'];
  if (phoneRegion != null && !isPhoneRegion(phoneRegion)) problems.phoneRegion = ['should be an ISO country code'];
  if (aiDailyTokens != null && aiDailyTokens < 0) problems.aiDailyTokens = ['should not be negative'];
  return problems;
}

function requireNone(problems: FieldErrors): void {
  if (Object.keys(problems).length > 0) throw new InvalidFieldsError(problems);
}
