import { Command, CommanderError, Help, type Option } from 'commander';
import { serviceVersion } from '../../resolvers/applications/service-status.ts';
import { addAdministratorCommands } from './administrators.ts';
import { bold, oneLine, styled } from './answer.ts';
import { addApiKeyCommands } from './api-keys.ts';
import { addApplicationCommands } from './applications.ts';
import { addArchiveCommands } from './archive.ts';
import { addAssistantCommands } from './assistants.ts';
import { addAuditCommands } from './audit.ts';
import { addCheckCommand } from './check.ts';
import { addClassCommands } from './classes.ts';
import { addIdentityProviderCommands } from './identity-providers.ts';
import { addMailCommands } from './mail.ts';
import { addMigrationCommand } from './migrate-from.ts';
import { addPushSettingsCommands } from './push-settings.ts';
import { addStatusCommand } from './status.ts';
import { addUserCommands } from './users.ts';

const FAILED = 1;
const MISUSED = 2;

/** @returns the exit code: 0, 1 on failure, 2 on a usage error */
export async function runCommandLine(argv: string[]): Promise<number> {
  try {
    await commandLine().parseAsync(argv);
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : MISUSED;
    complain(error instanceof Error ? error.message : String(error));
    return FAILED;
  }
}

export function commandLine(): Command {
  const program = new Command('npm run cli --')
    .description('Administers the service, also while it runs. Reads the same environment variables as the service.')
    .option('--json', 'print the result as one JSON object or array')
    .version(serviceVersion(), '--version', 'print the version of Atrium')
    .addHelpText('after', '\nExit codes: 1 on failure, 2 on a usage error.')
    .exitOverride()
    .configureHelp({ showGlobalOptions: true, optionDescription, styleTitle: bold })
    .configureOutput({ outputError: (text) => complain(text.replace(/^error: /, '')) });
  addApplicationCommands(program);
  addApiKeyCommands(program);
  addAdministratorCommands(program);
  addAuditCommands(program);
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
  return program;
}

const help = new Help();

function optionDescription(option: Option): string {
  const text = help.optionDescription(option);
  return option.mandatory && option.defaultValue === undefined ? `${text} (required)` : text;
}

function complain(text: string): void {
  process.stderr.write(`${styled(process.stderr, 'red', 'atrium:')} ${oneLine(text)}\n`);
}
