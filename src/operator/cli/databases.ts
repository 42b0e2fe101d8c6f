import type { Command } from 'commander';
import { readConfig } from '../../config.ts';
import { DATABASE_STATUS, listDatabases, setUpDatabases } from '../../server/databases.ts';
import { administer } from './administer.ts';
import { print } from './answer.ts';

export function addDatabaseCommands(program: Command): void {
  const shards = program
    .command('database')
    .description('manage the databases among which applications are divided')
    .command('shards');

  shards
    .command('init')
    .description('set up the databases of DATABASE_URL and DATABASE_SHARDS; repeat it after adding one')
    .action(async (_options, command: Command) => {
      const databases = await setUpDatabases(readConfig());
      await print({ value: { databases } }, { json: command.optsWithGlobals().json === true });
    });

  shards
    .command('status')
    .description('show the applications, users and size of each database')
    .action((_options, command: Command) =>
      administer(command, async () => ({ value: await listDatabases(), columns: DATABASE_STATUS })),
    );
}
