import type { Command } from 'commander';
import { listApplications } from '../../resolvers/applications/list.ts';
import { findServiceStatus } from '../../resolvers/applications/service-status.ts';
import { administer } from './administer.ts';

export function addStatusCommand(program: Command): void {
  program
    .command('status')
    .description('show versions, the size of the database, and the number of users of each application')
    .action((_options, command: Command) =>
      administer(command, async () => {
        const { startedAt: _startedAt, ...status } = await findServiceStatus();
        const applications = (await listApplications()).map(({ id, name, userCount }) => ({
          id,
          name,
          users: userCount,
        }));
        return { value: { ...status, applications } };
      }),
    );
}
