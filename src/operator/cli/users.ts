import type { Command } from 'commander';
import { proveUsers } from '../../resolvers/users/prove.ts';
import { administerApplication } from './administer.ts';
import { applicationOption, wholeNumber } from './options.ts';

interface Options {
  application: number;
  all?: boolean;
}

export function addUserCommands(program: Command): void {
  const user = program.command('user').description('users');

  user
    .command('prove')
    .description('count e-mail, phone and provider accounts of users as proven: whoever has them may sign in by them')
    .argument('[ids...]', 'ids of users', (text: string, ids: number[]) => [...ids, wholeNumber(text)], [])
    .addOption(applicationOption())
    .option('--all', 'all users of the application')
    .action((ids: number[], { application, all = false }: Options, command: Command) => {
      if (all === ids.length > 0) command.error('give either ids or --all');
      return administerApplication(command, application, async (context) => ({
        value: { applicationId: application, users: await proveUsers(all ? undefined : ids, context) },
      }));
    });
}
