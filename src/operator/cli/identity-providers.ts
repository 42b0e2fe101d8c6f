import { type Command, Option } from 'commander';
import type { IdentityProvider } from '../../generated/prisma/client.ts';
import {
  listIdentityProviders,
  type ProviderInput,
  publicId,
  storeIdentityProvider,
} from '../../resolvers/sessions/identity-providers.ts';
import { administerApplication } from './administer.ts';
import { applicationOption, clearable } from './options.ts';

const NEEDED = {
  facebook: ['appId', 'appSecret'],
  twitter: ['consumerKey', 'consumerSecret'],
  firebase_phone: ['projectId'],
} as const;

type Provider = keyof typeof NEEDED;
type Setting = (typeof NEEDED)[Provider][number];

type SetOptions = Partial<Record<Setting, string>> & {
  application: number;
  provider: Provider;
  endpoint?: string | false;
};

export function addIdentityProviderCommands(program: Command): void {
  const social = program.command('social').description('manage identity providers for sign-in');

  social
    .command('set')
    .description('configure a provider, replacing its settings; users can sign in with it immediately')
    .addOption(applicationOption())
    .addOption(new Option('--provider <name>', 'identity provider').choices(Object.keys(NEEDED)).makeOptionMandatory())
    .option('--app-id <id>', 'app id; facebook')
    .option('--app-secret <secret>', 'app secret; facebook')
    .option('--consumer-key <key>', 'consumer key; twitter')
    .option('--consumer-secret <secret>', 'consumer secret; twitter')
    .option('--project-id <id>', 'project id; firebase_phone')
    .option('--endpoint <url>', "URL to use instead of the provider's own")
    .option('--no-endpoint', "use the provider's own URL again")
    .action(({ application, endpoint, ...options }: SetOptions, command: Command) => {
      const input = { ...inputOf(options, command), applicationId: application, endpoint: clearable(endpoint) };
      return administerApplication(command, application, async ({ encrypter, now, viewer }) => ({
        value: present(await storeIdentityProvider(input, { encrypter, now: now(), actor: viewer.actor })),
      }));
    });

  social
    .command('list')
    .description('list the configured providers')
    .addOption(applicationOption())
    .action(({ application }: { application: number }, command: Command) =>
      administerApplication(command, application, async (context) => ({
        value: (await listIdentityProviders(context)).map(present),
        columns: ['provider', 'publicId', 'endpoint', 'createdAt', 'updatedAt'],
      })),
    );
}

function inputOf(
  { provider, ...settings }: Omit<SetOptions, 'application' | 'endpoint'>,
  command: Command,
): ProviderInput {
  const needed: readonly string[] = NEEDED[provider];
  const lacking = needed.find((name) => !(name in settings));
  if (lacking) command.error(`${provider} requires ${flagOf(lacking)}`);
  const foreign = Object.keys(settings).find((name) => !needed.includes(name));
  if (foreign) command.error(`${flagOf(foreign)} does not apply to ${provider}`);
  const { appId = '', appSecret = '', consumerKey = '', consumerSecret = '', projectId = '' } = settings;
  switch (provider) {
    case 'facebook':
      return { facebook: { appId, appSecret } };
    case 'twitter':
      return { twitter: { consumerKey, consumerSecret } };
    case 'firebase_phone':
      return { firebasePhone: { projectId } };
  }
}

function flagOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

function present(provider: IdentityProvider) {
  const { endpoint, createdAt, updatedAt } = provider;
  return { provider: provider.provider, publicId: publicId(provider), endpoint, createdAt, updatedAt };
}
