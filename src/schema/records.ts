import { unixSeconds } from '../lib/time.ts';
import { permissionOf } from '../resolvers/classes/grants.ts';
import { type FoundRecords, findRecord, findRecordsById } from '../resolvers/records/find.ts';
import type { RecordGroup } from '../resolvers/records/groups.ts';
import { withFields } from '../resolvers/records/large-fields.ts';
import { listRecordPage, listRecords, type RecordPage } from '../resolvers/records/list.ts';
import { type PresentedRecord, presentFields, readableOnly } from '../resolvers/records/rows.ts';
import { builder } from './builder.ts';
import { RecordPermission } from './classes.ts';
import {
  CLASS_NAME,
  DIRECTION,
  LIMIT,
  ORDER,
  RECORD_ID,
  SKIP,
  SKIPPED,
  TOTAL_COUNT,
  UPDATE_ONLY,
} from './descriptions.ts';
import { metered } from './metered.ts';
import { SortDirection } from './scalars.ts';

const FILTER =
  '`{ make: { eq: "BMW" }, value: { gt: 50, lte: 90 } }`, AND-ed; `or` and `and` take lists of such objects. Operators: ' +
  '`eq` (a value alone means it; null: unset), `ne`, `lt`, `lte`, `gt`, `gte`, `in`, `notIn`, `all` (arrays), `contains` ' +
  '(strings, at most 256 characters), `near` (`{ lat, lon, radius }`, metres). Fields are those of the class, `id`, `parentId`, `userId`, ' +
  '`createdAt` and `updatedAt`.';

const RecordPermissions = builder.objectRef<PresentedRecord>('RecordPermissions').implement({
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

export const RecordType = builder.objectRef<PresentedRecord>('Record').implement({
  description: "A record of one of the application's classes, its fields as one object.",
  fields: (t) => ({
    id: t.exposeID('id', { description: '24 hex digits, which sort by time.' }),
    className: t.string({
      description: 'The class that it is of, as that was defined.',
      resolve: (record) => record.class.name,
    }),
    parentId: t.id({
      nullable: true,
      description: 'A record of any class.',
      resolve: readableOnly(({ parentId }) => parentId),
    }),
    userId: t.int({
      nullable: true,
      description: `The owner; 0 for those of API keys alone. ${UPDATE_ONLY}`,
      resolve: readableOnly(({ userId }) => userId),
    }),
    fields: t.field({
      type: 'JSON',
      nullable: true,
      description:
        'All fields of the class in its order, unset ones null; dates in ISO 8601, locations `[lat, lon]`. ' +
        UPDATE_ONLY,
      resolve: readableOnly((record, context) =>
        withFields(record, null, context, (fields) => presentFields({ class: record.class, fields })),
      ),
    }),
    permissions: t.field({
      type: RecordPermissions,
      nullable: true,
      description: `Who may do what, whether the record or its class says so. ${UPDATE_ONLY}`,
      resolve: readableOnly((record) => record),
    }),
    createdAt: t.int({ description: 'Unix seconds.', resolve: ({ createdAt }) => unixSeconds(createdAt) }),
    updatedAt: t.int({ description: 'Unix seconds.', resolve: ({ updatedAt }) => unixSeconds(updatedAt) }),
  }),
});

export const FoundRecordsType = builder.objectRef<FoundRecords>('FoundRecords').implement({
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
    resolve: (_root, { className, ids }, context) => findRecordsById(className, ids, context),
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
    { fields: metered },
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
    resolve: (_root, args, context) => listRecordPage(args, context),
  }),
);
