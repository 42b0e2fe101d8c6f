import { ALL, DEVELOPER } from '../administration/administrators/rights.ts';
import type { ClassDefinition, ClassField } from '../resolvers/classes/catalogue.ts';
import { MAX_INDEXES } from '../resolvers/classes/compound-indexes.ts';
import { createClass } from '../resolvers/classes/create.ts';
import { MAX_FIELDS } from '../resolvers/classes/definition.ts';
import { deleteClass } from '../resolvers/classes/delete.ts';
import { findClass } from '../resolvers/classes/find.ts';
import { listClasses } from '../resolvers/classes/list.ts';
import { MAX_INDEXED_BYTES } from '../resolvers/classes/slots.ts';
import { updateClass } from '../resolvers/classes/update.ts';
import { MAX_RECORD_BYTES } from '../resolvers/records/changes.ts';
import { builder } from './builder.ts';
import { ClassIndexInput, ClassIndexType, IndexState } from './class-indexes.ts';
import { APPLICATION_ID, CLASS_NAME, CREATED_AT, grouped, UPDATED_AT } from './descriptions.ts';
import { granted, RecordPermissionInput } from './record-permissions.ts';

export const RecordFieldType = builder.enumType('RecordFieldType', {
  description: 'Type of the values of a field. Input is converted to it.',
  values: {
    INTEGER: { value: 'Integer', description: 'A whole number up to ±(2^53 − 1).' },
    FLOAT: { value: 'Float', description: 'A double-precision floating-point number.' },
    STRING: {
      value: 'String',
      description:
        `A text. At most ${grouped(MAX_INDEXED_BYTES)} bytes in UTF-8 if the field is unique or indexed; otherwise only the record size ` +
        `of ${grouped(MAX_RECORD_BYTES)} bytes limits it.`,
    },
    BOOLEAN: {
      value: 'Boolean',
      description: 'True or false. Input may also be 1, 0, `"1"`, `"0"`, `"true"`, `"false"` or `""`.',
    },
    DATE: {
      value: 'Date',
      description: 'A time with millisecond precision. Input is ISO 8601 or Unix seconds; output is ISO 8601.',
    },
    LOCATION: {
      value: 'Location',
      description:
        '`[latitude, longitude]` in degrees, for example `[52.52, 13.4]`. Input may also be `"52.52, 13.4"` or `{ ' +
        '"lat": 52.52, "lon": 13.4 }`.',
    },
    FILE: { value: 'File', description: 'A file, set by `uploadRecordFile` only; cannot be a list.' },
  } as const,
});

const PERMITTED = {
  create: 'Who may create records of the class.',
  read: 'Who may read new records that specify no permissions.',
  update: 'Who may update new records that specify no permissions.',
  delete: 'Who may delete new records that specify no permissions.',
};

export const ClassPermissionsInput = builder.inputType('ClassPermissionsInput', {
  description:
    'Permissions of a class. Defaults for a new class: `OPEN` for `create` and `read`, `OWNER` for `update` ' +
    'and `delete`.',
  fields: (t) => ({
    create: t.field({ type: RecordPermissionInput, description: PERMITTED.create }),
    read: t.field({ type: RecordPermissionInput, description: PERMITTED.read }),
    update: t.field({ type: RecordPermissionInput, description: PERMITTED.update }),
    delete: t.field({ type: RecordPermissionInput, description: PERMITTED.delete }),
  }),
});

const ClassPermissions = builder.objectRef<ClassDefinition>('ClassPermissions').implement({
  description:
    'Who may create records, and the default permissions of new records. Records copy the defaults at ' +
    'creation; only `NOT_ALLOWED` also applies to existing records.',
  fields: (t) => ({
    create: granted(t, 'creators', PERMITTED.create),
    read: granted(t, 'readers', PERMITTED.read),
    update: granted(t, 'updaters', PERMITTED.update),
    delete: granted(t, 'deleters', PERMITTED.delete),
  }),
});

const ClassFieldType = builder.objectRef<ClassField>('ClassField').implement({
  description: 'A field that records of a class can have.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name of the field in records, filters and orders.' }),
    type: t.expose('type', { type: RecordFieldType, description: 'Type of its values. Input is converted to it.' }),
    array: t.exposeBoolean('isArray', { description: 'Whether the field contains a list of values.' }),
    required: t.exposeBoolean('isRequired', {
      description: 'Whether creating or updating a record without a value fails with `UNPROCESSABLE`.',
    }),
    unique: t.exposeBoolean('isUnique', {
      description: 'Whether all records of the class must have different values.',
    }),
    index: t.expose('indexState', {
      type: IndexState,
      description:
        'State of the index, which keeps range filters and sorting by the field fast for any number of records.',
    }),
  }),
});

const RecordClass = builder.objectRef<ClassDefinition>('RecordClass').implement({
  description: 'A type of records that the application has defined.',
  fields: (t) => ({
    id: t.exposeID('id', { description: '24 hex digits. Operations identify a class by its name instead.' }),
    name: t.exposeString('name', { description: 'Name of the class, case-sensitive.' }),
    applicationId: t.exposeInt('applicationId', { description: APPLICATION_ID }),
    fields: t.field({
      type: [ClassFieldType],
      description: 'Fields in the order in which they were added.',
      resolve: ({ fields }) => [...fields.values()],
    }),
    indexes: t.field({
      type: [ClassIndexType],
      description: 'Compound indexes. The indexes of single fields are properties of the fields.',
      resolve: ({ indexes }) => [...indexes],
    }),
    permissions: t.field({
      type: ClassPermissions,
      description: 'Who may create, read, update and delete its records.',
      resolve: (definition) => definition,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: CREATED_AT }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: UPDATED_AT }),
  }),
});

const ClassFieldInput = builder.inputType('ClassFieldInput', {
  description:
    'A field to add or change. Omitted options of an existing field remain unchanged; defaults are for new fields.',
  fields: (t) => ({
    name: t.string({
      required: true,
      description:
        'Name of the field: a letter, then up to 49 letters, digits or `_`. Names such as `id`, `user_id` and ' +
        '`created_at` are reserved.',
    }),
    type: t.field({
      type: RecordFieldType,
      required: true,
      description: 'Type of its values. For an existing field it must equal the current type.',
    }),
    array: t.boolean({
      description: 'Whether the field contains a list of values. Cannot be changed later. Default: false.',
    }),
    required: t.boolean({
      description: 'Whether creating or updating a record without a value fails with `UNPROCESSABLE`. Default: false.',
    }),
    unique: t.boolean({
      description:
        'Whether all records must have different values. Not for lists, locations and files. Default: false.',
    }),
    index: t.boolean({
      description:
        'Whether to index the field, which keeps range filters and sorting fast for any number of records. A ' +
        'class can index 8 numbers, dates and booleans, 8 strings and 2 locations. Equality filters and filters ' +
        'on lists are fast without an index. Default: false.',
    }),
  }),
});

const INDEXES = `Compound indexes, at most ${MAX_INDEXES}. Indexes of existing records are built in the background.`;

const CreateClassInput = builder.inputType('CreateClassInput', {
  description: 'Name, fields and permissions of a new class.',
  fields: (t) => ({
    name: t.string({
      required: true,
      description:
        'Name of the class: a letter, then up to 49 letters, digits or `_`. It must be unique in the application.',
    }),
    fields: t.field({
      type: [ClassFieldInput],
      description: `Fields of the class, in the order in which records list them; at most ${MAX_FIELDS}.`,
    }),
    indexes: t.field({ type: [ClassIndexInput], description: `${INDEXES} Default: none.` }),
    permissions: t.field({
      type: ClassPermissionsInput,
      description: 'Permissions of the class. Default: see `ClassPermissionsInput`.',
    }),
  }),
});

const UpdateClassInput = builder.inputType('UpdateClassInput', {
  description: 'Changes to a class. Fields that are not listed remain unchanged; fields cannot be removed.',
  fields: (t) => ({
    fields: t.field({
      type: [ClassFieldInput],
      description: `Fields to add or change; at most ${MAX_FIELDS} fields per class.`,
    }),
    indexes: t.field({
      type: [ClassIndexInput],
      description: `${INDEXES} They replace the current ones; an empty list removes all. Default: unchanged.`,
    }),
    permissions: t.field({
      type: ClassPermissionsInput,
      description:
        'Permissions to replace. Omitted permissions remain unchanged. Existing records keep their permissions.',
    }),
  }),
});

builder.queryField('classes', (t) =>
  t.withAuth({ key: true }).field({
    scope: 'classes',
    administrator: { roles: ALL },
    type: [RecordClass],
    description: 'All classes of the application, sorted by name.',
    resolve: (_root, _args, context) => listClasses(context),
  }),
);

builder.queryField('class', (t) =>
  t.withAuth({ key: true }).field({
    scope: 'classes',
    administrator: { roles: ALL },
    type: RecordClass,
    description: 'One class of the application.',
    args: { name: t.arg.string({ required: true, description: CLASS_NAME }) },
    resolve: (_root, { name }, context) => findClass(name, context),
  }),
);

builder.mutationField('createClass', (t) =>
  t.withAuth({ key: true }).field({
    scope: 'classes',
    administrator: { roles: DEVELOPER },
    type: RecordClass,
    description:
      "Creates a class and adds types and operations for it to the application's GraphQL schema; this applies " +
      'to the 200 oldest classes. An invalid or used name fails with `UNPROCESSABLE`.',
    args: {
      input: t.arg({
        type: CreateClassInput,
        required: true,
        description: 'Name, fields and permissions of the class.',
      }),
    },
    resolve: (_root, { input }, context) => createClass(input, context),
  }),
);

builder.mutationField('updateClass', (t) =>
  t.withAuth({ key: true }).field({
    scope: 'classes',
    administrator: { roles: DEVELOPER, isConfirmed: true, harmlessMembers: ['fields', 'indexes'] },
    type: RecordClass,
    description:
      'Adds or changes fields, and replaces permissions. Existing records are indexed in the background. Fails ' +
      'with `UNPROCESSABLE` if existing values are not unique, or too long for an index.',
    args: {
      name: t.arg.string({ required: true, description: CLASS_NAME }),
      input: t.arg({ type: UpdateClassInput, required: true, description: 'Fields and permissions to add or change.' }),
    },
    resolve: (_root, { name, input }, context) => updateClass(name, input, context),
  }),
);

builder.mutationField('deleteClass', (t) =>
  t.withAuth({ key: true }).boolean({
    scope: 'classes',
    administrator: { roles: DEVELOPER, isConfirmed: true },
    description:
      'Deletes a class and its records, and returns true. The records disappear immediately; their storage is ' +
      'freed in the background.',
    args: { name: t.arg.string({ required: true, description: CLASS_NAME }) },
    resolve: (_root, { name }, context) => deleteClass(name, context),
  }),
);
