import { ACCESS_KINDS, type AccessKind, type Permission, permissionOf } from '../lib/grants.ts';
import type { ClassField, KnownClass } from '../resolvers/classes/catalogue.ts';
import { createClass, deleteClass, findClass, listClasses, updateClass } from '../resolvers/classes/index.ts';
import { builder } from './builder.ts';

export const RecordFieldType = builder.enumType('RecordFieldType', {
  values: {
    INTEGER: { value: 'Integer', description: 'A whole number up to ±(2^53 − 1).' },
    FLOAT: { value: 'Float' },
    STRING: { value: 'String' },
    BOOLEAN: { value: 'Boolean' },
    DATE: { value: 'Date', description: 'A moment.' },
    LOCATION: { value: 'Location', description: '`[latitude, longitude]` in degrees.' },
    FILE: { value: 'File', description: 'Set by a call of its own; never an array.' },
  } as const,
});

const RecordAccess = builder.enumType('RecordAccess', {
  values: Object.fromEntries(ACCESS_KINDS.map((kind) => [kind.toUpperCase(), { value: kind, ...describe(kind) }])) as {
    [Kind in AccessKind as Uppercase<Kind>]: { value: Kind };
  },
});

function describe(kind: AccessKind): { description?: string } {
  if (kind === 'owner') return { description: 'Their owner, who always may; of `create`: API keys alone.' };
  if (kind === 'not_allowed') return { description: 'API keys alone, whatever a record says; only of classes.' };
  return {};
}

export const RecordPermission = builder.objectRef<Permission>('RecordPermission').implement({
  description: 'Who may do something with a record.',
  fields: (t) => ({
    access: t.expose('access', { type: RecordAccess }),
    ids: t.intList({
      nullable: true,
      description: 'Users, of `OPEN_FOR_USERS_IDS`.',
      resolve: ({ ids }) => ids ?? null,
    }),
    groups: t.stringList({
      nullable: true,
      description: 'Tags of users, of `OPEN_FOR_GROUPS`.',
      resolve: ({ groups }) => groups ?? null,
    }),
  }),
});

export const RecordPermissionInput = builder.inputType('RecordPermissionInput', {
  fields: (t) => ({
    access: t.field({ type: RecordAccess, required: true }),
    ids: t.intList({ description: 'Users, with `OPEN_FOR_USERS_IDS`; up to 1,000.' }),
    groups: t.stringList({ description: 'Tags of users, with `OPEN_FOR_GROUPS`; up to 1,000.' }),
  }),
});

const ClassPermissionsInput = builder.inputType('ClassPermissionsInput', {
  description: 'Defaults: create and read open, update and delete for the owner.',
  fields: (t) => ({
    create: t.field({ type: RecordPermissionInput }),
    read: t.field({ type: RecordPermissionInput }),
    update: t.field({ type: RecordPermissionInput }),
    delete: t.field({ type: RecordPermissionInput }),
  }),
});

const ClassPermissions = builder.objectRef<KnownClass>('ClassPermissions').implement({
  description: 'Who may create records, and what records get that say nothing themselves.',
  fields: (t) => ({
    create: t.field({ type: RecordPermission, resolve: ({ creators }) => permissionOf(creators) }),
    read: t.field({ type: RecordPermission, resolve: ({ readers }) => permissionOf(readers) }),
    update: t.field({ type: RecordPermission, resolve: ({ updaters }) => permissionOf(updaters) }),
    delete: t.field({ type: RecordPermission, resolve: ({ deleters }) => permissionOf(deleters) }),
  }),
});

const IndexState = builder.enumType('IndexState', {
  values: {
    NONE: { value: 'none' },
    BUILDING: { value: 'building', description: 'Records of before are being added; it serves once it is ready.' },
    READY: { value: 'ready' },
    DROPPING: { value: 'dropping', description: 'It is being taken away.' },
  } as const,
});

const ClassFieldType = builder.objectRef<ClassField>('ClassField').implement({
  fields: (t) => ({
    name: t.exposeString('name'),
    type: t.expose('type', { type: RecordFieldType }),
    array: t.exposeBoolean('isArray'),
    required: t.exposeBoolean('isRequired', { description: 'Records are not stored without it.' }),
    unique: t.exposeBoolean('isUnique', { description: 'No two records of the class have the same value.' }),
    index: t.expose('indexState', {
      type: IndexState,
      description: 'Of an index, filters by range and sorting by the field stay fast however many records there are.',
    }),
  }),
});

const RecordClass = builder.objectRef<KnownClass>('RecordClass').implement({
  description: 'A kind of record that the application has defined.',
  fields: (t) => ({
    id: t.exposeID('id'),
    name: t.exposeString('name'),
    applicationId: t.exposeInt('applicationId'),
    fields: t.field({
      type: [ClassFieldType],
      description: 'In the order in which they were added.',
      resolve: ({ fields }) => [...fields.values()],
    }),
    permissions: t.field({ type: ClassPermissions, resolve: (known) => known }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime' }),
  }),
});

const ClassFieldInput = builder.inputType('ClassFieldInput', {
  description: 'A field to add. One that the class has already keeps what is left out.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'A letter, then up to 49 letters, digits and `_`.' }),
    type: t.field({ type: RecordFieldType, required: true }),
    array: t.boolean({ description: 'Holds several values.' }),
    required: t.boolean({ description: 'Records are not stored without it.' }),
    unique: t.boolean({ description: 'No two records of the class have the same value; not for arrays.' }),
    index: t.boolean({
      description:
        'Keeps filters by range and sorting by the field fast however many records there are: up to 8 numbers, dates ' +
        'and booleans, 8 strings and 2 locations of a class. What is equal, and what an array holds, is found fast anyway.',
    }),
  }),
});

const CreateClassInput = builder.inputType('CreateClassInput', {
  fields: (t) => ({
    name: t.string({ required: true, description: 'A letter, then up to 49 letters, digits and `_`.' }),
    fields: t.field({ type: [ClassFieldInput] }),
    permissions: t.field({ type: ClassPermissionsInput }),
  }),
});

const UpdateClassInput = builder.inputType('UpdateClassInput', {
  fields: (t) => ({
    fields: t.field({ type: [ClassFieldInput], description: 'To add, or whose options to change.' }),
    permissions: t.field({ type: ClassPermissionsInput, description: 'Replaces those that are given.' }),
  }),
});

// `class` and `classes` may be names of the application's own queries, but they may not take these away.
builder.queryField('classes', (t) =>
  t.withAuth({ key: true }).field({
    type: [RecordClass],
    description: "All classes of the key's application, by name.",
    resolve: (_root, _args, context) => listClasses(context),
  }),
);

builder.queryField('class', (t) =>
  t.withAuth({ key: true }).field({
    type: RecordClass,
    args: { name: t.arg.string({ required: true }) },
    resolve: (_root, { name }, context) => findClass(name, context),
  }),
);

builder.mutationField('createClass', (t) =>
  t.withAuth({ key: true }).field({
    type: RecordClass,
    description:
      "Defines a class; from then on the application's schema has types, queries and mutations of its own for it.",
    args: { input: t.arg({ type: CreateClassInput, required: true }) },
    resolve: (_root, { input }, context) => createClass(input, context),
  }),
);

builder.mutationField('updateClass', (t) =>
  t.withAuth({ key: true }).field({
    type: RecordClass,
    description:
      'Adds fields, changes their options, replaces permissions. Indexes of records that are there are made in the background.',
    args: { name: t.arg.string({ required: true }), input: t.arg({ type: UpdateClassInput, required: true }) },
    resolve: (_root, { name, input }, context) => updateClass(name, input, context),
  }),
);

builder.mutationField('deleteClass', (t) =>
  t.withAuth({ key: true }).boolean({
    description: 'Deletes a class with its records.',
    args: { name: t.arg.string({ required: true }) },
    resolve: (_root, { name }, context) => deleteClass(name, context),
  }),
);
