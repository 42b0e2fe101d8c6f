import { randomBytes } from 'node:crypto';
import type { Context, Services } from '../../context.ts';
import { db, type Transaction } from '../../db/client.ts';
import { BACKGROUND, setActor, transact } from '../../db/transact.ts';
import type { AdministratorLink, AdministratorLinkPurpose } from '../../generated/prisma/client.ts';
import { type AssignedRole, administratorOf } from '../../lib/access.ts';
import { InvalidFieldsError } from '../../lib/errors.ts';
import { DAY, HOUR, MINUTE } from '../../lib/time.ts';
import { hashSecret } from '../../lib/tokens.ts';
import { hashPassword } from '../../resolvers/users/passwords.ts';
import { notify } from './notices.ts';
import { addRoles, rolesIn } from './roles.ts';
import {
  type Administrator,
  administratorOfRow,
  findAdministrator,
  jobOfAdministrator,
  lockAdministrators,
  SELECTION,
} from './rows.ts';
import { emailOf, requireConsole, requireValid } from './rules.ts';
import { confirmedUntil, endSessions, requirePage, startSession } from './sessions.ts';
import { currentAdministrator, passwordJob, requireOther, signInAdministrator } from './sign-in.ts';
import { requireCode } from './totp.ts';

const LIFETIMES_MS: Record<AdministratorLinkPurpose, number> = {
  setup: 15 * MINUTE,
  invitation: 7 * DAY,
  passwordReset: HOUR,
};

const TOKEN_BYTES = 32;

export type LinkServices = Pick<Services, 'now' | 'consoleUrl'>;

/** @returns undefined once the service has an administrator */
export function createSetupLink({ now, consoleUrl }: LinkServices): Promise<string | undefined> {
  return transact(BACKGROUND, async (transaction) =>
    (await hasAdministrator(transaction))
      ? undefined
      : (await createLink(transaction, { purpose: 'setup' }, { now, consoleUrl })).url,
  );
}

interface NewLink {
  purpose: AdministratorLinkPurpose;
  administratorId?: number;
  inviterId?: number | undefined;
  email?: string;
  name?: string;
  roles?: readonly AssignedRole[];
}

/** @returns its row, and its URL: the token is in the fragment, which browsers do not send */
export async function createLink(
  transaction: Transaction,
  { roles = [], inviterId, ...of }: NewLink,
  { now, consoleUrl }: LinkServices,
): Promise<{ link: AdministratorLink; url: string }> {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const createdAt = now();
  const expiresAt = new Date(createdAt.getTime() + LIFETIMES_MS[of.purpose]);
  const stored = roles.map(({ applicationId, role }) => ({ applicationId, role }));
  const link = await transaction.administratorLink.create({
    data: {
      ...of,
      inviterId: inviterId ?? null,
      administratorId: of.administratorId ?? null,
      roles: stored,
      tokenHash: hashSecret(token),
      createdAt,
      expiresAt,
    },
  });
  return { link, url: `${consoleUrl()}/welcome#${token}` };
}

export interface ValidLink {
  purpose: AdministratorLinkPurpose;
  email: string | null;
  name: string | null;
  hasAccount: boolean;
  hasTotp: boolean;
  /** Of a link for a new password. */
  passkeyNames: string[];
}

/** @returns null if the link is unknown, expired or used @throws {DisabledError} */
export async function findAdministratorLink(
  token: string,
  { now, isConsoleOn }: Pick<Context, 'now' | 'isConsoleOn'>,
): Promise<ValidLink | null> {
  requireConsole({ isConsoleOn });
  const link = await usableLink(db, token, now());
  if (!link) return null;
  const { purpose, administratorId } = link;
  const account = await accountOf(link);
  const { email, name } = account ?? link;
  const where = { administratorId: administratorId ?? 0 };
  const passkeys = await db.administratorPasskey.findMany({ where, orderBy: { id: 'asc' } });
  const passkeyNames = passkeys.map((passkey) => passkey.name);
  return { purpose, email, name, hasAccount: account !== undefined, hasTotp: account?.hasTotp ?? false, passkeyNames };
}

/** The account whose password the link sets, or which accepts the invitation. */
async function accountOf({ administratorId, email }: AdministratorLink): Promise<Administrator | undefined> {
  if (administratorId !== null) return findAdministrator(administratorId);
  const where = { email: email ?? '', passwordHash: { not: null } };
  const found = await db.administrator.findUnique({ where, select: SELECTION });
  return found ? administratorOfRow(found) : undefined;
}

export interface AcceptedLink {
  email?: string | null;
  name?: string | null;
  password?: string | null;
  code?: string | null;
  keepPasskeys?: boolean | null;
}

/**
 * Sets the password, ends other sessions and signs in. An account that is invited keeps its password, which proves who
 * accepts. @throws {InvalidFieldsError} {CodeRequiredError} {WrongAdministratorCredentialsError}
 */
export async function acceptAdministratorLink(
  token: string,
  input: AcceptedLink,
  context: Context,
): Promise<Administrator> {
  const page = requirePage(context);
  const link = await findAdministratorLink(token, context);
  if (!link) throw deadLink();
  if (link.purpose === 'invitation' && link.hasAccount) return joinByInvitation(token, link.email!, input, context);
  const { password } = input;
  requireValid({ email: input.email, name: input.name, password });
  if (password == null) throw new InvalidFieldsError({ password: ['BLANK'] });
  if (link.purpose === 'setup' && input.email == null) throw new InvalidFieldsError({ email: ['BLANK'] });
  const email = link.email ?? emailOf(input.email!);
  requireOther(password, email);
  if (link.hasTotp)
    await requireCode(await db.administrator.findUniqueOrThrow({ where: { email } }), input.code, context);
  const passwordHash = await hashPassword(password, passwordJob(context));
  const at = context.now();
  const { id, cookie } = await transact(BACKGROUND, async (transaction) => {
    await lockAdministrators(transaction);
    const account = await transaction.administrator.findUnique({ where: { email }, select: { id: true } });
    // Another invitation of the person was accepted in the meantime.
    if (account && !link.hasAccount) throw new InvalidFieldsError({ email: ['ACCOUNT_EXISTS'] });
    const id = account?.id ?? (await newId(transaction));
    await setActor(transaction, { kind: 'administrator', id, network: context.network });
    const { purpose, roles } = await useLink(transaction, token, at);
    const name = input.name?.trim() || link.name || email;
    const changes = { name, passwordHash, updatedAt: at };
    await transaction.administrator.upsert({
      where: { id },
      create: { ...changes, id, email, createdAt: at },
      update: changes,
    });
    await addRoles(transaction, id, purpose === 'setup' ? OWNER_OF_ALL : rolesIn(roles));
    if (!input.keepPasskeys) await transaction.administratorPasskey.deleteMany({ where: { administratorId: id } });
    await endSessions(transaction, id);
    // Those of another person with access to the account.
    if (purpose === 'passwordReset') await transaction.administratorLink.deleteMany({ where: { inviterId: id } });
    return { id, cookie: await startSession(transaction, id, at) };
  });
  page.setToken(cookie);
  if (link.hasAccount) notify(email, 'password', context);
  return { ...(await findAdministrator(id)), confirmedUntil: confirmedUntil(at) };
}

/** Adds the roles of the invitation to those of the account. */
async function joinByInvitation(
  token: string,
  email: string,
  { password, code }: AcceptedLink,
  context: Context,
): Promise<Administrator> {
  const caller = await currentAdministrator(administratorOf(context.viewer));
  const account =
    caller?.email === email
      ? caller
      : await signInAdministrator({ email, password: password ?? '', code: code ?? null }, context);
  await transact(jobOfAdministrator(account.id, context.network), async (transaction) => {
    await lockAdministrators(transaction);
    const { roles } = await useLink(transaction, token, context.now());
    await addRoles(transaction, account.id, rolesIn(roles));
  });
  return { ...account, ...(await findAdministrator(account.id)) };
}

async function usableLink(
  client: Transaction | typeof db,
  token: string,
  at: Date,
): Promise<AdministratorLink | undefined> {
  const link = await client.administratorLink.findUnique({ where: { tokenHash: hashSecret(token) } });
  if (!link || link.expiresAt <= at) return undefined;
  return link.purpose === 'setup' && (await hasAdministrator(client)) ? undefined : link;
}

/** @throws {InvalidFieldsError} */
async function useLink(transaction: Transaction, token: string, at: Date): Promise<AdministratorLink> {
  const link = await usableLink(transaction, token, at);
  if (!link) throw deadLink();
  const { id, purpose, administratorId } = link;
  // With other links for a password of the person, or other setup links; other invitations are of other owners.
  await transaction.administratorLink.deleteMany({
    where: purpose === 'invitation' ? { id } : { purpose, administratorId },
  });
  return link;
}

async function newId(transaction: Transaction): Promise<number> {
  const [row] = await transaction.$queryRaw<{ id: number }[]>`
    SELECT nextval(pg_get_serial_sequence('administrators', 'id'))::int AS id`;
  return row!.id;
}

const OWNER_OF_ALL: AssignedRole[] = [{ applicationId: null, role: 'owner' }];

async function hasAdministrator(client: Transaction | typeof db): Promise<boolean> {
  return (await client.administrator.findFirst({ select: { id: true } })) !== null;
}

const deadLink = () => new InvalidFieldsError({ token: ['LINK_INVALID'] });
