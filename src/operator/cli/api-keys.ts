import type { Command } from 'commander';
import type { ApiKey } from '../../generated/prisma/client.ts';
import { OPERATOR } from '../../lib/actor.ts';
import {
  createApiKey,
  findApiKey,
  type KeyChanges,
  listAllApiKeys,
  listApiKeys,
  revokeApiKey,
  rotateApiKey,
  updateApiKey,
} from '../../resolvers/applications/api-keys.ts';
import { administer, administerApplication, missing } from './administer.ts';
import { pick } from './answer.ts';
import { applicationOption, optionalApplicationOption, timeOf, wholeNumber } from './options.ts';

const FIELDS = ['id', 'applicationId', 'name', 'scopes', 'expiresAt', 'lastUsedAt', 'createdAt', 'revokedAt'] as const;

export function addApiKeyCommands(program: Command): void {
  const key = program.command('key').description('manage API keys');

  withRestrictions(key.command('create'))
    .description('create an API key; its value is shown only once')
    .addOption(applicationOption())
    .option('--name <name>', 'at most 255 characters', 'cli')
    .action(({ application, ...input }: { application: number; name: string } & KeyChanges, command: Command) =>
      administerApplication(command, application, async (context) => {
        const created = await createApiKey(input, context);
        return { value: pick(created, ['id', 'applicationId', 'name', 'key', 'createdAt']) };
      }),
    );

  key
    .command('list')
    .description('list API keys, including revoked ones, without their values')
    .addOption(optionalApplicationOption())
    .action(({ application }: { application?: number }, command: Command) =>
      application === undefined
        ? administer(command, async () => listed(await listAllApiKeys()))
        : administerApplication(command, application, async () => listed(await listApiKeys(application))),
    );

  withRestrictions(key.command('update'))
    .description('rename an API key or change its restrictions, and close the sockets it opened')
    .argument('<id>', 'id of the API key', wholeNumber)
    .addOption(optionalApplicationOption())
    .option('--name <name>', 'at most 255 characters')
    .action((id: number, { application, ...changes }: { application?: number } & KeyChanges, command: Command) =>
      administer(command, async (services) => {
        const context = { ...services, viewer: await ownerOf(id, application) };
        return { value: pick(await updateApiKey(id, changes, context).catch(revoked(id)), FIELDS) };
      }),
    );

  key
    .command('rotate')
    .description('replace the secret of an API key; the new one is shown only once')
    .argument('<id>', 'id of the API key', wholeNumber)
    .addOption(optionalApplicationOption())
    .option('--overlap <hours>', 'hours for which the previous secret remains valid', wholeNumber, 24)
    .action((id: number, { application, overlap }: { application?: number; overlap: number }, command: Command) =>
      administer(command, async (services) => {
        const context = { ...services, viewer: await ownerOf(id, application) };
        const rotated = await rotateApiKey(id, overlap, context).catch(revoked(id));
        return { value: pick(rotated, ['id', 'applicationId', 'name', 'key', 'previousExpiresAt']) };
      }),
    );

  key
    .command('revoke')
    .description('revoke an API key and close the sockets it opened')
    .argument('<id>', 'id of the API key', wholeNumber)
    .addOption(optionalApplicationOption())
    .action((id: number, { application }: { application?: number }, command: Command) =>
      administer(command, async (services) => {
        const context = { ...services, viewer: await ownerOf(id, application) };
        return { value: pick(await revokeApiKey(id, context).catch(revoked(id)), FIELDS) };
      }),
    );
}

function withRestrictions(command: Command): Command {
  return command
    .option('--scopes <scopes>', 'what the key may do, such as users:read,messages:write; * is everything', words)
    .option('--on-behalf-of <ids>', 'users on behalf of whom the key may act; none for no user', (text) =>
      text === 'none' ? [] : words(text).map(wholeNumber),
    )
    .option('--networks <networks>', 'networks from which it may be used, such as 203.0.113.0/24,2001:db8::/64', words)
    .option('--expires-at <time>', 'when the key expires, such as 2027-01-31T00:00:00Z', timeOf);
}

const words = (text: string) => text.split(',').map((word) => word.trim());

async function ownerOf(id: number, application: number | undefined) {
  const { applicationId } = await findApiKey(id, application).catch(missing(`API key ${id}`));
  return { applicationId, actor: OPERATOR };
}

const revoked = (id: number) => missing(`API key ${id}`, 'is already revoked');

function listed(keys: ApiKey[]) {
  return { value: keys.map((key) => pick(key, FIELDS)), columns: FIELDS };
}
