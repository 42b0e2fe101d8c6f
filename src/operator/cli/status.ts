import type { Command } from 'commander';
import { listApplications } from '../../resolvers/applications/list.ts';
import { findServiceStatus } from '../../resolvers/applications/service-status.ts';
import { administer } from './administer.ts';

export function addStatusCommand(program: Command): void {
  program
    .command('status')
    .description('show versions, the sizes of database, files and disk, and the number of users of each application')
    .action((_options, command: Command) =>
      administer(command, async (services) => {
        const { startedAt: _startedAt, chat: _ofProcess, ...status } = await findServiceStatus(services);
        const applications = (await listApplications()).map(({ id, name, userCount }) => ({
          id,
          name,
          users: userCount,
        }));
        return { value: { ...status, applications } };
      }),
    );
}
