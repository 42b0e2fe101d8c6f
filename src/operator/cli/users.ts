import type { Command } from 'commander';
import { blockUser, endUserSessions, unblockUser } from '../../resolvers/users/block.ts';
import { proveUsers } from '../../resolvers/users/prove.ts';
import { administerApplication, missing } from './administer.ts';
import { pick } from './answer.ts';
import { applicationOption, wholeNumber } from './options.ts';

interface Options {
  application: number;
  all?: boolean;
}

const FIELDS = ['id', 'login', 'email', 'fullName', 'createdAt', 'blockedAt'] as const;

export function addUserCommands(program: Command): void {
  const user = program.command('user').description('manage users');

  user
    .command('prove')
    .description('mark e-mail, phone and provider accounts of users as proven, so that they can sign in with them')
    .argument('[ids...]', 'ids of users', (text: string, ids: number[]) => [...ids, wholeNumber(text)], [])
    .addOption(applicationOption())
    .option('--all', 'all users of the application')
    .action((ids: number[], { application, all = false }: Options, command: Command) => {
      if (all === ids.length > 0) command.error('specify either ids or --all');
      return administerApplication(command, application, async (context) => ({
        value: { applicationId: application, users: await proveUsers(all ? undefined : ids, context) },
      }));
    });

  user
    .command('block')
    .description('end the sessions of a user and refuse later sign-ins')
    .argument('<id>', 'id of the user', wholeNumber)
    .addOption(applicationOption())
    .action((id: number, { application }: Options, command: Command) =>
      administerApplication(command, application, async (context) => ({
        value: pick(await blockUser(id, context).catch(missing(`user ${id}`)), FIELDS),
      })),
    );

  user
    .command('unblock')
    .description('let a blocked user sign in again')
    .argument('<id>', 'id of the user', wholeNumber)
    .addOption(applicationOption())
    .action((id: number, { application }: Options, command: Command) =>
      administerApplication(command, application, async (context) => ({
        value: pick(await unblockUser(id, context).catch(missing(`user ${id}`)), FIELDS),
      })),
    );

  user
    .command('end-sessions')
    .description('end all sessions of a user and close their connections')
    .argument('<id>', 'id of the user', wholeNumber)
    .addOption(applicationOption())
    .action((id: number, { application }: Options, command: Command) =>
      administerApplication(command, application, async (context) => ({
        value: { id, sessions: await endUserSessions(id, context).catch(missing(`user ${id}`)) },
      })),
    );
}
