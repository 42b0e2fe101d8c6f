import { permissionOf } from '../lib/grants.ts';
import { unixSeconds } from '../lib/time.ts';
import type { DeletedItems } from '../resolvers/dialogs/delete.ts';
import { createChildRecord, createRecord, createRecords } from '../resolvers/records/create.ts';
import { deleteRecord, deleteRecords, deleteRecordsByCriteria } from '../resolvers/records/delete.ts';
import { type FoundRecords, findRecord, findRecords } from '../resolvers/records/find.ts';
import type { RecordGroup } from '../resolvers/records/groups.ts';
import { listRecords, type RecordPage, readRecords } from '../resolvers/records/list.ts';
import { type ShownRecord, shownFields } from '../resolvers/records/rows.ts';
import {
  type UpdatedByCriteria,
  updateRecord,
  updateRecords,
  updateRecordsByCriteria,
} from '../resolvers/records/update.ts';
import { builder } from './builder.ts';
import { RecordPermission, RecordPermissionInput } from './classes.ts';
import { SortDirection } from './scalars.ts';

const FILTER =
  '`{ make: { eq: "BMW" }, value: { gt: 50, lte: 90 } }`, AND-ed; `or` and `and` take lists of such objects. Operators: ' +
  '`eq` (a value alone means it; null: unset), `ne`, `lt`, `lte`, `gt`, `gte`, `in`, `notIn`, `all` (arrays), `contains` ' +
  '(strings), `near` (`{ lat, lon, radius }`, metres). Fields are those of the class, `id`, `parentId`, `userId`, ' +
  '`createdAt` and `updatedAt`.';

export const RecordPermissions = builder.objectRef<ShownRecord>('RecordPermissions').implement({
  description: 'Who may do what with a record; its owner may do all of it.',
  fields: (t) => ({
    read: t.field({ type: RecordPermission, resolve: ({ readers }) => permissionOf(readers) }),
    update: t.field({ type: RecordPermission, resolve: ({ updaters }) => permissionOf(updaters) }),
    delete: t.field({ type: RecordPermission, resolve: ({ deleters }) => permissionOf(deleters) }),
  }),
});

export const RecordType = builder.objectRef<ShownRecord>('Record').implement({
  description: "A record of one of the application's classes, its fields as one object.",
  fields: (t) => ({
    id: t.exposeID('id'),
    className: t.string({ resolve: (record) => record.class.name }),
    parentId: t.exposeID('parentId', { nullable: true, description: 'A record of any class.' }),
    userId: t.exposeInt('userId', { description: 'The owner; 0 for those of API keys alone.' }),
    fields: t.field({
      type: 'JSON',
      description: 'All fields of the class in its order, unset ones null; dates in ISO 8601, locations `[lat, lon]`.',
      resolve: shownFields,
    }),
    permissions: t.field({ type: RecordPermissions, resolve: (record) => record }),
    createdAt: t.int({ description: 'Unix seconds.', resolve: ({ createdAt }) => unixSeconds(createdAt) }),
    updatedAt: t.int({ description: 'Unix seconds.', resolve: ({ updatedAt }) => unixSeconds(updatedAt) }),
  }),
});

const FoundRecordsType = builder.objectRef<FoundRecords>('FoundRecords').implement({
  fields: (t) => ({
    records: t.field({ type: [RecordType], resolve: ({ records }) => records }),
    notFoundIds: t.exposeIDList('notFoundIds', { description: 'Unknown, or out of the caller’s reach.' }),
  }),
});

const CalculationInput = builder.inputType('RecordCalculationInput', {
  fields: (t) => ({
    field: t.string({ required: true, description: 'A number of the class.' }),
    function: t.field({
      type: builder.enumType('RecordFunction', {
        values: { AVG: { value: 'avg' }, MIN: { value: 'min' }, MAX: { value: 'max' }, SUM: { value: 'sum' } } as const,
      }),
      required: true,
    }),
  }),
});

const RecordGroupType = builder.objectRef<RecordGroup>('RecordGroup').implement({
  fields: (t) => ({
    value: t.field({
      type: 'JSON',
      nullable: true,
      description: 'Of the field; null: unset.',
      resolve: ({ value }) => value,
    }),
    count: t.exposeInt('count', { description: 'Records with it.' }),
    results: t.field({
      type: ['Float'],
      nullable: { list: false, items: true },
      description: 'Of the calculations, in their order; null where no record of the group has the field.',
      resolve: ({ results }) => results,
    }),
  }),
});

const RecordPageType = builder.objectRef<RecordPage>('RecordPage').implement({
  description: 'A page by offset, for the REST contract; web apps page `records` by cursor.',
  fields: (t) => ({
    skip: t.exposeInt('skip'),
    limit: t.exposeInt('limit'),
    items: t.field({ type: [RecordType], resolve: (page) => page.items() }),
    totalCount: t.int({ resolve: (page) => page.totalCount() }),
    groups: t.field({
      type: [RecordGroupType],
      description: 'Instead of the records their groups by the values of a field, the smallest first, unset last.',
      args: {
        by: t.arg.string({ required: true }),
        calculations: t.arg({ type: [CalculationInput], required: true, defaultValue: [] }),
      },
      resolve: (page, { by, calculations }) => page.groups(by, calculations),
    }),
  }),
});

const UpdatedRecords = builder.objectRef<UpdatedByCriteria>('UpdatedRecords').implement({
  description: 'Records that were changed, a page of them shown.',
  fields: (t) => ({
    skip: t.exposeInt('skip'),
    limit: t.exposeInt('limit'),
    totalFound: t.exposeInt('totalFound'),
    items: t.field({ type: [RecordType], resolve: ({ items }) => items }),
  }),
});

const DeletedRecords = builder.objectRef<DeletedItems>('DeletedRecords').implement({
  fields: (t) => ({
    deletedIds: t.exposeIDList('deletedIds'),
    notFoundIds: t.exposeIDList('notFoundIds'),
    wrongPermissionsIds: t.exposeIDList('wrongPermissionsIds'),
  }),
});

const DeletedByCriteria = builder.objectRef<{ totalDeleted: number }>('DeletedByCriteria').implement({
  fields: (t) => ({
    totalDeleted: t.exposeInt('totalDeleted', {
      description: 'Records that the criteria named; those below them not counted.',
    }),
  }),
});

const RecordOrder = builder.inputType('RecordOrder', {
  description: 'Unset values come last, ties by `id` in the same direction.',
  fields: (t) => ({
    field: t.string({
      required: true,
      description: 'Of the class, or `id`, `parentId`, `userId`, `createdAt`, `updatedAt`.',
    }),
    direction: t.field({ type: SortDirection, required: true }),
  }),
});

const ParentInput = builder.inputType('RecordParentInput', {
  fields: (t) => ({ className: t.string({ required: true }), id: t.id({ required: true }) }),
});

export const RecordPermissionsInput = builder.inputType('RecordPermissionsInput', {
  description: 'What is left out is as the class says, or stays as it is.',
  fields: (t) => ({
    read: t.field({ type: RecordPermissionInput }),
    update: t.field({ type: RecordPermissionInput }),
    delete: t.field({ type: RecordPermissionInput }),
  }),
});

const FIELDS = 'An object of values by field, cast to the types of the class; names that it does not know are ignored.';

const CreateRecordInput = builder.inputType('CreateRecordInput', {
  fields: (t) => ({
    className: t.string({ required: true }),
    fields: t.field({ type: 'JSON', description: FIELDS }),
    permissions: t.field({ type: RecordPermissionsInput }),
    parentId: t.id({ description: 'A record of any class; whoever deletes it deletes this one, too.' }),
  }),
});

const CreateChildRecordInput = builder.inputType('CreateChildRecordInput', {
  fields: (t) => ({
    className: t.string({ required: true }),
    parentClassName: t.string({ required: true }),
    parentId: t.id({ required: true }),
    fields: t.field({ type: 'JSON', description: FIELDS }),
    permissions: t.field({ type: RecordPermissionsInput }),
  }),
});

const NewRecordInput = builder.inputType('NewRecordInput', {
  fields: (t) => ({
    number: t.int({ description: 'How errors name it; its place, from 1, if it is left out.' }),
    fields: t.field({ type: 'JSON', description: FIELDS }),
    permissions: t.field({ type: RecordPermissionsInput }),
    parentId: t.id(),
  }),
});

const UpdateRecordInput = builder.inputType('UpdateRecordInput', {
  description: 'Values first, then the operators in the order of this type; all but `fields` take arguments by field.',
  fields: (t) => ({
    fields: t.field({
      type: 'JSON',
      description: `${FIELDS} Null unsets; an array also takes \`{ "<index>": item }\`.`,
    }),
    inc: t.field({ type: 'JSON', description: 'Adds to a number.' }),
    push: t.field({ type: 'JSON', description: 'Appends one item or several to an array.' }),
    addToSet: t.field({ type: 'JSON', description: 'Appends those that are not there yet.' }),
    pull: t.field({
      type: 'JSON',
      description: 'Removes the items that equal the argument, or that match its operators: `{ lt: 5 }`.',
    }),
    pullAll: t.field({ type: 'JSON', description: 'Removes every item of a list.' }),
    pop: t.field({ type: 'JSON', description: '1 removes the last item, -1 the first.' }),
    permissions: t.field({ type: RecordPermissionsInput }),
  }),
});

const ChangedRecordInput = builder.inputType('ChangedRecordInput', {
  fields: (t) => ({
    id: t.id({ required: true }),
    changes: t.field({ type: UpdateRecordInput, required: true }),
  }),
});

builder.queryField('record', (t) =>
  t.withAuth({ session: true }).field({
    type: RecordType,
    args: {
      className: t.arg.string({ required: true }),
      id: t.arg.id({ required: true }),
      ownOnly: t.arg.boolean({ description: 'Refuses all but its owner and API keys alone.' }),
    },
    resolve: (_root, { className, id, ownOnly }, context) => findRecord(className, id, context, { ownOnly }),
  }),
);

builder.queryField('recordsById', (t) =>
  t.withAuth({ session: true }).field({
    type: FoundRecordsType,
    description: 'Up to 100 records in the order asked for.',
    args: { className: t.arg.string({ required: true }), ids: t.arg.idList({ required: true }) },
    resolve: (_root, { className, ids }, context) => findRecords(className, ids, context),
  }),
);

builder.queryField('records', (t) =>
  t.withAuth({ session: true }).connection(
    {
      type: RecordType,
      description: 'Records of a class that the caller may read, by `id` or as asked.',
      args: {
        className: t.arg.string({ required: true }),
        filter: t.arg({ type: 'JSON', description: FILTER }),
        orderBy: t.arg({ type: RecordOrder }),
        parentId: t.arg.id({ description: 'Only records below this one.' }),
      },
      resolve: (_root, args, context) => listRecords(args, context),
    },
    {
      fields: (t) => ({
        totalCount: t.int({
          resolve: (connection) => (connection as unknown as { totalCount: () => Promise<number> }).totalCount(),
        }),
      }),
    },
  ),
);

builder.queryField('recordPage', (t) =>
  t.withAuth({ session: true }).field({
    type: RecordPageType,
    description: 'Records in the words of the REST contract.',
    args: {
      className: t.arg.string({ required: true }),
      criteria: t.arg({
        type: 'JSON',
        description: 'As `filter` of `records`; plain names that the class does not know are ignored.',
      }),
      orderBy: t.arg({ type: RecordOrder }),
      parent: t.arg({ type: ParentInput, description: 'Only records below this one, which has to be of that class.' }),
      skip: t.arg.int({ required: true, defaultValue: 0 }),
      limit: t.arg.int({ required: true, defaultValue: 100, description: '1 to 100.' }),
      lastOnly: t.arg.boolean({ description: 'Only the last record of the order.' }),
    },
    resolve: (_root, args, context) => readRecords(args, context),
  }),
);

builder.mutationField('createRecord', (t) =>
  t.withAuth({ userOrKey: true }).field({
    type: RecordType,
    description: 'Stores a record, which the caller owns.',
    args: { input: t.arg({ type: CreateRecordInput, required: true }) },
    resolve: (_root, { input }, context) => createRecord(input, context),
  }),
);

builder.mutationField('createChildRecord', (t) =>
  t.withAuth({ userOrKey: true }).field({
    type: RecordType,
    description: 'Stores a record below another of a given class.',
    args: { input: t.arg({ type: CreateChildRecordInput, required: true }) },
    resolve: (_root, { input }, context) => createChildRecord(input, context),
  }),
);

builder.mutationField('createRecords', (t) =>
  t.withAuth({ userOrKey: true }).field({
    type: [RecordType],
    description: 'Stores up to 100 records, all or none.',
    args: { className: t.arg.string({ required: true }), records: t.arg({ type: [NewRecordInput], required: true }) },
    resolve: (_root, { className, records }, context) => createRecords(className, records, context),
  }),
);

builder.mutationField('updateRecord', (t) =>
  t.withAuth({ userOrKey: true }).field({
    type: RecordType,
    args: {
      className: t.arg.string({ required: true }),
      id: t.arg.id({ required: true }),
      input: t.arg({ type: UpdateRecordInput, required: true }),
    },
    resolve: (_root, { className, id, input }, context) => updateRecord(className, id, input, context),
  }),
);

builder.mutationField('updateRecords', (t) =>
  t.withAuth({ userOrKey: true }).field({
    type: FoundRecordsType,
    description: 'Changes up to 100 records, all or none; those the caller may not update are not found.',
    args: {
      className: t.arg.string({ required: true }),
      records: t.arg({ type: [ChangedRecordInput], required: true }),
    },
    resolve: (_root, { className, records }, context) =>
      updateRecords(
        className,
        records.map(({ id, changes }) => ({ id, ...changes })),
        context,
      ),
  }),
);

builder.mutationField('updateRecordsByCriteria', (t) =>
  t.withAuth({ userOrKey: true }).field({
    type: UpdatedRecords,
    description:
      'Changes every record that the criteria name and that the caller may read and update, and shows a page.',
    args: {
      className: t.arg.string({ required: true }),
      criteria: t.arg({ type: 'JSON', description: 'As `filter` of `records`.' }),
      input: t.arg({ type: UpdateRecordInput, required: true }),
      skip: t.arg.int({ required: true, defaultValue: 0 }),
      limit: t.arg.int({ required: true, defaultValue: 100, description: '1 to 100.' }),
    },
    resolve: (_root, { className, input, ...args }, context) =>
      updateRecordsByCriteria(className, { ...args, ...input }, context),
  }),
);

builder.mutationField('deleteRecord', (t) =>
  t.withAuth({ userOrKey: true }).boolean({
    description: 'Deletes a record and all that lie below it, whoever owns those.',
    args: { className: t.arg.string({ required: true }), id: t.arg.id({ required: true }) },
    resolve: (_root, { className, id }, context) => deleteRecord(className, id, context),
  }),
);

builder.mutationField('deleteRecords', (t) =>
  t.withAuth({ userOrKey: true }).field({
    type: DeletedRecords,
    description: 'The same for up to 100.',
    args: { className: t.arg.string({ required: true }), ids: t.arg.idList({ required: true }) },
    resolve: (_root, { className, ids }, context) => deleteRecords(className, ids, context),
  }),
);

builder.mutationField('deleteRecordsByCriteria', (t) =>
  t.withAuth({ userOrKey: true }).field({
    type: DeletedByCriteria,
    description: 'Deletes every record that the criteria name and that the caller may read and delete.',
    args: {
      className: t.arg.string({ required: true }),
      criteria: t.arg({ type: 'JSON', description: 'As `filter` of `records`.' }),
    },
    resolve: (_root, { className, criteria }, context) => deleteRecordsByCriteria(className, criteria, context),
  }),
);
