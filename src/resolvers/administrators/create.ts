import type { Services } from '../../context.ts';
import type { Transaction } from '../../db/client.ts';
import { OPERATOR_JOBS, transact } from '../../db/transact.ts';
import type { AdministratorViewer, AssignedRole } from '../../lib/access.ts';
import { InvalidFieldsError } from '../../lib/errors.ts';
import { createLink } from './links.ts';
import { type Administrator, findAdministrator, jobOf, lockAdministrators } from './rows.ts';
import { emailOf, requireOwnerOf, requireValid } from './rules.ts';

export interface NewAdministrator {
  email: string;
  name: string;
  roles: readonly AssignedRole[];
}

export interface InvitedAdministrator {
  administrator: Administrator;
  /** Valid once, for seven days. */
  url: string;
  isMailed: boolean;
}

type InvitationServices = Pick<Services, 'now' | 'consoleUrl'>;

/** Invites again if the person has not accepted yet. @throws {InvalidFieldsError} {ForbiddenError} */
export async function inviteAdministrator(
  input: NewAdministrator,
  viewer: AdministratorViewer,
  services: InvitationServices & Pick<Services, 'mailer' | 'log'>,
): Promise<InvitedAdministrator> {
  requireOwnerOf(viewer, input.roles);
  const invited = await createInvited(input, services, viewer);
  const { administrator, url } = invited;
  const { name: inviter } = await findAdministrator(viewer.administrator.id);
  const text = invitationText(url, inviter);
  try {
    await services.mailer.send({ to: administrator.email, subject: 'Invitation to the Atrium console', text });
    return { ...invited, isMailed: true };
  } catch (error) {
    services.log.error({ err: error }, 'the mail with an invitation was not sent');
    return { ...invited, isMailed: false };
  }
}

/** @param viewer undefined for the operator, who passes the link on */
export async function createInvited(
  input: NewAdministrator,
  services: InvitationServices,
  viewer?: AdministratorViewer,
): Promise<{ administrator: Administrator; url: string }> {
  requireValid(input);
  const email = emailOf(input.email);
  const at = services.now();
  const { id, url } = await transact(viewer ? jobOf(viewer) : OPERATOR_JOBS, async (transaction) => {
    await lockAdministrators(transaction);
    const known = await transaction.administrator.findUnique({ where: { email }, include: { roles: true } });
    if (known && known.passwordHash !== null) throw new InvalidFieldsError({ email: ['has already been taken'] });
    if (known && viewer) requireOwnerOf(viewer, known.roles);
    const data = { email, name: input.name.trim(), updatedAt: at };
    const { id } = known
      ? await transaction.administrator.update({ where: { id: known.id }, data })
      : await transaction.administrator.create({ data: { ...data, createdAt: at } });
    await replaceRoles(transaction, id, input.roles);
    await transaction.administratorLink.deleteMany({ where: { administratorId: id } });
    return { id, url: await createLink(transaction, { purpose: 'invitation', administratorId: id }, services) };
  });
  return { administrator: await findAdministrator(id), url };
}

/** @throws {InvalidFieldsError} unknown application */
export async function replaceRoles(
  transaction: Transaction,
  administratorId: number,
  roles: readonly AssignedRole[],
): Promise<void> {
  const wanted = new Map(roles.map((one) => [`${one.applicationId} ${one.role}`, one]));
  const ids = [...new Set(roles.flatMap(({ applicationId }) => applicationId ?? []))];
  if ((await transaction.application.count({ where: { id: { in: ids } } })) < ids.length) {
    throw new InvalidFieldsError({ roles: ['should name existing applications'] });
  }
  await transaction.administratorRole.deleteMany({ where: { administratorId } });
  await transaction.administratorRole.createMany({
    data: [...wanted.values()].map(({ applicationId, role }) => ({ administratorId, applicationId, role })),
  });
}

function invitationText(url: string, inviter: string): string {
  return `Hello,

${inviter.replaceAll(/\s+/g, ' ')} invites you to the Atrium console.
To accept, open this page within seven days and choose a password:

${url}

The link works once.
`;
}
