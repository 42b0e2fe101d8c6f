import { randomBytes } from 'node:crypto';
import type { Context, Services } from '../../context.ts';
import { db, type Transaction } from '../../db/client.ts';
import { BACKGROUND, OPERATOR_JOBS, transact } from '../../db/transact.ts';
import type {
  AdministratorLink,
  AdministratorLinkPurpose,
  Administrator as StoredAdministrator,
} from '../../generated/prisma/client.ts';
import { InvalidFieldsError, NotFoundError } from '../../lib/errors.ts';
import { DAY, HOUR, MINUTE } from '../../lib/time.ts';
import { hashSecret } from '../../lib/tokens.ts';
import { hashPassword } from '../users/passwords.ts';
import { type Administrator, findAdministrator, lockAdministrators } from './rows.ts';
import { emailOf, requireConsole, requireValid } from './rules.ts';
import { confirmedUntil, endSessions, requirePage, startSession } from './sessions.ts';
import { passwordJob, requireOther } from './sign-in.ts';
import { requireCode } from './totp.ts';

const LIFETIMES_MS: Record<AdministratorLinkPurpose, number> = {
  setup: 15 * MINUTE,
  invitation: 7 * DAY,
  passwordReset: HOUR,
};

const TOKEN_BYTES = 32;
const MAIL_INTERVAL_MS = MINUTE;

type LinkServices = Pick<Services, 'now' | 'consoleUrl'>;

/** @returns undefined once the service has an administrator */
export function createSetupLink({ now, consoleUrl }: LinkServices): Promise<string | undefined> {
  return transact(BACKGROUND, async (transaction) =>
    (await hasAdministrator(transaction))
      ? undefined
      : createLink(transaction, { purpose: 'setup', administratorId: null }, { now, consoleUrl }),
  );
}

/** @returns its URL; the token is in the fragment, which browsers do not send */
export async function createLink(
  transaction: Transaction,
  { purpose, administratorId }: Pick<AdministratorLink, 'purpose' | 'administratorId'>,
  { now, consoleUrl }: LinkServices,
): Promise<string> {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const createdAt = now();
  const expiresAt = new Date(createdAt.getTime() + LIFETIMES_MS[purpose]);
  await transaction.administratorLink.create({
    data: { tokenHash: hashSecret(token), purpose, administratorId, createdAt, expiresAt },
  });
  return `${consoleUrl()}/welcome#${token}`;
}

export interface ValidLink {
  purpose: AdministratorLinkPurpose;
  email: string | null;
  name: string | null;
  hasTotp: boolean;
}

/** @returns null if the link is unknown, expired or used @throws {DisabledError} */
export async function findAdministratorLink(
  token: string,
  { now, isConsoleOn }: Pick<Context, 'now' | 'isConsoleOn'>,
): Promise<ValidLink | null> {
  requireConsole({ isConsoleOn });
  const include = { administrator: { select: { email: true, name: true, hasTotp: true } } };
  const link = await db.administratorLink.findUnique({ where: { tokenHash: hashSecret(token) }, include });
  if (!link || link.expiresAt <= now()) return null;
  const { purpose, administrator } = link;
  if (purpose === 'setup' && (await hasAdministrator(db))) return null;
  const { email = null, name = null, hasTotp = false } = administrator ?? {};
  return { purpose, email, name, hasTotp };
}

export interface AcceptedLink {
  email?: string | null;
  name?: string | null;
  password: string;
  code?: string | null;
}

/** Sets the password, ends other sessions and signs in. @throws {InvalidFieldsError} {CodeRequiredError} */
export async function acceptAdministratorLink(
  token: string,
  input: AcceptedLink,
  context: Context,
): Promise<Administrator> {
  const page = requirePage(context);
  const link = await findAdministratorLink(token, context);
  if (!link) throw deadLink();
  requireValid({ email: input.email, name: input.name, password: input.password });
  if (link.purpose === 'setup' && input.email == null) throw new InvalidFieldsError({ email: ["can't be blank"] });
  const email = link.email ?? emailOf(input.email!);
  requireOther(input.password, email);
  if (link.hasTotp)
    await requireCode(await db.administrator.findUniqueOrThrow({ where: { email } }), input.code, context);
  const passwordHash = await hashPassword(input.password, passwordJob(context));
  const at = context.now();
  const { id, cookie } = await transact(BACKGROUND, async (transaction) => {
    await lockAdministrators(transaction);
    const { purpose, administratorId } = await useLink(transaction, token, at);
    const name = input.name?.trim() || undefined;
    const data = { ...(name !== undefined && { name }), passwordHash, updatedAt: at };
    const row =
      purpose === 'setup'
        ? await createFirst(transaction, { ...data, email, name: name ?? email, createdAt: at })
        : await transaction.administrator.update({ where: { id: administratorId! }, data });
    await endSessions(transaction, row.id);
    return { id: row.id, cookie: await startSession(transaction, row.id, at) };
  });
  page.setToken(cookie);
  return { ...(await findAdministrator(id)), confirmedUntil: confirmedUntil(at) };
}

/**
 * Always succeeds, and continues in the background, so that neither the result nor its duration reveals who is an
 * administrator. At most one mail per minute and address.
 */
export async function requestAdministratorLink(email: string, context: Context): Promise<true> {
  requireConsole(context);
  const found = await db.administrator.findUnique({ where: { email: emailOf(email) } });
  if (found) {
    sendLink(found, context).catch((error: unknown) =>
      context.log.error({ err: error }, 'the mail with a link for an administrator was not sent'),
    );
  }
  return true;
}

async function sendLink({ id, email }: Pick<StoredAdministrator, 'id' | 'email'>, context: Context): Promise<void> {
  const url = await transact(BACKGROUND, async (transaction) => {
    await transaction.$executeRaw`SELECT FROM administrators WHERE id = ${id} FOR NO KEY UPDATE`;
    const createdAt = { gt: new Date(context.now().getTime() - MAIL_INTERVAL_MS) };
    const where = { administratorId: id, purpose: 'passwordReset' as const, createdAt };
    if ((await transaction.administratorLink.count({ where })) > 0) return undefined;
    return createLink(transaction, { purpose: 'passwordReset', administratorId: id }, context);
  });
  if (!url) return;
  await context.mailer.send({ to: email, subject: 'Set a new password for the console', text: resetText(url) });
}

/** For the operator, who passes the link on. @throws {NotFoundError} */
export async function createLinkFor(email: string, services: LinkServices): Promise<string> {
  const found = await db.administrator.findUnique({ where: { email: emailOf(email) } });
  if (!found) throw new NotFoundError();
  return transact(OPERATOR_JOBS, (transaction) =>
    createLink(transaction, { purpose: 'passwordReset', administratorId: found.id }, services),
  );
}

/**
 * For the operator, if a person has lost the devices with which they sign in. @returns a link for a new password
 * @throws {NotFoundError}
 */
export function resetAdministrator(email: string, services: LinkServices): Promise<string> {
  return transact(OPERATOR_JOBS, async (transaction) => {
    await lockAdministrators(transaction);
    const found = await transaction.administrator.findUnique({ where: { email: emailOf(email) } });
    if (!found) throw new NotFoundError();
    const { id } = found;
    const data = {
      hasTotp: false,
      encryptedTotp: null,
      recoveryHashes: [],
      codeAttempts: 0,
      updatedAt: services.now(),
    };
    await transaction.administrator.update({ where: { id }, data });
    await transaction.administratorPasskey.deleteMany({ where: { administratorId: id } });
    await endSessions(transaction, id);
    return createLink(transaction, { purpose: 'passwordReset', administratorId: id }, services);
  });
}

async function useLink(transaction: Transaction, token: string, at: Date): Promise<AdministratorLink> {
  const where = { tokenHash: hashSecret(token) };
  const link = await transaction.administratorLink.findUnique({ where });
  if (!link || link.expiresAt <= at) throw deadLink();
  if (link.purpose === 'setup' && (await hasAdministrator(transaction))) throw deadLink();
  const { purpose, administratorId } = link;
  // Other links of the person, or other setup links.
  await transaction.administratorLink.deleteMany({
    where: administratorId === null ? { purpose } : { administratorId },
  });
  return link;
}

type NewAdministrator = Pick<StoredAdministrator, 'email' | 'name' | 'passwordHash' | 'createdAt' | 'updatedAt'>;

function createFirst(transaction: Transaction, data: NewAdministrator): Promise<StoredAdministrator> {
  return transaction.administrator.create({ data: { ...data, roles: { create: [{ role: 'owner' }] } } });
}

async function hasAdministrator(client: Transaction | typeof db): Promise<boolean> {
  return (
    (await client.administrator.findFirst({ where: { passwordHash: { not: null } }, select: { id: true } })) !== null
  );
}

const deadLink = () => new InvalidFieldsError({ token: ['is invalid, has expired or was used already'] });

function resetText(url: string): string {
  return `Hello,

someone, most likely you, requested a new password for the console.
To set it, open this page within one hour:

${url}

The link works once. If you did not request it, ignore this mail: your
password is unchanged.
`;
}
