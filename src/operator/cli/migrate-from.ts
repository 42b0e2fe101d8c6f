import { type Command, InvalidArgumentError } from 'commander';
import { pino } from 'pino';
import { readConfig, readSourceVariables } from '../../config.ts';
import { createStorage } from '../../gateways/create-storage.ts';
import { checkedBaseUrl } from '../legacy-import/client.ts';
import { readCredentials } from '../legacy-import/credentials.ts';
import { countAtSource, type MigrationSettings, migrateFrom } from '../legacy-import/index.ts';
import { administerApplication } from './administer.ts';
import { print } from './answer.ts';
import { onInterruption } from './interruption.ts';
import { applicationOption, readNamedFile } from './options.ts';
import { createProgress, type Progress } from './progress.ts';

interface Options {
  application: number;
  credentials?: string;
  rate: number;
  insecure?: boolean;
  dryRun?: boolean;
  restart?: boolean;
  publicDetails: boolean;
  identitiesProven?: boolean;
}

const MAX_RATE = 1_000;

export function addMigrationCommand(program: Command): void {
  program
    .command('migrate-from')
    .description('read users, dialogs, messages, classes, records and files from another server, under their ids')
    .argument('<url>', 'base URL of the other server')
    .addOption(applicationOption())
    .option('--credentials <path>', 'JSON file, instead of the variables SOURCE_…')
    .option('--rate <n>', 'requests in a second', rate, 5)
    .option(
      '--no-public-details',
      'leave out what users deleted and muted in public groups: a request for each of them',
    )
    .option(
      '--identities-proven',
      'the other server had proof of e-mails, phones and provider accounts: their owners may sign in by them',
    )
    .option('--insecure', 'send credentials over http to another machine')
    .option('--dry-run', 'count what is there, and write nothing')
    .option('--restart', 'give up an unfinished migration and begin anew')
    .addHelpText('after', HELP)
    .action(async (url: string, options: Options, command: Command) => {
      const progress = createProgress();
      const interruption = onInterruption();
      try {
        await migrate(await settingsOf(url, options, { progress, signal: interruption.signal }), options, command);
      } finally {
        interruption.forget();
        progress.end();
      }
    });
}

const HELP = `
What the other server knows us by comes from the environment: SOURCE_API_KEY, or SOURCE_APPLICATION_ID, SOURCE_AUTH_KEY,
SOURCE_AUTH_SECRET, SOURCE_LOGIN and SOURCE_PASSWORD (also SOURCE_SIGNATURE_HASH, SOURCE_TOKEN_HEADER); or from a file:
  {"apiKey": "…"}
  {"applicationId": 1, "authKey": "…", "authSecret": "…", "users": [{"login": "…", "password": "…"}]}
Interrupted, it goes on where it stopped; repeated, it reads what has come since.`;

async function migrate(settings: MigrationSettings, { application, dryRun }: Options, command: Command): Promise<void> {
  const json = command.optsWithGlobals().json === true;
  if (dryRun) return print({ value: await countAtSource(settings) }, { json });
  const config = readConfig();
  const { s3, dataDir } = config;
  await administerApplication(command, application, async (context) => {
    const storage = await createStorage({ s3, dataDir, log: pino({ level: 'silent' }) });
    try {
      return { value: await migrateFrom(settings, { ...context, storage }) };
    } catch (error) {
      if (settings.signal.aborted) throw new Error('stopped; the same command goes on from here');
      throw error;
    } finally {
      storage.close();
      (settings.progress as Progress).end();
    }
  });
  process.stderr.write(
    'Passwords, sessions, devices, pushes, address books and places are not shown to others and did not come along:\n' +
      'users set a new password by mail, or sign in by their provider.\n',
  );
}

async function settingsOf(
  url: string,
  options: Options,
  { progress, signal }: { progress: Progress; signal: AbortSignal },
): Promise<MigrationSettings> {
  const { credentials, rate, restart = false, insecure = false, publicDetails, identitiesProven = false } = options;
  const file = credentials === undefined ? undefined : await readNamedFile('--credentials', credentials);
  return {
    baseUrl: checkedBaseUrl(url, { insecure }),
    credentials: readCredentials(file, readSourceVariables()),
    rate,
    restart,
    publicDetails,
    identitiesProven,
    progress,
    signal,
  };
}

function rate(text: string): number {
  const number = Number(text);
  if (number > 0 && number <= MAX_RATE) return number;
  throw new InvalidArgumentError(`It should be a number up to ${MAX_RATE}.`);
}
