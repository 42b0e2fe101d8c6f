import type { Command } from 'commander';
import type { ApiKey } from '../../generated/prisma/client.ts';
import {
  createApiKey,
  findApiKey,
  listAllApiKeys,
  listApiKeys,
  revokeApiKey,
} from '../../resolvers/applications/api-keys.ts';
import { administer, administerApplication, missing } from './administer.ts';
import { pick } from './answer.ts';
import { applicationOption, wholeNumber } from './options.ts';

const FIELDS = ['id', 'applicationId', 'name', 'createdAt', 'revokedAt'] as const;

export function addApiKeyCommands(program: Command): void {
  const key = program.command('key').description('API keys');

  key
    .command('create')
    .description('make an API key, which is shown this once')
    .addOption(applicationOption())
    .option('--name <name>', 'up to 255 characters', 'cli')
    .action(({ application, name }: { application: number; name: string }, command: Command) =>
      administerApplication(command, application, async (context) => {
        const created = await createApiKey(application, name, context);
        return { value: pick(created, ['id', 'applicationId', 'name', 'key', 'createdAt']) };
      }),
    );

  key
    .command('list')
    .description('show API keys, the revoked ones too, but never the keys themselves')
    .addOption(applicationOption().makeOptionMandatory(false))
    .action(({ application }: { application?: number }, command: Command) =>
      application === undefined
        ? administer(command, async () => listed(await listAllApiKeys()))
        : administerApplication(command, application, async () => listed(await listApiKeys(application))),
    );

  key
    .command('revoke')
    .description('refuse an API key from now on, and end what was opened with it')
    .argument('<id>', 'its id', wholeNumber)
    .addOption(applicationOption().makeOptionMandatory(false))
    .action((id: number, { application }: { application?: number }, command: Command) =>
      administer(command, async (administration) => {
        const { applicationId } = await findApiKey(id, application).catch(missing(`API key ${id}`));
        const revoked = await revokeApiKey(applicationId, id, administration).catch(
          missing(`API key ${id} that is not revoked`),
        );
        return { value: pick(revoked, FIELDS) };
      }),
    );
}

function listed(keys: ApiKey[]) {
  return { value: keys.map((key) => pick(key, FIELDS)), columns: FIELDS };
}
