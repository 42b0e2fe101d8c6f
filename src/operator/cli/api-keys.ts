import type { Command } from 'commander';
import type { ApiKey } from '../../generated/prisma/client.ts';
import { OPERATOR } from '../../lib/actor.ts';
import {
  createApiKey,
  findApiKey,
  listAllApiKeys,
  listApiKeys,
  revokeApiKey,
} from '../../resolvers/applications/api-keys.ts';
import { administer, administerApplication, missing } from './administer.ts';
import { pick } from './answer.ts';
import { applicationOption, optionalApplicationOption, wholeNumber } from './options.ts';

const FIELDS = ['id', 'applicationId', 'name', 'createdAt', 'revokedAt'] as const;

export function addApiKeyCommands(program: Command): void {
  const key = program.command('key').description('manage API keys');

  key
    .command('create')
    .description('create an API key; its value is shown only once')
    .addOption(applicationOption())
    .option('--name <name>', 'at most 255 characters', 'cli')
    .action(({ application, name }: { application: number; name: string }, command: Command) =>
      administerApplication(command, application, async (context) => {
        const created = await createApiKey(name, context);
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

  key
    .command('revoke')
    .description('revoke an API key and close the sockets it opened')
    .argument('<id>', 'id of the API key', wholeNumber)
    .addOption(optionalApplicationOption())
    .action((id: number, { application }: { application?: number }, command: Command) =>
      administer(command, async (services) => {
        const { applicationId } = await findApiKey(id, application).catch(missing(`API key ${id}`));
        const viewer = { applicationId, actor: OPERATOR };
        const revoked = await revokeApiKey(id, { ...services, viewer }).catch(
          missing(`API key ${id}`, 'is already revoked'),
        );
        return { value: pick(revoked, FIELDS) };
      }),
    );
}

function listed(keys: ApiKey[]) {
  return { value: keys.map((key) => pick(key, FIELDS)), columns: FIELDS };
}
