import type { Command } from 'commander';
import type { Assistant } from '../../generated/prisma/client.ts';
import {
  changeAssistant,
  deleteAssistant,
  listAssistants,
  type NewAssistant,
  storeAssistant,
} from '../../resolvers/ai/assistants.ts';
import { administerApplication, missing } from './administer.ts';
import { applicationOption, clearable } from './options.ts';

interface Application {
  application: number;
}

type SetOptions = Application & Partial<Omit<NewAssistant, 'apiKey'>> & { apiKey?: string | false };

export function addAssistantCommands(program: Command): void {
  const assistant = program.command('assistant').description('manage assistants: models with OpenAI-compatible APIs');

  assistant
    .command('create')
    .description('create an assistant; REST requests pass its id as smart_chat_assistant_id')
    .addOption(applicationOption())
    .requiredOption('--name <name>', 'at most 255 characters')
    .requiredOption('--base-url <url>', 'base URL, to which /chat/completions is appended; may be inside your network')
    .requiredOption('--model <model>', 'name of the model at that API')
    .option('--api-key <key>', 'API key for the model; stored encrypted')
    .option('--instructions <text>', 'instructions that precede every prompt')
    .action(({ application, ...input }: Application & NewAssistant, command: Command) =>
      administerApplication(command, application, async (context) => {
        const { id } = await storeAssistant({ ...input, applicationId: application, isTrusted: true }, context);
        return { value: { id } };
      }),
    );

  assistant
    .command('list')
    .description('list the assistants of an application')
    .addOption(applicationOption())
    .action(({ application }: Application, command: Command) =>
      administerApplication(command, application, async () => ({
        value: (await listAssistants(application)).map(present),
        columns: ['id', 'name', 'baseUrl', 'model', 'hasApiKey'],
      })),
    );

  assistant
    .command('set')
    .description('change an assistant; a new base URL removes the API key, unless a new one is specified')
    .argument('<id>', 'id of the assistant')
    .addOption(applicationOption())
    .option('--name <name>', 'at most 255 characters')
    .option('--base-url <url>', 'base URL, to which /chat/completions is appended; may be inside your network')
    .option('--model <model>', 'name of the model at that API')
    .option('--api-key <key>', 'API key for the model; stored encrypted')
    .option('--no-api-key', 'send no API key')
    .option('--instructions <text>', 'instructions that precede every prompt')
    .action((id: string, { application, apiKey, ...options }: SetOptions, command: Command) => {
      const changes = { ...options, apiKey: clearable(apiKey) };
      if (Object.values(changes).every((change) => change === undefined)) command.error('specify at least one change');
      return administerApplication(command, application, async (context) => {
        const changed = changeAssistant(id, { ...changes, applicationId: application, isTrusted: true }, context);
        return { value: present(await changed.catch(missing(`assistant ${id}`))) };
      });
    });

  assistant
    .command('delete')
    .description('delete an assistant')
    .argument('<id>', 'id of the assistant')
    .addOption(applicationOption())
    .action((id: string, { application }: Application, command: Command) =>
      administerApplication(command, application, async (context) => {
        await deleteAssistant(id, context).catch(missing(`assistant ${id}`));
        return { value: { deleted: id } };
      }),
    );
}

function present({ id, name, baseUrl, model, encryptedApiKey, instructions, createdAt, updatedAt }: Assistant) {
  return { id, name, baseUrl, model, hasApiKey: encryptedApiKey !== null, instructions, createdAt, updatedAt };
}
