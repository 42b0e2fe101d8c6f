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
  const assistant = program.command('assistant').description('models behind OpenAI-compatible APIs');

  assistant
    .command('create')
    .description('make an assistant; its id is the smart_chat_assistant_id')
    .addOption(applicationOption())
    .requiredOption('--name <name>', 'up to 255 characters')
    .requiredOption('--base-url <url>', 'to which /chat/completions is added; it may be inside your own network')
    .requiredOption('--model <model>', 'its name there')
    .option('--api-key <key>', 'what the API is shown; stored sealed')
    .option('--instructions <text>', 'what it is told to be, before all it is asked')
    .action(({ application, ...input }: Application & NewAssistant, command: Command) =>
      administerApplication(command, application, async (context) => {
        const { id } = await storeAssistant({ ...input, applicationId: application, isTrusted: true }, context);
        return { value: { id } };
      }),
    );

  assistant
    .command('list')
    .description('show the assistants of an application')
    .addOption(applicationOption())
    .action(({ application }: Application, command: Command) =>
      administerApplication(command, application, async () => ({
        value: (await listAssistants(application)).map(present),
        columns: ['id', 'name', 'baseUrl', 'model', 'hasApiKey'],
      })),
    );

  assistant
    .command('set')
    .description('change an assistant; with another address goes its API key, unless a new one is given')
    .argument('<id>', 'its id')
    .addOption(applicationOption())
    .option('--name <name>', 'up to 255 characters')
    .option('--base-url <url>', 'to which /chat/completions is added; it may be inside your own network')
    .option('--model <model>', 'its name there')
    .option('--api-key <key>', 'what the API is shown; stored sealed')
    .option('--no-api-key', 'show it no API key')
    .option('--instructions <text>', 'what it is told to be, before all it is asked')
    .action((id: string, { application, apiKey, ...options }: SetOptions, command: Command) => {
      const changes = { ...options, apiKey: clearable(apiKey) };
      if (Object.values(changes).every((change) => change === undefined)) command.error('no change is given');
      return administerApplication(command, application, async (context) => {
        const changed = changeAssistant(id, { ...changes, applicationId: application, isTrusted: true }, context);
        return { value: present(await changed.catch(missing(`assistant ${id}`))) };
      });
    });

  assistant
    .command('delete')
    .description('delete an assistant')
    .argument('<id>', 'its id')
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
