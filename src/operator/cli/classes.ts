import { type Command, InvalidArgumentError } from 'commander';
import type { ClassDefinition } from '../../resolvers/classes/catalogue.ts';
import type { IndexInput } from '../../resolvers/classes/compound-indexes.ts';
import { createClass } from '../../resolvers/classes/create.ts';
import type { FieldInput } from '../../resolvers/classes/definition.ts';
import { deleteClass } from '../../resolvers/classes/delete.ts';
import { readFieldType } from '../../resolvers/classes/field-notation.ts';
import { findClass } from '../../resolvers/classes/find.ts';
import { type Permission, permissionOf } from '../../resolvers/classes/grants.ts';
import { listClasses } from '../../resolvers/classes/list.ts';
import type { ClassPermissions } from '../../resolvers/classes/rules.ts';
import { updateClass } from '../../resolvers/classes/update.ts';
import { explainRecords } from '../../resolvers/records/explain.ts';
import type { RecordOrder } from '../../resolvers/records/order.ts';
import { administerApplication } from './administer.ts';
import { confirm, yesOption } from './confirm.ts';
import { applicationOption, wholeNumber } from './options.ts';

const OPTIONS = ['required', 'unique', 'index'] as const;

interface Application {
  application: number;
}

type ClassAction = keyof ClassPermissions;

const OPERATIONS: Record<ClassAction, string> = {
  create: 'create records',
  read: 'read records, unless the record says otherwise',
  update: 'change records, unless the record says otherwise',
  delete: 'delete records, unless the record says otherwise',
};

interface ClassChanges extends Application, Record<ClassAction, Permission | undefined> {
  field?: FieldInput[];
}

interface NewClass extends ClassChanges {
  name: string;
  index?: IndexInput[];
}

export function addClassCommands(program: Command): void {
  const group = program.command('class').description('manage classes of records');

  const create = group
    .command('create')
    .description('create a class; by default, all callers may read its records, and owners may change theirs')
    .addOption(applicationOption())
    .requiredOption('--name <name>', 'a letter, followed by at most 49 letters, digits or _');
  addChangeOptions(create)
    .option(
      '--index <field,field[:unique]>',
      'compound index of two or three fields, for example make,price; repeatable',
      addIndex,
    )
    .action(({ application, name, field, index, ...options }: NewClass, command: Command) =>
      administerApplication(command, application, async (context) => {
        const permissions = permissionsIn(options);
        return { value: present(await createClass({ name, fields: field, indexes: index, permissions }, context)) };
      }),
    );

  const set = group
    .command('set')
    .description('add fields to a class, change their options, or change its permissions')
    .addOption(applicationOption())
    .argument('<name>', 'name of the class');
  addChangeOptions(set).action((name: string, { application, field, ...options }: ClassChanges, command: Command) => {
    const permissions = permissionsIn(options);
    if (!field && Object.keys(permissions).length === 0) command.error('specify at least one change');
    return administerApplication(command, application, async (context) => ({
      value: present(await updateClass(name, { fields: field, permissions }, context)),
    }));
  });

  group
    .command('index')
    .description('replace the compound indexes of a class; without --index, remove them')
    .addOption(applicationOption())
    .argument('<name>', 'name of the class')
    .option('--index <field,field[:unique]>', 'two or three fields, for example make,price; repeatable', addIndex)
    .action((name: string, { application, index = [] }: Application & { index?: IndexInput[] }, command: Command) =>
      administerApplication(command, application, async (context) => ({
        value: present(await updateClass(name, { indexes: index }, context)),
      })),
    );

  group
    .command('list')
    .description('list the classes of an application')
    .addOption(applicationOption())
    .action(({ application }: Application, command: Command) =>
      administerApplication(command, application, async (context) => ({
        value: (await listClasses(context)).map(present),
        columns: ['id', 'name', 'fields', 'createdAt'],
      })),
    );

  group
    .command('show')
    .description('show a class and its fields')
    .addOption(applicationOption())
    .argument('<name>', 'name of the class')
    .action((name: string, { application }: Application, command: Command) =>
      administerApplication(command, application, async (context) => ({
        value: present(await findClass(name, context)),
      })),
    );

  group
    .command('explain')
    .description('show which indexes a list of records uses, how many rows it reads, and which index would help')
    .addOption(applicationOption())
    .argument('<name>', 'name of the class')
    .option('--filter <json>', 'like `filter` of `records`, for example {"make":"Fiat"}', readJson)
    .option('--sort <field[:desc]>', 'field that sorts the list; default: by id', readOrder)
    .option('--first <number>', 'length of the list, 1 to 100; default: 50', wholeNumber)
    .action((name: string, { application, filter, sort, first }: Listing, command: Command) =>
      administerApplication(command, application, async (context) => ({
        value: await explainRecords({ className: name, filter, orderBy: sort, first }, context),
      })),
    );

  group
    .command('delete')
    .description('delete a class and its records')
    .addOption(applicationOption())
    .argument('<name>', 'name of the class')
    .addOption(yesOption())
    .action(async (name: string, { application, ...options }: Application & { yes?: boolean }, command: Command) => {
      await confirm(`Delete the class ${name} of application ${application} with all its records?`, options);
      return administerApplication(command, application, async (context) => {
        await deleteClass(name, context);
        return { value: { deleted: name } };
      });
    });
}

function addChangeOptions(command: Command): Command {
  command.option(
    '--field <name:Type[:options]>',
    'for example make:String:required,unique,index or tags:String_a; repeatable',
    addField,
  );
  for (const [operation, what] of Object.entries(OPERATIONS)) {
    command.option(`--${operation} <access>`, `who may ${what}`, readPermission);
  }
  return command.addHelpText(
    'after',
    '\nTypes: Integer, Float, String, Boolean, Date, Location, File. Append _a for an array (not of File).\n' +
      'Access: open, owner, not_allowed (only API keys), users:1,2 or groups:drivers,admins.',
  );
}

function permissionsIn(options: Partial<Record<ClassAction, Permission | undefined>>): ClassPermissions {
  const given = (Object.keys(OPERATIONS) as ClassAction[]).filter((operation) => options[operation]);
  return Object.fromEntries(given.map((operation) => [operation, options[operation]]));
}

const SIMPLE_ACCESS = ['open', 'owner', 'not_allowed'] as const;

/** `groups:drivers,admins` */
function readPermission(text: string): Permission {
  const simple = SIMPLE_ACCESS.find((access) => access === text);
  if (simple) return { access: simple };
  const [, kind, names = ''] = /^(users|groups):(.+)$/.exec(text) ?? [];
  if (kind === 'users') return { access: 'open_for_users_ids', ids: names.split(',').map(wholeNumber) };
  if (kind === 'groups') return { access: 'open_for_groups', groups: names.split(',') };
  throw new InvalidArgumentError(`Expected ${SIMPLE_ACCESS.join(', ')}, users:1,2 or groups:drivers.`);
}

/** `make:String:required,index` */
function addField(text: string, before: FieldInput[] = []): FieldInput[] {
  const [name = '', type = '', options = '', ...more] = text.split(':');
  const read = readFieldType(type);
  const wanted = options === '' ? [] : options.split(',');
  const unknown = wanted.find((option) => !(OPTIONS as readonly string[]).includes(option));
  if (!read) throw new InvalidArgumentError('Expected a name and a type, for example make:String.');
  if (unknown !== undefined || more.length > 0) {
    throw new InvalidArgumentError(`Allowed after the type: ${OPTIONS.join(', ')}.`);
  }
  return [...before, { name, ...read, ...Object.fromEntries(wanted.map((option) => [option, true])) }];
}

interface Listing extends Application {
  filter?: unknown;
  sort?: RecordOrder;
  first?: number;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidArgumentError('Expected JSON, for example {"make":"Fiat"}.');
  }
}

/** `price:desc` */
function readOrder(text: string): RecordOrder {
  const [field = '', direction = 'asc', ...more] = text.split(':');
  if ((direction !== 'asc' && direction !== 'desc') || more.length > 0) {
    throw new InvalidArgumentError('Expected a field, for example price or price:desc.');
  }
  return { field, direction };
}

/** `make,price:unique` */
function addIndex(text: string, before: IndexInput[] = []): IndexInput[] {
  const [fields = '', option, ...more] = text.split(':');
  if ((option !== undefined && option !== 'unique') || more.length > 0) {
    throw new InvalidArgumentError('Allowed after the fields: unique.');
  }
  return [...before, { fields: fields.split(','), unique: option === 'unique' }];
}

function present({ id, name, applicationId, fields, indexes, createdAt, updatedAt, ...grants }: ClassDefinition) {
  return {
    id,
    name,
    applicationId,
    createdAt,
    updatedAt,
    fields: [...fields.values()].map((field) => ({
      name: field.name,
      type: field.type,
      array: field.isArray,
      required: field.isRequired,
      unique: field.isUnique,
      index: field.indexState,
    })),
    indexes: indexes.map(({ fields: names, isUnique, state }) => ({ fields: names, unique: isUnique, state })),
    permissions: {
      create: permissionOf(grants.creators),
      read: permissionOf(grants.readers),
      update: permissionOf(grants.updaters),
      delete: permissionOf(grants.deleters),
    },
  };
}
