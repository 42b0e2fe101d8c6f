import { type Command, InvalidArgumentError } from 'commander';
import type { ClassDefinition } from '../../resolvers/classes/catalogue.ts';
import { createClass } from '../../resolvers/classes/create.ts';
import type { FieldInput } from '../../resolvers/classes/definition.ts';
import { deleteClass } from '../../resolvers/classes/delete.ts';
import { readFieldType } from '../../resolvers/classes/field-notation.ts';
import { findClass } from '../../resolvers/classes/find.ts';
import { permissionOf } from '../../resolvers/classes/grants.ts';
import { listClasses } from '../../resolvers/classes/list.ts';
import { administerApplication } from './administer.ts';
import { applicationOption } from './options.ts';

const OPTIONS = ['required', 'unique', 'index'] as const;

interface Application {
  application: number;
}

export function addClassCommands(program: Command): void {
  const group = program.command('class').description('classes of records');

  group
    .command('create')
    .description('define a class: new records are open to read and may be changed by their owner')
    .addOption(applicationOption())
    .requiredOption('--name <name>', 'a letter, then up to 49 letters, digits and _')
    .option('--field <name:Type[:options]>', 'as make:String:required,unique,index or tags:String_a', addField)
    .addHelpText(
      'after',
      '\nTypes: Integer, Float, String, Boolean, Date, Location, File; but for File, _a behind it makes a list.',
    )
    .action(({ application, name, field }: Application & { name: string; field?: FieldInput[] }, command: Command) =>
      administerApplication(command, application, async (context) => ({
        value: present(await createClass({ name, fields: field }, context)),
      })),
    );

  group
    .command('list')
    .description('show the classes of an application')
    .addOption(applicationOption())
    .action(({ application }: Application, command: Command) =>
      administerApplication(command, application, async (context) => ({
        value: (await listClasses(context)).map(present),
        columns: ['id', 'name', 'fields', 'createdAt'],
      })),
    );

  group
    .command('show')
    .description('show a class with its fields')
    .addOption(applicationOption())
    .argument('<name>', 'its name')
    .action((name: string, { application }: Application, command: Command) =>
      administerApplication(command, application, async (context) => ({
        value: present(await findClass(name, context)),
      })),
    );

  group
    .command('delete')
    .description('delete a class with its records')
    .addOption(applicationOption())
    .argument('<name>', 'its name')
    .action((name: string, { application }: Application, command: Command) =>
      administerApplication(command, application, async (context) => {
        await deleteClass(name, context);
        return { value: { deleted: name } };
      }),
    );
}

/** `make:String:required,index`, added to the fields before it. */
function addField(text: string, before: FieldInput[] = []): FieldInput[] {
  const [name = '', type = '', options = '', ...more] = text.split(':');
  const read = readFieldType(type);
  const wanted = options === '' ? [] : options.split(',');
  const unknown = wanted.find((option) => !(OPTIONS as readonly string[]).includes(option));
  if (!read) throw new InvalidArgumentError('It should be a name and a type, as make:String.');
  if (unknown !== undefined || more.length > 0) {
    throw new InvalidArgumentError(`Behind the type it should have nothing but ${OPTIONS.join(', ')}.`);
  }
  return [...before, { name, ...read, ...Object.fromEntries(wanted.map((option) => [option, true])) }];
}

/** As GraphQL shows it. */
function present({ id, name, applicationId, fields, createdAt, updatedAt, ...grants }: ClassDefinition) {
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
    permissions: {
      create: permissionOf(grants.creators),
      read: permissionOf(grants.readers),
      update: permissionOf(grants.updaters),
      delete: permissionOf(grants.deleters),
    },
  };
}
