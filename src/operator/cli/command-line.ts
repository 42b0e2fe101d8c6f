import type { Command } from 'commander';
import { addAdministratorCommands } from './administrators.ts';
import { addApiKeyCommands } from './api-keys.ts';
import { addApplicationCommands } from './applications.ts';
import { addArchiveCommands } from './archive.ts';
import { addAssistantCommands } from './assistants.ts';
import { addAuditCommands } from './audit.ts';
import { addCheckCommand } from './check.ts';
import { addClassCommands } from './classes.ts';
import { addDatabaseCommands } from './databases.ts';
import { addIdentityProviderCommands } from './identity-providers.ts';
import { addLogsCommand } from './logs.ts';
import { addMailCommands } from './mail.ts';
import { addMigrationCommand } from './migrate-from.ts';
import { createProgram, run } from './program.ts';
import { addPushSettingsCommands } from './push-settings.ts';
import { addStartCommand } from './start.ts';
import { addStatusCommand } from './status.ts';
import { addUserCommands } from './users.ts';
import { addVersionCommand } from './version.ts';

/** @returns the exit code: 0, 1 on failure, 2 on a usage error */
export function runCommandLine(argv: string[]): Promise<number> {
  return run(commandLine(), argv);
}

export function commandLine(): Command {
  const program = createProgram();
  addStartCommand(program);
  addApplicationCommands(program);
  addApiKeyCommands(program);
  addAdministratorCommands(program);
  addAuditCommands(program);
  addLogsCommand(program);
  addUserCommands(program);
  addClassCommands(program);
  addAssistantCommands(program);
  addPushSettingsCommands(program);
  addIdentityProviderCommands(program);
  addMailCommands(program);
  addArchiveCommands(program);
  addCheckCommand(program);
  addMigrationCommand(program);
  addStatusCommand(program);
  addDatabaseCommands(program);
  addVersionCommand(program);
  return program;
}
