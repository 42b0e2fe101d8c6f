import { type Command, Option } from 'commander';
import type { Application } from '../../generated/prisma/client.ts';
import { createApplication } from '../../resolvers/applications/create.ts';
import { DELETED, deleteApplication, MOVED } from '../../resolvers/applications/delete.ts';
import { findApplication } from '../../resolvers/applications/find.ts';
import { listApplications } from '../../resolvers/applications/list.ts';
import {
  type ApplicationChanges,
  NULLABLE_SETTINGS,
  SETTINGS,
  type SettingName,
} from '../../resolvers/applications/rules.ts';
import { rotateApplicationSecret } from '../../resolvers/applications/secret.ts';
import { updateApplication } from '../../resolvers/applications/update.ts';
import { moveApplication } from '../move/move.ts';
import { administer, administerApplication, missing } from './administer.ts';
import { pick } from './answer.ts';
import { confirm, yesOption } from './confirm.ts';
import { switchOption, wholeNumber } from './options.ts';
import { createProgress } from './progress.ts';

const FIELDS = ['id', 'authKey', ...SETTINGS, 'createdAt', 'updatedAt'] as const;

const COLUMNS = ['id', 'name', 'authKey', 'createdAt'];

const STEPS = { copying: 'rows copied', switching: 'rows copied while writes wait', removing: 'removing the old rows' };

const BEING_MOVED = 'unfinished: repeat the move';
const UNFINISHED_IMPORT = 'unfinished: repeat the import, or run discard-import';
const BEING_DELETED = 'the service is deleting the application';

/** `false`: of a `--no-…` option. */
type SetOptions = { [Name in SettingName]?: NonNullable<ApplicationChanges[Name]> | false };

export function addApplicationCommands(program: Command): void {
  const app = program.command('app').description('manage applications');

  app
    .command('create')
    .description('create an application with one API key; its secrets are shown only once')
    .requiredOption('--name <name>', 'at most 255 characters')
    .option('--id <id>', 'id of the application (default: the next free id)', wholeNumber)
    .action((input: { name: string; id?: number }, command: Command) =>
      administer(command, async (services) => ({ value: await createApplication(input, services) }), {
        mayCreate: true,
      }),
    );

  app
    .command('list')
    .description('list all applications')
    .action((_options, command: Command) =>
      administer(command, async () => {
        const applications = (await listApplications()).map(present);
        const columns = applications.some((one) => 'import' in one) ? [...COLUMNS, 'import'] : COLUMNS;
        return { value: applications, columns };
      }),
    );

  app
    .command('show')
    .description('show an application and its settings')
    .argument('<id>', 'id of the application', wholeNumber)
    .action((id: number, _options, command: Command) =>
      administer(command, async () => ({
        value: present(await findApplication(id).catch(missing(`application ${id}`))),
      })),
    );

  app
    .command('rotate-secret')
    .description('replace the auth secret of an application; requests signed with the old one fail')
    .argument('<id>', 'id of the application', wholeNumber)
    .action((id: number, _options, command: Command) =>
      administerApplication(command, id, async (context) => ({
        value: { id, authSecret: await rotateApplicationSecret(id, context.viewer, context) },
      })),
    );

  app
    .command('move')
    .description('move an application to another database while it is used; repeat the command to resume')
    .argument('<id>', 'id of the application', wholeNumber)
    .requiredOption('--to <database>', 'number of the database, from 0', wholeNumber)
    .action((id: number, { to }: { to: number }, command: Command) =>
      administer(command, async ({ outbox }, databases) => {
        const progress = createProgress();
        try {
          const { from } = await moveApplication({
            databases,
            applicationId: id,
            to,
            onStep: (step) => progress.begin(STEPS[step]),
            onRows: (count) => progress.advance(count),
            wake: () => outbox.wake(),
          });
          return { value: { id, from, to } };
        } finally {
          progress.end();
        }
      }),
    );

  app
    .command('delete')
    .description('delete an application with all its data; the service removes rows and files within minutes')
    .argument('<id>', 'id of the application', wholeNumber)
    .addOption(yesOption())
    .action(async (id: number, options: { yes?: boolean }, command: Command) => {
      await confirm(`Delete application ${id} with all its users, dialogs, records and files?`, options);
      return administerApplication(command, id, async (context) => {
        await deleteApplication(id, context.viewer, context);
        return { value: { id, deleted: true } };
      });
    });

  app
    .command('set')
    .description('change settings of an application; they apply from the next request on')
    .argument('<id>', 'id of the application', wholeNumber)
    .option('--name <name>', 'at most 255 characters')
    .addOption(
      new Option('--signature-hash <hash>', 'hash algorithm of session signatures').choices([
        'sha1',
        'sha256',
      ] as const),
    )
    .addOption(switchOption('public-sign-in', 'clients may open sessions with the id of the application, unsigned'))
    .addOption(switchOption('users-list', 'sessions may list the users'))
    .addOption(
      new Option(
        '--groups <tags>',
        'user tags that count in permissions: granted (set by an API key) or self (all)',
      ).choices(['granted', 'self'] as const),
    )
    .addOption(
      new Option('--files-by-number <readers>', 'who may read a private file by its number').choices([
        'owner',
        'session',
      ] as const),
    )
    .addOption(switchOption('password-reset', 'users may request mails to reset their password'))
    .option('--app-url <url>', 'address of the app, to which the page of a password reset links back')
    .option('--no-app-url', 'show no link to the app')
    .addOption(
      switchOption(
        'strict-credential-changes',
        'REST clients must send the old password, or have signed in within 10 minutes, to change e-mail, phone or login',
      ),
    )
    .addOption(switchOption('chat-pushes', 'send pushes of messages to offline occupants'))
    .option('--session-minutes <minutes>', 'lifetime of sessions, including open ones', wholeNumber)
    .option('--no-session-minutes', 'use the lifetime of the service (SESSION_MINUTES)')
    .addOption(
      new Option(
        '--phone-matching <how>',
        'how contacts match users: identical text, or the same number (e164)',
      ).choices(['identical', 'e164'] as const),
    )
    .option('--phone-region <country>', 'ISO country of phone numbers without country code, for example GB')
    .option('--no-phone-region', 'phone numbers without country code match only identical text')
    .addOption(switchOption('answer-assist', 'assistants may suggest answers'))
    .addOption(switchOption('summarize', 'assistants may summarize dialogs'))
    .addOption(switchOption('translate', 'assistants may translate'))
    .addOption(switchOption('gateway', 'clients may pass conversations to assistants unchanged'))
    .option('--ai-daily-tokens <count>', 'model tokens per user and day', wholeNumber)
    .action((id: number, options: SetOptions, command: Command) => {
      const changes = Object.fromEntries(
        Object.entries(options).map(([name, value]) => [
          name,
          value === false && NULLABLE_SETTINGS.includes(name as SettingName) ? null : value,
        ]),
      ) as ApplicationChanges;
      if (Object.keys(changes).length === 0) command.error('specify at least one setting');
      return administerApplication(command, id, async (context) => ({
        value: present(await updateApplication(changes, context)),
      }));
    });
}

function present(application: Application) {
  return { ...pick(application, FIELDS), ...noteOf(application) };
}

function noteOf({ importId }: Application): { import?: string } {
  if (importId === null) return {};
  if (importId === MOVED) return { import: BEING_MOVED };
  return { import: importId === DELETED ? BEING_DELETED : UNFINISHED_IMPORT };
}
