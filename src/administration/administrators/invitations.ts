import type { Context, Services } from '../../context.ts';
import { db, type Transaction } from '../../db/client.ts';
import { OPERATOR_JOBS, transact } from '../../db/transact.ts';
import type { AdministratorLink } from '../../generated/prisma/client.ts';
import type { AdministratorViewer, AssignedRole } from '../../lib/access.ts';
import { NotFoundError } from '../../lib/errors.ts';
import { mailHtml } from '../../lib/mail-html.ts';
import { createLink } from './links.ts';
import { requireApplications, rolesIn } from './roles.ts';
import { findAdministrator, transactAs } from './rows.ts';
import { emailOf, ownedRoles, ownsAll, requireOwner, requireOwnerOf, requireValid } from './rules.ts';

export interface Invitation {
  id: number;
  email: string;
  name: string;
  roles: readonly AssignedRole[];
  expiresAt: Date;
}

export type NewInvitation = Pick<Invitation, 'email' | 'name' | 'roles'>;

export interface SentInvitation {
  invitation: Invitation;
  /** Only for owners of all applications, because the page of the link shows whether the person has an account. */
  url: string | null;
  isMailed: boolean;
}

/**
 * Replaces an earlier invitation of the person. Neither the result nor its duration reveals whether the person has an
 * account. @throws {InvalidFieldsError} {ForbiddenError} {RateLimitedError}
 */
export async function inviteAdministrator(
  input: NewInvitation,
  viewer: AdministratorViewer,
  context: Pick<Context, 'now' | 'consoleUrl' | 'mailer' | 'log' | 'meter'>,
): Promise<SentInvitation> {
  requireOwnerOf(viewer, input.roles);
  requireValid(input);
  await context.meter?.count('invitation');
  const { invitation, url } = await createInvitation(input, context, viewer);
  const { email: inviter } = await findAdministrator(viewer.administrator.id);
  const text = textOf(url, inviter);
  const html = mailHtml(text, url);
  const mail = { to: invitation.email, subject: 'Invitation to the Atrium console', text, html };
  const isMailed = await context.mailer.send(mail).then(
    () => true,
    (error: unknown) => {
      context.log.error({ err: error }, 'the mail with an invitation was not sent');
      return false;
    },
  );
  return { invitation, url: ownsAll(viewer.administrator) ? url : null, isMailed };
}

/** @param viewer undefined for the operator, who passes the link on @throws {InvalidFieldsError} */
export async function createInvitation(
  input: NewInvitation,
  services: Pick<Services, 'now' | 'consoleUrl'>,
  viewer?: AdministratorViewer,
): Promise<{ invitation: Invitation; url: string }> {
  requireValid(input);
  const content = { email: emailOf(input.email), name: input.name.trim(), roles: [...input.roles] };
  const create = async (transaction: Transaction) => {
    await requireApplications(content.roles);
    const earlier = await transaction.administratorLink.findMany({ where: { ...INVITATION, email: content.email } });
    const isReplaced = ({ roles }: Invitation) => !viewer || ownsAllOf(viewer, roles);
    const replaced = earlier.map(invitationOf).filter(isReplaced);
    await transaction.administratorLink.deleteMany({ where: { id: { in: replaced.map(({ id }) => id) } } });
    const of = { purpose: 'invitation', inviterId: viewer?.administrator.id, ...content } as const;
    const { link, url } = await createLink(transaction, of, services);
    return { invitation: invitationOf(link), url };
  };
  return viewer ? transactAs(viewer, create) : transact(OPERATOR_JOBS, create);
}

/** Those to applications that the caller owns and with which they can still be accepted, oldest first. */
export async function listInvitations(viewer: AdministratorViewer, { now }: Pick<Services, 'now'>) {
  requireOwner(viewer);
  return (await listAllInvitations(now())).flatMap((invitation) => seenBy(viewer, invitation) ?? []);
}

/** For the operator. */
export async function listAllInvitations(at: Date): Promise<Invitation[]> {
  const where = { ...INVITATION, expiresAt: { gt: at } };
  return (await db.administratorLink.findMany({ where, orderBy: { id: 'asc' } })).map(invitationOf);
}

/** @throws {NotFoundError} {ForbiddenError} it is also to applications of others */
export async function deleteInvitation(id: number, viewer: AdministratorViewer): Promise<true> {
  await transactAs(viewer, async (transaction) => {
    const link = await transaction.administratorLink.findUnique({ where: { id, ...INVITATION } });
    if (!link || !seenBy(viewer, invitationOf(link))) throw new NotFoundError('INVITATION_NOT_FOUND');
    requireOwnerOf(viewer, invitationOf(link).roles);
    await transaction.administratorLink.delete({ where: { id } });
  });
  return true;
}

/** Those that an administrator with these roles could not send. */
export async function endInvitationsBeyond(
  transaction: Transaction,
  inviterId: number,
  roles: readonly AssignedRole[],
): Promise<void> {
  const sent = (await transaction.administratorLink.findMany({ where: { inviterId } })).map(invitationOf);
  const ended = sent.filter((invitation) => !ownsAllOf({ administrator: { roles } }, invitation.roles));
  await transaction.administratorLink.deleteMany({ where: { id: { in: ended.map(({ id }) => id) } } });
}

const ownsAllOf = (owner: Parameters<typeof ownedRoles>[0], roles: readonly AssignedRole[]) =>
  ownedRoles(owner, roles).length === roles.length;

function invitationOf({ id, email, name, roles, expiresAt }: AdministratorLink): Invitation {
  return { id, email: email ?? '', name: name ?? '', roles: rolesIn(roles), expiresAt };
}

const INVITATION = { purpose: 'invitation' } as const;

/** Without roles in applications of others. */
function seenBy(viewer: AdministratorViewer, invitation: Invitation): Invitation | undefined {
  const roles = ownedRoles(viewer, invitation.roles);
  return roles.length > 0 ? { ...invitation, roles } : undefined;
}

/** Without names, because their text is free and the sender is that of the operator. */
function textOf(url: string, inviter: string): string {
  return `Hello,

${inviter} invites you to the Atrium console.
To accept, open this page within seven days:

${url}

The link works once.
`;
}
