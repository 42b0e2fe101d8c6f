import type { Command } from 'commander';
import type { Application } from '../../generated/prisma/client.ts';
import { createApplication } from '../../resolvers/applications/create.ts';
import { DELETED, deleteApplication, MOVED } from '../../resolvers/applications/delete.ts';
import { findApplication } from '../../resolvers/applications/find.ts';
import { listApplications } from '../../resolvers/applications/list.ts';
import { SETTINGS } from '../../resolvers/applications/rules.ts';
import { rotateApplicationSecret } from '../../resolvers/applications/secret.ts';
import { updateApplication } from '../../resolvers/applications/update.ts';
import { moveApplication } from '../move/move.ts';
import { administer, administerApplication, missing } from './administer.ts';
import { pick } from './answer.ts';
import { confirm, yesOption } from './confirm.ts';
import { wholeNumber } from './options.ts';
import { createProgress } from './progress.ts';
import { changesOf, settingOptions } from './setting-options.ts';

const FIELDS = ['id', 'authKey', ...SETTINGS, 'createdAt', 'updatedAt'] as const;

const COLUMNS = ['id', 'name', 'authKey', 'createdAt'];

const STEPS = { copying: 'rows copied', switching: 'rows copied while writes wait', removing: 'removing the old rows' };

const BEING_MOVED = 'unfinished: repeat the move';
const UNFINISHED_IMPORT = 'unfinished: repeat the import, or run discard-import';
const BEING_DELETED = 'the service is deleting the application';

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

  const set = app
    .command('set')
    .description('change settings of an application; they apply from the next request on')
    .argument('<id>', 'id of the application', wholeNumber);
  for (const option of settingOptions()) set.addOption(option);
  set.action((id: number, options: Record<string, unknown>, command: Command) => {
    const changes = changesOf(options);
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
