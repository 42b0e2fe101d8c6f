import { randomBytes } from 'node:crypto';
import type { Command } from 'commander';
import { deleteUser } from '../../resolvers/accounts/delete.ts';
import { listUserSessions } from '../../resolvers/sessions/list.ts';
import { createUser } from '../../resolvers/users/create.ts';
import { findUser } from '../../resolvers/users/find.ts';
import { listUsers } from '../../resolvers/users/list.ts';
import { blockEverywhere, endUserSessions, unblockEverywhere } from '../../resolvers/users/moderation.ts';
import { proveUsers } from '../../resolvers/users/prove.ts';
import { updateUser } from '../../resolvers/users/update.ts';
import { administerApplication, missing } from './administer.ts';
import { pick } from './answer.ts';
import { confirm, yesOption } from './confirm.ts';
import { applicationOption, readNamedFile, wholeNumber } from './options.ts';

interface Options {
  application: number;
  all?: boolean;
}

interface Listing extends Options {
  search?: string;
  tag?: string;
  after?: number;
  first?: number;
}

interface PasswordOptions extends Options {
  passwordFile?: string;
}

interface NewUser extends PasswordOptions {
  login?: string;
  email?: string;
  fullName?: string;
  phone?: string;
  tag?: string[];
}

const FIELDS = ['id', 'login', 'email', 'fullName', 'createdAt', 'blockedAt'] as const;
const ALL_FIELDS = [
  ...FIELDS,
  'phone',
  'website',
  'externalUserId',
  'facebookId',
  'twitterId',
  'tags',
  'grantedTags',
  'customData',
  'updatedAt',
  'lastRequestAt',
] as const;

const PASSWORD_FILE = '--password-file <file>';
const PASSWORD = 'file with the password, 8 to 40 characters; default: generate one and print it';

export function addUserCommands(program: Command): void {
  const user = program.command('user').description('manage users');

  addReadingCommands(user);
  addWritingCommands(user);

  user
    .command('prove')
    .description('mark e-mail, phone and provider accounts of users as proven, so that they can sign in with them')
    .argument('[ids...]', 'ids of users', (text: string, ids: number[]) => [...ids, wholeNumber(text)], [])
    .addOption(applicationOption())
    .option('--all', 'all users of the application')
    .action((ids: number[], { application, all = false }: Options, command: Command) => {
      if (all === ids.length > 0) command.error('specify either ids or --all');
      return administerApplication(command, application, async (context) => ({
        value: { applicationId: application, users: await proveUsers(all ? undefined : ids, context) },
      }));
    });

  user
    .command('block')
    .description('end the sessions of a user and refuse later sign-ins')
    .argument('<id>', 'id of the user', wholeNumber)
    .addOption(applicationOption())
    .action((id: number, { application }: Options, command: Command) =>
      administerApplication(command, application, async (context) => ({
        value: pick(await blockEverywhere(id, context).catch(missing(`user ${id}`)), FIELDS),
      })),
    );

  user
    .command('unblock')
    .description('let a blocked user sign in again')
    .argument('<id>', 'id of the user', wholeNumber)
    .addOption(applicationOption())
    .action((id: number, { application }: Options, command: Command) =>
      administerApplication(command, application, async (context) => ({
        value: pick(await unblockEverywhere(id, context).catch(missing(`user ${id}`)), FIELDS),
      })),
    );

  user
    .command('end-sessions')
    .description('end all sessions of a user and close their connections')
    .argument('<id>', 'id of the user', wholeNumber)
    .addOption(applicationOption())
    .action((id: number, { application }: Options, command: Command) =>
      administerApplication(command, application, async (context) => ({
        value: { id, sessions: await endUserSessions(id, context).catch(missing(`user ${id}`)) },
      })),
    );
}

function addReadingCommands(user: Command): void {
  user
    .command('list')
    .description('list users by id')
    .addOption(applicationOption())
    .option('--search <text>', 'part of the login or name, or the complete email address')
    .option('--tag <tag>', 'only users with this tag')
    .option('--after <id>', 'only users with a greater id', wholeNumber)
    .option('--first <number>', 'length of the list, 1 to 100; default: 50', wholeNumber)
    .action(({ application, first, ...listing }: Listing, command: Command) =>
      administerApplication(command, application, async (context) => {
        const { edges } = await listUsers({ first, filter: filterOf(listing) }, new Set(), context);
        return { value: edges.map(({ node }) => pick(node, FIELDS)), columns: FIELDS };
      }),
    );

  user
    .command('show')
    .description('show a user and their open sessions')
    .argument('<id>', 'id of the user', wholeNumber)
    .addOption(applicationOption())
    .action((id: number, { application }: Options, command: Command) =>
      administerApplication(command, application, async (context) => {
        const { externalUserId, ...found } = await findUser(id, context).catch(missing(`user ${id}`));
        const number = externalUserId === null ? null : Number(externalUserId);
        const sessions = await listUserSessions(id, context);
        return { value: { ...pick({ ...found, externalUserId: number }, ALL_FIELDS), sessions } };
      }),
    );
}

function addWritingCommands(user: Command): void {
  user
    .command('create')
    .description('create a user; at least one of --login, --email and --phone is required')
    .addOption(applicationOption())
    .option('--login <login>', '3 to 40 characters')
    .option('--email <address>', 'email address; counts as proven')
    .option('--full-name <name>', 'at most 255 characters')
    .option('--phone <number>', 'phone number; counts as proven')
    .option('--tag <tag>', 'tag, which also counts for permissions; repeatable', addTag)
    .option(PASSWORD_FILE, PASSWORD)
    .action(async ({ application, passwordFile, tag: tags, ...input }: NewUser, command: Command) => {
      const { password, shown } = await readPassword(passwordFile);
      return administerApplication(command, application, async (context) => ({
        value: { ...pick(await createUser({ ...input, tags, password }, context), FIELDS), ...shown },
      }));
    });

  user
    .command('set-password')
    .description('replace the password of a user, end their sessions and remove their devices')
    .argument('<id>', 'id of the user', wholeNumber)
    .addOption(applicationOption())
    .option(PASSWORD_FILE, PASSWORD)
    .action(async (id: number, { application, passwordFile }: PasswordOptions, command: Command) => {
      const { password, shown } = await readPassword(passwordFile);
      return administerApplication(command, application, async (context) => ({
        value: { ...pick(await updateUser(id, { password }, context).catch(missing(`user ${id}`)), FIELDS), ...shown },
      }));
    });

  user
    .command('delete')
    .description('delete a user with their devices, locations, address book and reactions; messages remain')
    .argument('<id>', 'id of the user', wholeNumber)
    .addOption(applicationOption())
    .addOption(yesOption())
    .action(async (id: number, { application, ...options }: Options & { yes?: boolean }, command: Command) => {
      await confirm(`Delete user ${id} of application ${application}?`, options);
      return administerApplication(command, application, async (context) => {
        await deleteUser(id, context).catch(missing(`user ${id}`));
        return { value: { id, deleted: true } };
      });
    });
}

function filterOf({ search, tag, after }: Omit<Listing, 'application'>) {
  const contains = { contains: search };
  return {
    ...(search !== undefined && { or: [{ login: contains }, { fullName: contains }, { email: { eq: search } }] }),
    ...(tag !== undefined && { tags: { in: [tag] } }),
    ...(after !== undefined && { id: { gt: after } }),
  };
}

function addTag(text: string, tags: string[] = []): string[] {
  return [...tags, text];
}

/** Passwords are not options, because other users of the machine see the command line. */
async function readPassword(file: string | undefined): Promise<{ password: string; shown: { password?: string } }> {
  if (file !== undefined) {
    return { password: (await readNamedFile('--password-file', file)).replace(/\r?\n$/, ''), shown: {} };
  }
  const password = randomBytes(15).toString('base64url');
  return { password, shown: { password } };
}
