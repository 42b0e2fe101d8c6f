import { loadEnvFile } from 'node:process';
import { Command, CommanderError, Help, type Option } from 'commander';
import { isNpmScript } from '../../config.ts';
import { serviceVersion } from '../../resolvers/applications/service-status.ts';
import { bold, oneLine, styled } from './answer.ts';

const FAILED = 1;
const MISUSED = 2;

/** How the user called it: in a clone by `npm run cli`, otherwise by the name of the package. */
const NAME = isNpmScript('cli') ? 'npm run cli --' : 'atrium';

export function createProgram(): Command {
  return new Command(NAME)
    .description('Administers the service, also while it runs. Reads the same environment variables as the service.')
    .option('--json', 'print the result as one JSON object or array')
    .option('--env-file <file>', 'read environment variables from a file; those that are set already take precedence')
    .version(serviceVersion(), '--version', 'print the version of Atrium')
    .addHelpText('after', '\nExit codes: 1 on failure, 2 on a usage error.')
    .exitOverride()
    .configureHelp({ showGlobalOptions: true, optionDescription, styleTitle: bold })
    .configureOutput({ outputError: (text) => complain(text.replace(/^error: /, '')) })
    .hook('preAction', (program) => readEnvironmentFile(program.opts().envFile));
}

/** @returns the exit code: 0, 1 on failure, 2 on a usage error */
export async function run(program: Command, argv: readonly string[]): Promise<number> {
  try {
    await program.parseAsync(argv);
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : MISUSED;
    complain(error instanceof Error ? error.message : String(error));
    return FAILED;
  }
}

function readEnvironmentFile(file: string | undefined): void {
  if (file === undefined) return;
  try {
    loadEnvFile(file);
  } catch (error) {
    throw new Error(`--env-file: ${(error as Error).message}`);
  }
}

const help = new Help();

function optionDescription(option: Option): string {
  const text = help.optionDescription(option);
  return option.mandatory && option.defaultValue === undefined ? `${text} (required)` : text;
}

function complain(text: string): void {
  process.stderr.write(`${styled(process.stderr, 'red', 'atrium:')} ${oneLine(text)}\n`);
}
