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
import { counted } from './counted.ts';
import { SortDirection } from './scalars.ts';
import {
  CLASS_NAME,
  DELETED,
  DIRECTION,
  LIMIT,
  ORDER,
  RECORD_ID,
  RECORD_PERMISSIONS,
  SKIP,
  SKIPPED,
  TOTAL_COUNT,
} from './sentences.ts';

const FILTER =
  '`{ make: { eq: "BMW" }, value: { gt: 50, lte: 90 } }`, AND-ed; `or` and `and` take lists of such objects. Operators: ' +
  '`eq` (a value alone means it; null: unset), `ne`, `lt`, `lte`, `gt`, `gte`, `in`, `notIn`, `all` (arrays), `contains` ' +
  '(strings), `near` (`{ lat, lon, radius }`, metres). Fields are those of the class, `id`, `parentId`, `userId`, ' +
  '`createdAt` and `updatedAt`.';

export const RecordPermissions = builder.objectRef<ShownRecord>('RecordPermissions').implement({
  description: 'Who may do what with a record; its owner may do all of it.',
  fields: (t) => ({
    read: t.field({
      type: RecordPermission,
      description: 'Who may see it.',
      resolve: ({ readers }) => permissionOf(readers),
    }),
    update: t.field({
      type: RecordPermission,
      description: 'Who may change its values.',
      resolve: ({ updaters }) => permissionOf(updaters),
    }),
    delete: t.field({
      type: RecordPermission,
      description: 'Who may delete it, with all that lies below it.',
      resolve: ({ deleters }) => permissionOf(deleters),
    }),
  }),
});

export const RecordType = builder.objectRef<ShownRecord>('Record').implement({
  description: "A record of one of the application's classes, its fields as one object.",
  fields: (t) => ({
    id: t.exposeID('id', { description: '24 hex digits, which sort by time.' }),
    className: t.string({
      description: 'The class that it is of, as that was defined.',
      resolve: (record) => record.class.name,
    }),
    parentId: t.exposeID('parentId', { nullable: true, description: 'A record of any class.' }),
    userId: t.exposeInt('userId', { description: 'The owner; 0 for those of API keys alone.' }),
    fields: t.field({
      type: 'JSON',
      description: 'All fields of the class in its order, unset ones null; dates in ISO 8601, locations `[lat, lon]`.',
      resolve: shownFields,
    }),
    permissions: t.field({
      type: RecordPermissions,
      description: 'Who may do what, whether the record or its class says so.',
      resolve: (record) => record,
    }),
    createdAt: t.int({ description: 'Unix seconds.', resolve: ({ createdAt }) => unixSeconds(createdAt) }),
    updatedAt: t.int({ description: 'Unix seconds.', resolve: ({ updatedAt }) => unixSeconds(updatedAt) }),
  }),
});

const FoundRecordsType = builder.objectRef<FoundRecords>('FoundRecords').implement({
  description: 'Records that were asked for by their ids.',
  fields: (t) => ({
    records: t.field({
      type: [RecordType],
      description: 'Those that were found, in the order asked for.',
      resolve: ({ records }) => records,
    }),
    notFoundIds: t.exposeIDList('notFoundIds', { description: 'Unknown, or out of the caller’s reach.' }),
  }),
});

const CalculationInput = builder.inputType('RecordCalculationInput', {
  description: 'A number to be told of each group of records.',
  fields: (t) => ({
    field: t.string({ required: true, description: 'A number of the class.' }),
    function: t.field({
      type: builder.enumType('RecordFunction', {
        description: 'How a number is made of many.',
        values: {
          AVG: { value: 'avg', description: 'Their mean.' },
          MIN: { value: 'min', description: 'The least of them.' },
          MAX: { value: 'max', description: 'The greatest of them.' },
          SUM: { value: 'sum', description: 'All of them added up.' },
        } as const,
      }),
      required: true,
      description: 'What is made of the values of the group.',
    }),
  }),
});

const RecordGroupType = builder.objectRef<RecordGroup>('RecordGroup').implement({
  description: 'Records that have one value of a field in common.',
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
    skip: t.exposeInt('skip', { description: SKIPPED }),
    limit: t.exposeInt('limit', { description: LIMIT }),
    items: t.field({ type: [RecordType], description: 'The records of the page.', resolve: (page) => page.items() }),
    totalCount: t.int({ description: TOTAL_COUNT, resolve: (page) => page.totalCount() }),
    groups: t.field({
      type: [RecordGroupType],
      description: 'Instead of the records their groups by the values of a field, the smallest first, unset last.',
      args: {
        by: t.arg.string({ required: true, description: 'Name of the field.' }),
        calculations: t.arg({
          type: [CalculationInput],
          required: true,
          defaultValue: [],
          description: 'What to tell of each group beside how many records it has.',
        }),
      },
      resolve: (page, { by, calculations }) => page.groups(by, calculations),
    }),
  }),
});

const UpdatedRecords = builder.objectRef<UpdatedByCriteria>('UpdatedRecords').implement({
  description: 'Records that were changed, a page of them shown.',
  fields: (t) => ({
    skip: t.exposeInt('skip', { description: SKIPPED }),
    limit: t.exposeInt('limit', { description: LIMIT }),
    totalFound: t.exposeInt('totalFound', { description: 'How many were changed, on all pages together.' }),
    items: t.field({
      type: [RecordType],
      description: 'The records of the page, as they are now.',
      resolve: ({ items }) => items,
    }),
  }),
});

const DeletedRecords = builder.objectRef<DeletedItems>('DeletedRecords').implement({
  description: 'What became of each record of a deletion.',
  fields: (t) => ({
    deletedIds: t.exposeIDList('deletedIds', { description: DELETED.deletedIds }),
    notFoundIds: t.exposeIDList('notFoundIds', { description: DELETED.notFoundIds }),
    wrongPermissionsIds: t.exposeIDList('wrongPermissionsIds', { description: DELETED.wrongPermissionsIds }),
  }),
});

const DeletedByCriteria = builder.objectRef<{ totalDeleted: number }>('DeletedByCriteria').implement({
  description: 'How much a deletion by criteria took away.',
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
    direction: t.field({ type: SortDirection, required: true, description: DIRECTION }),
  }),
});

const ParentInput = builder.inputType('RecordParentInput', {
  description: 'A record that others lie below.',
  fields: (t) => ({
    className: t.string({ required: true, description: 'The class it has to be of.' }),
    id: t.id({ required: true, description: RECORD_ID }),
  }),
});

export const RecordPermissionsInput = builder.inputType('RecordPermissionsInput', {
  description: 'What is left out is as the class says, or stays as it is.',
  fields: (t) => ({
    read: t.field({ type: RecordPermissionInput, description: 'Who may see it.' }),
    update: t.field({ type: RecordPermissionInput, description: 'Who may change its values.' }),
    delete: t.field({ type: RecordPermissionInput, description: 'Who may delete it, with all that lies below it.' }),
  }),
});

const FIELDS = 'An object of values by field, cast to the types of the class; names that it does not know are ignored.';

const CreateRecordInput = builder.inputType('CreateRecordInput', {
  description: 'A record to be stored, and the class it is of.',
  fields: (t) => ({
    className: t.string({ required: true, description: CLASS_NAME }),
    fields: t.field({ type: 'JSON', description: FIELDS }),
    permissions: t.field({ type: RecordPermissionsInput, description: RECORD_PERMISSIONS }),
    parentId: t.id({ description: 'A record of any class; whoever deletes it deletes this one, too.' }),
  }),
});

const CreateChildRecordInput = builder.inputType('CreateChildRecordInput', {
  description: 'A record to be stored below another.',
  fields: (t) => ({
    className: t.string({ required: true, description: CLASS_NAME }),
    parentClassName: t.string({
      required: true,
      description: 'Class of the record above; one of another class is not found.',
    }),
    parentId: t.id({ required: true, description: 'The record above; whoever deletes it deletes this one, too.' }),
    fields: t.field({ type: 'JSON', description: FIELDS }),
    permissions: t.field({ type: RecordPermissionsInput, description: RECORD_PERMISSIONS }),
  }),
});

const NewRecordInput = builder.inputType('NewRecordInput', {
  description: 'One record of several to be stored.',
  fields: (t) => ({
    number: t.int({ description: 'How errors name it; its place, from 1, if it is left out.' }),
    fields: t.field({ type: 'JSON', description: FIELDS }),
    permissions: t.field({ type: RecordPermissionsInput, description: RECORD_PERMISSIONS }),
    parentId: t.id({ description: 'A record of any class; whoever deletes it deletes this one, too.' }),
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
    permissions: t.field({
      type: RecordPermissionsInput,
      description: 'Who may do what from now on, for its owner and API keys to say; what is left out stays.',
    }),
  }),
});

const ChangedRecordInput = builder.inputType('ChangedRecordInput', {
  description: 'One record with what is to change of it.',
  fields: (t) => ({
    id: t.id({ required: true, description: RECORD_ID }),
    changes: t.field({
      type: UpdateRecordInput,
      required: true,
      description: 'Values and operators, as `updateRecord` takes them.',
    }),
  }),
});

builder.queryField('record', (t) =>
  t.withAuth({ session: true }).field({
    type: RecordType,
    description: 'One record that the caller may read.',
    args: {
      className: t.arg.string({ required: true, description: CLASS_NAME }),
      id: t.arg.id({ required: true, description: RECORD_ID }),
      ownOnly: t.arg.boolean({ description: 'Refuses all but its owner and API keys alone.' }),
    },
    resolve: (_root, { className, id, ownOnly }, context) => findRecord(className, id, context, { ownOnly }),
  }),
);

builder.queryField('recordsById', (t) =>
  t.withAuth({ session: true }).field({
    type: FoundRecordsType,
    description: 'Up to 100 records in the order asked for.',
    args: {
      className: t.arg.string({ required: true, description: CLASS_NAME }),
      ids: t.arg.idList({ required: true, description: 'Up to 100 ids, 24 hex digits each.' }),
    },
    resolve: (_root, { className, ids }, context) => findRecords(className, ids, context),
  }),
);

builder.queryField('records', (t) =>
  t.withAuth({ session: true }).connection(
    {
      type: RecordType,
      description: 'Records of a class that the caller may read, by `id` or as asked.',
      args: {
        className: t.arg.string({ required: true, description: CLASS_NAME }),
        filter: t.arg({ type: 'JSON', description: FILTER }),
        orderBy: t.arg({ type: RecordOrder, description: ORDER }),
        parentId: t.arg.id({ description: 'Only records below this one.' }),
      },
      resolve: (_root, args, context) => listRecords(args, context),
    },
    { fields: counted },
  ),
);

builder.queryField('recordPage', (t) =>
  t.withAuth({ session: true }).field({
    type: RecordPageType,
    description: 'Records in the words of the REST contract.',
    args: {
      className: t.arg.string({ required: true, description: CLASS_NAME }),
      criteria: t.arg({
        type: 'JSON',
        description: 'As `filter` of `records`; plain names that the class does not know are ignored.',
      }),
      orderBy: t.arg({ type: RecordOrder, description: ORDER }),
      parent: t.arg({ type: ParentInput, description: 'Only records below this one, which has to be of that class.' }),
      skip: t.arg.int({ required: true, defaultValue: 0, description: SKIP }),
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
    args: { input: t.arg({ type: CreateRecordInput, required: true, description: 'Its class and its values.' }) },
    resolve: (_root, { input }, context) => createRecord(input, context),
  }),
);

builder.mutationField('createChildRecord', (t) =>
  t.withAuth({ userOrKey: true }).field({
    type: RecordType,
    description: 'Stores a record below another of a given class.',
    args: {
      input: t.arg({
        type: CreateChildRecordInput,
        required: true,
        description: 'The record and the one it is to lie below.',
      }),
    },
    resolve: (_root, { input }, context) => createChildRecord(input, context),
  }),
);

builder.mutationField('createRecords', (t) =>
  t.withAuth({ userOrKey: true }).field({
    type: [RecordType],
    description: 'Stores up to 100 records, all or none.',
    args: {
      className: t.arg.string({ required: true, description: CLASS_NAME }),
      records: t.arg({ type: [NewRecordInput], required: true, description: 'Up to 100 records.' }),
    },
    resolve: (_root, { className, records }, context) => createRecords(className, records, context),
  }),
);

builder.mutationField('updateRecord', (t) =>
  t.withAuth({ userOrKey: true }).field({
    type: RecordType,
    description: 'Changes what is given of a record: values, operators, permissions.',
    args: {
      className: t.arg.string({ required: true, description: CLASS_NAME }),
      id: t.arg.id({ required: true, description: RECORD_ID }),
      input: t.arg({ type: UpdateRecordInput, required: true, description: 'Values and operators.' }),
    },
    resolve: (_root, { className, id, input }, context) => updateRecord(className, id, input, context),
  }),
);

builder.mutationField('updateRecords', (t) =>
  t.withAuth({ userOrKey: true }).field({
    type: FoundRecordsType,
    description: 'Changes up to 100 records, all or none; those the caller may not update are not found.',
    args: {
      className: t.arg.string({ required: true, description: CLASS_NAME }),
      records: t.arg({
        type: [ChangedRecordInput],
        required: true,
        description: 'Up to 100 records, each with what is to change of it.',
      }),
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
      className: t.arg.string({ required: true, description: CLASS_NAME }),
      criteria: t.arg({ type: 'JSON', description: 'As `filter` of `records`.' }),
      input: t.arg({
        type: UpdateRecordInput,
        required: true,
        description: 'Values and operators, the same for every record.',
      }),
      skip: t.arg.int({ required: true, defaultValue: 0, description: SKIP }),
      limit: t.arg.int({ required: true, defaultValue: 100, description: '1 to 100.' }),
    },
    resolve: (_root, { className, input, ...args }, context) =>
      updateRecordsByCriteria(className, { ...args, ...input }, context),
  }),
);

builder.mutationField('deleteRecord', (t) =>
  t.withAuth({ userOrKey: true }).boolean({
    description: 'Deletes a record and all that lie below it, whoever owns those.',
    args: {
      className: t.arg.string({ required: true, description: CLASS_NAME }),
      id: t.arg.id({ required: true, description: RECORD_ID }),
    },
    resolve: (_root, { className, id }, context) => deleteRecord(className, id, context),
  }),
);

builder.mutationField('deleteRecords', (t) =>
  t.withAuth({ userOrKey: true }).field({
    type: DeletedRecords,
    description: 'The same for up to 100.',
    args: {
      className: t.arg.string({ required: true, description: CLASS_NAME }),
      ids: t.arg.idList({ required: true, description: 'Up to 100 ids, 24 hex digits each.' }),
    },
    resolve: (_root, { className, ids }, context) => deleteRecords(className, ids, context),
  }),
);

builder.mutationField('deleteRecordsByCriteria', (t) =>
  t.withAuth({ userOrKey: true }).field({
    type: DeletedByCriteria,
    description: 'Deletes every record that the criteria name and that the caller may read and delete.',
    args: {
      className: t.arg.string({ required: true, description: CLASS_NAME }),
      criteria: t.arg({ type: 'JSON', description: 'As `filter` of `records`.' }),
    },
    resolve: (_root, { className, criteria }, context) => deleteRecordsByCriteria(className, criteria, context),
  }),
);
