import { type Command, Option } from 'commander';
import type {
  Application,
  FilesByNumber,
  GroupTags,
  PhoneMatching,
  SignatureHash,
} from '../../generated/prisma/client.ts';
import { createApplication } from '../../resolvers/applications/create.ts';
import { findApplication } from '../../resolvers/applications/find.ts';
import { listApplications } from '../../resolvers/applications/list.ts';
import { updateApplication } from '../../resolvers/applications/update.ts';
import { administer, missing } from './administer.ts';
import { pick } from './answer.ts';
import { clearable, switchOption, wholeNumber } from './options.ts';

/** What is shown of an application; its secret is not. */
const FIELDS = [
  'id',
  'name',
  'authKey',
  'signatureHash',
  'usersList',
  'groups',
  'filesByNumber',
  'passwordReset',
  'strictCredentialChanges',
  'chatPushes',
  'sessionMinutes',
  'phoneMatching',
  'phoneRegion',
  'answerAssist',
  'summarize',
  'translate',
  'gateway',
  'aiDailyTokens',
  'createdAt',
  'updatedAt',
] as const;

const COLUMNS = ['id', 'name', 'authKey', 'createdAt'];

/** Of an application that nobody can reach yet. */
const HALF_DONE = 'half done: go on with import, or discard-import';

interface SetOptions {
  name?: string;
  signatureHash?: SignatureHash;
  usersList?: boolean;
  groups?: GroupTags;
  filesByNumber?: FilesByNumber;
  passwordReset?: boolean;
  strictCredentialChanges?: boolean;
  chatPushes?: boolean;
  sessionMinutes?: number | false;
  phoneMatching?: PhoneMatching;
  phoneRegion?: string | false;
  answerAssist?: boolean;
  summarize?: boolean;
  translate?: boolean;
  gateway?: boolean;
  aiDailyTokens?: number;
}

export function addApplicationCommands(program: Command): void {
  const app = program.command('app').description('applications');

  app
    .command('create')
    .description('make an application with one API key; its secrets are shown this once')
    .requiredOption('--name <name>', 'up to 255 characters')
    .option('--id <id>', 'a free one; the next, unless it is given', wholeNumber)
    .action((input: { name: string; id?: number }, command: Command) =>
      administer(command, async (administration) => ({ value: await createApplication(input, administration) })),
    );

  app
    .command('list')
    .description('show all applications')
    .action((_options, command: Command) =>
      administer(command, async () => {
        const applications = (await listApplications()).map(present);
        const columns = applications.some((one) => 'import' in one) ? [...COLUMNS, 'import'] : COLUMNS;
        return { value: applications, columns };
      }),
    );

  app
    .command('show')
    .description('show an application with its settings')
    .argument('<id>', 'its id', wholeNumber)
    .action((id: number, _options, command: Command) =>
      administer(command, async () => ({
        value: present(await findApplication(id).catch(missing(`application ${id}`))),
      })),
    );

  app
    .command('set')
    .description('change settings of an application from the next request on')
    .argument('<id>', 'its id', wholeNumber)
    .option('--name <name>', 'up to 255 characters')
    .addOption(
      new Option('--signature-hash <hash>', 'what sessions are signed with').choices(['sha1', 'sha256'] as const),
    )
    .addOption(switchOption('users-list', 'sessions may list its users'))
    .addOption(
      new Option('--groups <tags>', 'the tags that count in permissions: those that API keys set, or all').choices([
        'granted',
        'self',
      ] as const),
    )
    .addOption(
      new Option('--files-by-number <readers>', 'who reads a private file by its number').choices([
        'owner',
        'session',
      ] as const),
    )
    .addOption(switchOption('password-reset', 'users may have mails sent by which they set a new password'))
    .addOption(
      switchOption('strict-credential-changes', 'REST clients need the old password to change e-mail, phone or login'),
    )
    .addOption(switchOption('chat-pushes', 'offline occupants get pushes of messages'))
    .option('--session-minutes <minutes>', 'lifetime of its sessions, of open ones too', wholeNumber)
    .option('--no-session-minutes', "the service's own lifetime")
    .addOption(
      new Option('--phone-matching <how>', 'how contacts find users: the same text, or the same number').choices([
        'identical',
        'e164',
      ] as const),
    )
    .option('--phone-region <country>', 'ISO country of numbers without country code, as GB')
    .option('--no-phone-region', 'numbers without country code match only themselves')
    .addOption(switchOption('answer-assist', 'assistants propose answers'))
    .addOption(switchOption('summarize', 'assistants summarize dialogs'))
    .addOption(switchOption('translate', 'assistants translate'))
    .addOption(switchOption('gateway', 'assistants take conversations as they are'))
    .option('--ai-daily-tokens <count>', 'tokens of models that each user may use up in a day', wholeNumber)
    .action((id: number, { sessionMinutes, phoneRegion, ...options }: SetOptions, command: Command) => {
      const changes = {
        ...options,
        sessionMinutes: clearable(sessionMinutes),
        phoneRegion: clearable(phoneRegion),
      };
      if (Object.values(changes).every((change) => change === undefined)) command.error('no setting is given');
      return administer(command, async (administration) => ({
        value: present(await updateApplication(id, changes, administration).catch(missing(`application ${id}`))),
      }));
    });
}

function present(application: Application) {
  return { ...pick(application, FIELDS), ...(application.importId === null ? {} : { import: HALF_DONE }) };
}
