import { type Command, Option } from 'commander';
import type { ConfiguredProvider, PushSetting, Settings } from '../../gateways/push/provider.ts';
import { CONFIGURED_PROVIDERS, PUSH_ENVIRONMENTS, type PushEnvironment } from '../../resolvers/pushes/channels.ts';
import { listPushSettings, storePushSettings } from '../../resolvers/pushes/settings.ts';
import { administerApplication } from './administer.ts';
import { pick } from './answer.ts';
import { applicationOption, clearable, readNamedFile } from './options.ts';
import { addPushTestCommand } from './push-test.ts';

const FIELDS = ['environment', 'provider', 'publicId', 'createdAt', 'updatedAt'] as const;

type Options = Record<string, string> & {
  application: number;
  environment: PushEnvironment;
  endpoint?: string | false;
  caFile?: string | false;
};

export function addPushSettingsCommands(program: Command): void {
  const push = program.command('push').description('manage push providers');

  for (const provider of CONFIGURED_PROVIDERS) addProviderCommand(push, provider);

  addPushTestCommand(push);

  push
    .command('list')
    .description('list the configured providers')
    .addOption(applicationOption())
    .action(({ application }: { application: number }, command: Command) =>
      administerApplication(command, application, async (context) => ({
        value: (await listPushSettings(context)).map((settings) => pick(settings, FIELDS)),
        columns: FIELDS,
      })),
    );
}

function addProviderCommand(push: Command, { name, settings }: ConfiguredProvider): void {
  const { endpoint, ca } = settings.operatorFields;
  const command = push
    .command(name)
    .description(settings.command)
    .addOption(applicationOption())
    .addOption(
      new Option('--environment <name>', 'environment of the devices').choices(PUSH_ENVIRONMENTS).makeOptionMandatory(),
    );
  for (const setting of Object.values(settings.fields)) command.addOption(optionOf(setting).makeOptionMandatory());
  if (endpoint) {
    command
      .option('--endpoint <url>', `URL to use instead of ${endpoint}`)
      .option('--no-endpoint', `use ${endpoint} again`);
  }
  if (ca) {
    command
      .option('--ca-file <path>', `PEM file with certificates to trust instead of ${ca}`)
      .option('--no-ca-file', `trust ${ca} again`);
  }
  command.action(async (options: Options) => {
    const { application: applicationId, environment, caFile } = options;
    const input = {
      [name]: await readSettings(settings.fields, options),
      applicationId,
      environment,
      endpoint: clearable(options.endpoint),
      ca: caFile ? await readNamedFile('--ca-file', caFile) : clearable(caFile),
    };
    await administerApplication(command, applicationId, async ({ encrypter, now, viewer }) => ({
      value: pick(await storePushSettings(input, { encrypter, now: now(), actor: viewer.actor }), FIELDS),
    }));
  });
}

function optionOf({ flags, description }: PushSetting): Option {
  return new Option(flags, description);
}

async function readSettings(fields: Record<string, PushSetting>, options: Options): Promise<Settings> {
  const settings: Settings = {};
  for (const [field, setting] of Object.entries(fields)) {
    const option = optionOf(setting);
    const value = options[option.attributeName()]!;
    const text = setting.file ? await readNamedFile(option.long!, value) : value;
    settings[field] = setting.file === 'json' ? parseJson(option.long!, text) : text;
  }
  return settings;
}

function parseJson(option: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not the message of `JSON.parse`, because it quotes the file, which contains a secret.
    throw new Error(`${option}: the file is not valid JSON`);
  }
}
