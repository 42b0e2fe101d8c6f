import type { ClassDefinition, ClassField } from '../resolvers/classes/catalogue.ts';
import { createClass } from '../resolvers/classes/create.ts';
import { deleteClass } from '../resolvers/classes/delete.ts';
import { findClass } from '../resolvers/classes/find.ts';
import { type AccessKind, type Permission, permissionOf } from '../resolvers/classes/grants.ts';
import { listClasses } from '../resolvers/classes/list.ts';
import { updateClass } from '../resolvers/classes/update.ts';
import { builder } from './builder.ts';
import { APPLICATION_ID, CLASS_NAME, CREATED_AT, UPDATED_AT } from './descriptions.ts';

export const RecordFieldType = builder.enumType('RecordFieldType', {
  description: 'What the values of a field are cast to.',
  values: {
    INTEGER: { value: 'Integer', description: 'A whole number up to ±(2^53 − 1).' },
    FLOAT: { value: 'Float', description: 'A number of double precision.' },
    STRING: { value: 'String', description: 'A text of any length that a request can carry.' },
    BOOLEAN: { value: 'Boolean', description: 'True or false.' },
    DATE: { value: 'Date', description: 'A moment.' },
    LOCATION: { value: 'Location', description: '`[latitude, longitude]` in degrees.' },
    FILE: { value: 'File', description: 'Set by a call of its own; never an array.' },
  } as const,
});

const RecordAccess = builder.enumType('RecordAccess', {
  description: 'Whom something is open for.',
  values: {
    OPEN: { value: 'open', description: 'Every user; to read, application sessions too.' },
    OWNER: { value: 'owner', description: 'Their owner, who always may; of `create`: API keys alone.' },
    OPEN_FOR_USERS_IDS: { value: 'open_for_users_ids', description: 'The users whom `ids` lists.' },
    OPEN_FOR_GROUPS: {
      value: 'open_for_groups',
      description: 'Users who have one of the tags in `groups` at that moment.',
    },
    NOT_ALLOWED: { value: 'not_allowed', description: 'API keys alone, whatever a record says; only of classes.' },
  } as const satisfies Record<Uppercase<AccessKind>, { value: AccessKind; description: string }>,
});

export const RecordPermission = builder.objectRef<Permission>('RecordPermission').implement({
  description: 'Who may do something with a record.',
  fields: (t) => ({
    access: t.expose('access', { type: RecordAccess, description: 'Whom it is open for, beside owners and API keys.' }),
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
  description: 'Who is to be able to do something with a record.',
  fields: (t) => ({
    access: t.field({
      type: RecordAccess,
      required: true,
      description: 'Whom it is open for, beside owners and API keys.',
    }),
    ids: t.intList({ description: 'Users, with `OPEN_FOR_USERS_IDS`; up to 1,000.' }),
    groups: t.stringList({ description: 'Tags of users, with `OPEN_FOR_GROUPS`; up to 1,000.' }),
  }),
});

const ClassPermissionsInput = builder.inputType('ClassPermissionsInput', {
  description: 'Defaults: create and read open, update and delete for the owner.',
  fields: (t) => ({
    create: t.field({ type: RecordPermissionInput, description: 'Who may store records of the class.' }),
    read: t.field({ type: RecordPermissionInput, description: 'Who may see records that say nothing of it.' }),
    update: t.field({ type: RecordPermissionInput, description: 'Who may change records that say nothing of it.' }),
    delete: t.field({ type: RecordPermissionInput, description: 'Who may delete records that say nothing of it.' }),
  }),
});

const ClassPermissions = builder.objectRef<ClassDefinition>('ClassPermissions').implement({
  description: 'Who may create records, and what records get that say nothing themselves.',
  fields: (t) => ({
    create: t.field({
      type: RecordPermission,
      description: 'Who may store records of the class.',
      resolve: ({ creators }) => permissionOf(creators),
    }),
    read: t.field({
      type: RecordPermission,
      description: 'Who may see records that say nothing of it.',
      resolve: ({ readers }) => permissionOf(readers),
    }),
    update: t.field({
      type: RecordPermission,
      description: 'Who may change records that say nothing of it.',
      resolve: ({ updaters }) => permissionOf(updaters),
    }),
    delete: t.field({
      type: RecordPermission,
      description: 'Who may delete records that say nothing of it.',
      resolve: ({ deleters }) => permissionOf(deleters),
    }),
  }),
});

const IndexState = builder.enumType('IndexState', {
  description: 'How far the index of a field has come.',
  values: {
    NONE: { value: 'none', description: 'There is no index.' },
    BUILDING: { value: 'building', description: 'Records of before are being added; it serves once it is ready.' },
    READY: { value: 'ready', description: 'It serves every filter and order that it can.' },
    DROPPING: { value: 'dropping', description: 'It is being taken away.' },
  } as const,
});

const ClassFieldType = builder.objectRef<ClassField>('ClassField').implement({
  description: 'A field that the records of a class may have.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'What records, filters and orders call it.' }),
    type: t.expose('type', { type: RecordFieldType, description: 'What its values are cast to.' }),
    array: t.exposeBoolean('isArray', { description: 'Whether it holds several values.' }),
    required: t.exposeBoolean('isRequired', { description: 'Records are not stored without it.' }),
    unique: t.exposeBoolean('isUnique', { description: 'No two records of the class have the same value.' }),
    index: t.expose('indexState', {
      type: IndexState,
      description: 'Of an index, filters by range and sorting by the field stay fast however many records there are.',
    }),
  }),
});

const RecordClass = builder.objectRef<ClassDefinition>('RecordClass').implement({
  description: 'A kind of record that the application has defined.',
  fields: (t) => ({
    id: t.exposeID('id', { description: '24 hex digits; operations take the name instead.' }),
    name: t.exposeString('name', { description: 'As it was defined, letter case included.' }),
    applicationId: t.exposeInt('applicationId', { description: APPLICATION_ID }),
    fields: t.field({
      type: [ClassFieldType],
      description: 'In the order in which they were added.',
      resolve: ({ fields }) => [...fields.values()],
    }),
    permissions: t.field({
      type: ClassPermissions,
      description: 'Who may do what with its records.',
      resolve: (known) => known,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: CREATED_AT }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: UPDATED_AT }),
  }),
});

const ClassFieldInput = builder.inputType('ClassFieldInput', {
  description: 'A field to add. One that the class has already keeps what is left out.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'A letter, then up to 49 letters, digits and `_`.' }),
    type: t.field({
      type: RecordFieldType,
      required: true,
      description: 'What its values are cast to; that of a field that is there stays.',
    }),
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
  description: 'A kind of record that the application is to have.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'A letter, then up to 49 letters, digits and `_`.' }),
    fields: t.field({ type: [ClassFieldInput], description: 'In the order in which records are to show them.' }),
    permissions: t.field({ type: ClassPermissionsInput, description: 'Who may do what; left out, the defaults.' }),
  }),
});

const UpdateClassInput = builder.inputType('UpdateClassInput', {
  description: 'What is left out stays as it is; fields are never taken away.',
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
    description: "One class of the key's application.",
    args: { name: t.arg.string({ required: true, description: CLASS_NAME }) },
    resolve: (_root, { name }, context) => findClass(name, context),
  }),
);

builder.mutationField('createClass', (t) =>
  t.withAuth({ key: true }).field({
    type: RecordClass,
    description:
      "Defines a class; from then on the application's schema has types, queries and mutations of its own for it.",
    args: {
      input: t.arg({
        type: CreateClassInput,
        required: true,
        description: 'Its name, its fields and who may do what.',
      }),
    },
    resolve: (_root, { input }, context) => createClass(input, context),
  }),
);

builder.mutationField('updateClass', (t) =>
  t.withAuth({ key: true }).field({
    type: RecordClass,
    description:
      'Adds fields, changes their options, replaces permissions. Indexes of records that are there are made in the background.',
    args: {
      name: t.arg.string({ required: true, description: CLASS_NAME }),
      input: t.arg({ type: UpdateClassInput, required: true, description: 'What is to be added or changed.' }),
    },
    resolve: (_root, { name, input }, context) => updateClass(name, input, context),
  }),
);

builder.mutationField('deleteClass', (t) =>
  t.withAuth({ key: true }).boolean({
    description: 'Deletes a class with its records.',
    args: { name: t.arg.string({ required: true, description: CLASS_NAME }) },
    resolve: (_root, { name }, context) => deleteClass(name, context),
  }),
);
