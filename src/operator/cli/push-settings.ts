import { type Command, Option } from 'commander';
import { PUSH_ENVIRONMENTS, type PushEnvironment } from '../../resolvers/pushes/channels.ts';
import {
  listPushSettings,
  type OperatorInput,
  type PushProviderInput,
  storePushSettings,
} from '../../resolvers/pushes/settings.ts';
import { administerApplication } from './administer.ts';
import { pick } from './answer.ts';
import { applicationOption, clearable, readNamedFile } from './options.ts';

/** What is shown of a provider; its secrets are not. */
const SHOWN = ['environment', 'provider', 'publicId', 'createdAt', 'updatedAt'] as const;

interface Place {
  application: number;
  environment: PushEnvironment;
}

interface Endpoint {
  endpoint?: string | false;
}

type ApnsOptions = Place &
  Endpoint & { topic: string; teamId: string; keyId: string; keyFile: string } & {
    caFile?: string | false;
  };

export function addPushSettingsCommands(program: Command): void {
  const push = program.command('push').description('providers of pushes');

  push
    .command('apns')
    .description("set Apple's pushes up, or anew")
    .addOption(applicationOption())
    .addOption(environmentOption())
    .requiredOption('--topic <topic>', 'bundle id of the app')
    .requiredOption('--team-id <id>', 'id of the team')
    .requiredOption('--key-id <id>', 'id of the key')
    .requiredOption('--key-file <path>', 'the .p8 file')
    .option('--endpoint <url>', "instead of Apple's host")
    .option('--no-endpoint', "Apple's host again")
    .option('--ca-file <path>', "certificates to trust instead of the system's, PEM")
    .option('--no-ca-file', 'the certificates of the system again')
    .action(async ({ topic, teamId, keyId, keyFile, caFile, ...options }: ApnsOptions, command: Command) => {
      const key = await readNamedFile('--key-file', keyFile);
      const ca = caFile ? await readNamedFile('--ca-file', caFile) : clearable(caFile);
      await setUp({ ...options, ca, provider: { apns: { topic, teamId, keyId, key } } }, command);
    });

  push
    .command('fcm')
    .description("set Google's pushes (FCM HTTP v1) up, or anew")
    .addOption(applicationOption())
    .addOption(environmentOption())
    .requiredOption('--service-account <path>', "the service account's JSON file; tokens come from its token_uri")
    .option('--endpoint <url>', "instead of Google's host")
    .option('--no-endpoint', "Google's host again")
    .action(async ({ serviceAccount, ...options }: Place & Endpoint & { serviceAccount: string }, command: Command) => {
      const account = parseJson('--service-account', await readNamedFile('--service-account', serviceAccount));
      await setUp({ ...options, provider: { fcm: { serviceAccount: account } } }, command);
    });

  push
    .command('web')
    .description('set pushes to browsers up: makes a pair of keys the first time; publicId is what browsers need')
    .addOption(applicationOption())
    .addOption(environmentOption())
    .requiredOption('--subject <address>', 'whom push services write to: mailto:… or https://…')
    .action(({ subject, ...place }: Place & { subject: string }, command: Command) =>
      setUp({ ...place, provider: { web: { subject } } }, command),
    );

  push
    .command('list')
    .description('show the providers that are set up')
    .addOption(applicationOption())
    .action(({ application }: { application: number }, command: Command) =>
      administerApplication(command, application, async (context) => ({
        value: (await listPushSettings(context)).map((settings) => pick(settings, SHOWN)),
        columns: SHOWN,
      })),
    );
}

function environmentOption(): Option {
  return new Option('--environment <name>', 'of the devices').choices(PUSH_ENVIRONMENTS).makeOptionMandatory();
}

function setUp(
  {
    application,
    environment,
    endpoint,
    ca,
    provider,
  }: Place & Endpoint & Pick<OperatorInput, 'ca'> & { provider: PushProviderInput },
  command: Command,
): Promise<void> {
  return administerApplication(command, application, async ({ encrypter, now }) => {
    const input = { ...provider, applicationId: application, environment, endpoint: clearable(endpoint), ca };
    return { value: pick(await storePushSettings(input, { encrypter, now: now() }), SHOWN) };
  });
}

function parseJson(option: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // What JSON.parse says quotes the file, which holds a secret.
    throw new Error(`${option}: the file holds no JSON`);
  }
}
