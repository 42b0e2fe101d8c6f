import type { Command } from 'commander';
import { proveUsers } from '../../resolvers/users/prove.ts';
import { administerApplication } from './administer.ts';
import { applicationOption, wholeNumber } from './options.ts';

interface Options {
  application: number;
  all?: boolean;
}

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
}
