import { type Command, Option } from 'commander';
import type { AssignedRole, Role } from '../../lib/access.ts';
import { createInvited } from '../../resolvers/administrators/create.ts';
import { createLinkFor, resetAdministrator } from '../../resolvers/administrators/links.ts';
import { listAllAdministrators } from '../../resolvers/administrators/list.ts';
import type { Administrator } from '../../resolvers/administrators/rows.ts';
import { removeAdministrator } from '../../resolvers/administrators/update.ts';
import { administer, missing } from './administer.ts';
import { confirm, yesOption } from './confirm.ts';
import { wholeNumber } from './options.ts';

const ROLES = ['owner', 'developer', 'support', 'viewer'] as const;
const COLUMNS = ['id', 'email', 'name', 'roles', 'isActive', 'hasTotp', 'passkeyCount', 'signedInAt'];

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
    .description('create an administrator and print a link, valid for seven days, to set a password')
    .requiredOption('--email <address>', 'email address, which identifies the account')
    .option('--name <name>', 'at most 255 characters (default: the email address)')
    .addOption(new Option('--role <role>', 'role of the administrator').choices(ROLES).default('owner'))
    .option('--application <id>', 'application of the role (default: all)', wholeNumber)
    .action(({ email, name = email, role, application }: CreateOptions, command: Command) =>
      administer(command, async (administration) => {
        const roles: AssignedRole[] = [{ applicationId: application ?? null, role }];
        const { administrator, url } = await createInvited({ email, name, roles }, administration);
        return { value: { ...present(administrator), link: url } };
      }),
    );

  admin
    .command('list')
    .description('list administrators with their roles')
    .action((_options, command: Command) =>
      administer(command, async () => ({ value: (await listAllAdministrators()).map(present), columns: COLUMNS })),
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
    .description('delete an administrator and end their sessions')
    .argument('<email>', 'email address of the administrator')
    .addOption(yesOption())
    .action(async (email: string, options: { yes?: boolean }, command: Command) => {
      await confirm(`Delete the administrator ${email}?`, options);
      return administer(command, async () => ({
        value: present(await removeAdministrator(email).catch(missing(`administrator ${email}`))),
      }));
    });
}

function present({ roles, ...administrator }: Administrator) {
  const names = roles.map(({ role, applicationId }) => (applicationId === null ? role : `${role} of ${applicationId}`));
  return { ...administrator, roles: names };
}
