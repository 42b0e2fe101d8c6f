import {
  checkedBaseUrl,
  checkedChatEndpoint,
  countAtSource,
  type MigrationSettings,
  migrateFrom,
  readCredentials,
} from '@atrium/legacy-import';
import { type Command, InvalidArgumentError } from 'commander';
import { pino } from 'pino';
import { readConfig, readSourceVariables } from '../../config.ts';
import { createStorage } from '../../gateways/create-storage.ts';
import { deriveContext } from '../../resolvers/create-context.ts';
import { administerApplication } from './administer.ts';
import { print } from './answer.ts';
import { onInterruption } from './interruption.ts';
import { applicationOption, readNamedFile } from './options.ts';
import { createProgress, type Progress } from './progress.ts';

interface Options {
  application: number;
  credentials?: string;
  chatEndpoint?: string;
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
    .description('import users, dialogs, messages, classes, records and files from another server, with their ids')
    .argument('<url>', 'base URL of the other server')
    .addOption(applicationOption())
    .option('--credentials <path>', 'JSON file with credentials, instead of the variables SOURCE_…')
    .option(
      '--chat-endpoint <url>',
      'wss address of the chat of the other server; imports contacts and privacy lists of the users in the credentials',
    )
    .option('--rate <n>', 'requests per second', rate, 5)
    .option(
      '--no-public-details',
      'skip messages that users hid, and mutes, in public groups; reading them takes requests per user and group',
    )
    .option(
      '--identities-proven',
      'the other server verified e-mails, phones and provider accounts, so that users may sign in with them',
    )
    .option('--insecure', 'permit http and ws, which send credentials unencrypted')
    .option('--dry-run', 'count objects on the other server and write nothing')
    .option('--restart', 'discard an unfinished migration and start again')
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
Credentials for the other server are read from the environment: SOURCE_API_KEY, or SOURCE_APPLICATION_ID,
SOURCE_AUTH_KEY, SOURCE_AUTH_SECRET, SOURCE_LOGIN and SOURCE_PASSWORD (optional: SOURCE_SIGNATURE_HASH,
SOURCE_TOKEN_HEADER); or from a file:
  {"apiKey": "…"}
  {"applicationId": 1, "authKey": "…", "authSecret": "…", "users": [{"login": "…", "password": "…"}]}
With an API key, users are for --chat-endpoint, because a chat shows contacts only to their user.
Repeat the command to resume an interrupted migration, or to import later changes.`;

async function migrate(settings: MigrationSettings, { application, dryRun }: Options, command: Command): Promise<void> {
  const json = command.optsWithGlobals().json === true;
  if (dryRun) return print({ value: await countAtSource(settings) }, { json });
  const config = readConfig();
  const { s3, dataDir } = config;
  await administerApplication(command, application, async (context) => {
    const storage = await createStorage({ s3, dataDir, log: pino({ level: 'silent' }) });
    try {
      return { value: await migrateFrom(settings, deriveContext(context, { storage })) };
    } catch (error) {
      if (settings.signal.aborted) throw new Error('stopped; repeat the command to resume');
      throw error;
    } finally {
      storage.close();
      (settings.progress as Progress).end();
    }
  });
  process.stderr.write(
    'Not imported, because the API does not return them: passwords, sessions, devices, pushes, address books, locations.\n' +
      'Users set a new password by mail, or sign in with their provider.\n',
  );
}

async function settingsOf(
  url: string,
  options: Options,
  { progress, signal }: { progress: Progress; signal: AbortSignal },
): Promise<MigrationSettings> {
  const {
    credentials,
    chatEndpoint,
    rate,
    restart = false,
    insecure = false,
    publicDetails,
    identitiesProven = false,
  } = options;
  const file = credentials === undefined ? undefined : await readNamedFile('--credentials', credentials);
  return {
    baseUrl: checkedBaseUrl(url, { insecure }),
    applicationId: options.application,
    chatEndpoint: chatEndpoint === undefined ? undefined : checkedChatEndpoint(chatEndpoint, { insecure }),
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
  throw new InvalidArgumentError(`Expected a number greater than 0 and at most ${MAX_RATE}.`);
}
