import { type Command, Option } from 'commander';
import {
  createInvitation,
  type Invitation,
  listAllInvitations,
} from '../../administration/administrators/invitations.ts';
import { listAllAdministrators } from '../../administration/administrators/list.ts';
import { createLinkFor, resetAdministrator } from '../../administration/administrators/reset-links.ts';
import { removeAdministrator } from '../../administration/administrators/update.ts';
import type { AssignedRole, Role } from '../../lib/access.ts';
import { administer, missing } from './administer.ts';
import { confirm, yesOption } from './confirm.ts';
import { wholeNumber } from './options.ts';

const ROLES = ['owner', 'developer', 'support', 'viewer'] as const;
const COLUMNS = ['id', 'email', 'name', 'roles', 'hasTotp', 'passkeyCount', 'signedInAt', 'expiresAt'];

interface CreateOptions {
  email: string;
  name?: string;
  role: Role;
  application?: number;
}

export function addAdministratorCommands(program: Command): void {
  const admin = program.command('admin').description('manage the people who use the console');

  admin
    .command('create')
    .description('invite an administrator and print a link, valid for seven days, to set a password')
    .requiredOption('--email <address>', 'email address, which identifies the account')
    .option('--name <name>', 'at most 255 characters (default: the email address)')
    .addOption(new Option('--role <role>', 'role of the administrator').choices(ROLES).default('owner'))
    .option('--application <id>', 'application of the role (default: all)', wholeNumber)
    .action(({ email, name = email, role, application }: CreateOptions, command: Command) =>
      administer(command, async (administration) => {
        const roles: AssignedRole[] = [{ applicationId: application ?? null, role }];
        const { invitation, url } = await createInvitation({ email, name, roles }, administration);
        return { value: { ...invited(invitation), link: url } };
      }),
    );

  admin
    .command('list')
    .description('list administrators and invited people with their roles')
    .action((_options, command: Command) =>
      administer(command, async ({ now }) => {
        const [people, invitations] = [await listAllAdministrators(), await listAllInvitations(now())];
        return { value: [...people.map(present), ...invitations.map(invited)], columns: COLUMNS };
      }),
    );

  admin
    .command('link')
    .description('print a link, valid for one hour, with which an administrator sets a new password')
    .argument('<email>', 'email address of the administrator')
    .action((email: string, _options, command: Command) =>
      administer(command, async (administration) => ({
        value: { link: await createLinkFor(email, administration).catch(missing(`administrator ${email}`)) },
      })),
    );

  admin
    .command('reset')
    .description('remove authenticator app and passkeys of an administrator, end their sessions and print a link')
    .argument('<email>', 'email address of the administrator')
    .addOption(yesOption())
    .action(async (email: string, options: { yes?: boolean }, command: Command) => {
      await confirm(`Remove the authenticator app and all passkeys of ${email}?`, options);
      return administer(command, async (administration) => ({
        value: { link: await resetAdministrator(email, administration).catch(missing(`administrator ${email}`)) },
      }));
    });

  admin
    .command('delete')
    .description('delete an administrator and end their sessions and invitations')
    .argument('<email>', 'email address of the administrator')
    .addOption(yesOption())
    .action(async (email: string, options: { yes?: boolean }, command: Command) => {
      await confirm(`Delete the administrator ${email}?`, options);
      return administer(command, async () => ({
        value: await removeAdministrator(email).catch(missing(`administrator ${email}`)),
      }));
    });
}

function present<Person extends { roles: readonly AssignedRole[] }>({ roles, ...person }: Person) {
  const names = roles.map(({ role, applicationId }) => (applicationId === null ? role : `${role} of ${applicationId}`));
  return { ...person, roles: names };
}

/** Without the id, which is not one of an administrator. */
function invited({ id: _id, ...invitation }: Invitation) {
  return present(invitation);
}
