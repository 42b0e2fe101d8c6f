import { unixSeconds } from '../lib/time.ts';
import { DEVELOPER } from '../resolvers/administrators/rights.ts';
import { permissionOf } from '../resolvers/classes/grants.ts';
import { type FoundRecords, findRecord, findRecordsById } from '../resolvers/records/find.ts';
import type { RecordGroup } from '../resolvers/records/groups.ts';
import { withFields } from '../resolvers/records/large-fields.ts';
import { listRecordPage, listRecords, type RecordPage } from '../resolvers/records/list.ts';
import {
  type PresentedRecord,
  presentFields,
  type RecordGrants,
  readableOnly,
  recordGrants,
} from '../resolvers/records/rows.ts';
import { builder } from './builder.ts';
import {
  CLASS_NAME,
  DIRECTION,
  LIMIT,
  ORDER,
  OWNER_ID,
  PARENT_OF_RECORD,
  RECORD_ID,
  RECORD_IDS,
  RECORD_ORDER,
  SKIP,
  SKIPPED,
  TOTAL_COUNT,
  UPDATE_ONLY,
} from './descriptions.ts';
import { metered } from './metered.ts';
import { RecordPermission } from './record-permissions.ts';
import { isRequested } from './requested-fields.ts';
import { SortDirection } from './scalars.ts';

export const FILTER =
  'Only return records that match all conditions: `{ "make": { "eq": "BMW" }, "value": { "gt": 50, "lte": ' +
  '90 } }`. Names are fields of the class, `id`, `parentId`, `userId`, `createdAt` and `updatedAt`; `or` ' +
  'and `and` take lists of filters. Operators: `eq` (a plain value means the same; null matches unset ' +
  'values), `ne`, `lt`, `lte`, `gt`, `gte`, `in`, `notIn`, `all` (lists), `contains` (strings, at most 256 ' +
  'characters) and `near` (locations: `{ "lat": 52.5, "lon": 13.4, "radius": 500 }`, meters). Unknown names ' +
  'and operators fail with `UNPROCESSABLE`. Default: all records.';

const RecordPermissions = builder.objectRef<RecordGrants>('RecordPermissions').implement({
  description: 'Who may read, update and delete a record. The owner always may, unless the class is `NOT_ALLOWED`.',
  fields: (t) => ({
    read: t.field({
      type: RecordPermission,
      description: 'Who may read the record.',
      resolve: ({ readers }) => permissionOf(readers),
    }),
    update: t.field({
      type: RecordPermission,
      description: 'Who may change values of the record.',
      resolve: ({ updaters }) => permissionOf(updaters),
    }),
    delete: t.field({
      type: RecordPermission,
      description: 'Who may delete the record and all its descendants.',
      resolve: ({ deleters }) => permissionOf(deleters),
    }),
  }),
});

export const RecordType = builder.objectRef<PresentedRecord>('Record').implement({
  description: "A record of one of the application's classes, with its fields as one JSON object.",
  fields: (t) => ({
    id: t.exposeID('id', { description: '24 hex digits. Ids sort by creation time.' }),
    className: t.string({
      description: 'Name of its class, as defined with `createClass`.',
      resolve: (record) => record.class.name,
    }),
    parentId: t.id({
      nullable: true,
      description: PARENT_OF_RECORD,
      resolve: readableOnly(({ parentId }) => parentId),
    }),
    userId: t.int({
      nullable: true,
      description: OWNER_ID,
      resolve: readableOnly(({ userId }) => userId),
    }),
    fields: t.field({
      type: 'JSON',
      nullable: true,
      description:
        'Values of all fields of the class, unset fields as null. Dates are ISO 8601; locations are `[latitude, ' +
        `longitude]\`. ${UPDATE_ONLY}`,
      resolve: readableOnly((record, context) =>
        withFields(record, null, context, (fields) => presentFields({ class: record.class, fields })),
      ),
    }),
    permissions: t.field({
      type: RecordPermissions,
      nullable: true,
      description: `Permissions of the record. ${UPDATE_ONLY}`,
      resolve: readableOnly(recordGrants),
    }),
    createdAt: t.int({
      description: 'Time of creation, in Unix seconds.',
      resolve: ({ createdAt }) => unixSeconds(createdAt),
    }),
    updatedAt: t.int({
      description: 'Time of the last change, in Unix seconds.',
      resolve: ({ updatedAt }) => unixSeconds(updatedAt),
    }),
  }),
});

export const FoundRecordsType = builder.objectRef<FoundRecords>('FoundRecords').implement({
  description: 'Records selected by id.',
  fields: (t) => ({
    records: t.field({
      type: [RecordType],
      description: 'The records found, in the requested order.',
      resolve: ({ records }) => records,
    }),
    notFoundIds: t.exposeIDList('notFoundIds', {
      description: 'Ids that do not exist, or for which the caller lacks the permission.',
    }),
  }),
});

const CalculationInput = builder.inputType('RecordCalculationInput', {
  description: 'A number to calculate for each group of records.',
  fields: (t) => ({
    field: t.string({
      required: true,
      description:
        'Name of a field of type `INTEGER` or `FLOAT` that is not a list. Any other name fails with ' +
        '`UNPROCESSABLE`.',
    }),
    function: t.field({
      type: builder.enumType('RecordFunction', {
        description: 'Functions that aggregate the values of a group. Unset values are ignored.',
        values: {
          AVG: { value: 'avg', description: 'Arithmetic mean.' },
          MIN: { value: 'min', description: 'Smallest value.' },
          MAX: { value: 'max', description: 'Largest value.' },
          SUM: { value: 'sum', description: 'Total of all values.' },
        } as const,
      }),
      required: true,
      description: 'How to aggregate the values of the group.',
    }),
  }),
});

const RecordGroupType = builder.objectRef<RecordGroup>('RecordGroup').implement({
  description: 'Records with the same value of a field.',
  fields: (t) => ({
    value: t.field({
      type: 'JSON',
      nullable: true,
      description: 'The common value; null for records without a value.',
      resolve: ({ value }) => value,
    }),
    count: t.exposeInt('count', { description: 'Number of records in the group.' }),
    results: t.field({
      type: ['Float'],
      nullable: { list: false, items: true },
      description: 'Results of the calculations, in the requested order; null if no record of the group has a value.',
      resolve: ({ results }) => results,
    }),
  }),
});

const RecordPageType = builder.objectRef<RecordPage>('RecordPage').implement({
  description: 'A page of records by offset, as REST returns it. Use `records` to page by cursor.',
  fields: (t) => ({
    skip: t.exposeInt('skip', { description: SKIPPED }),
    limit: t.exposeInt('limit', { description: LIMIT }),
    items: t.field({
      type: [RecordType],
      description: 'The records of this page.',
      resolve: (page, _args, _context, info) => page.items({ hasPermissions: isRequested('permissions', info) }),
    }),
    totalCount: t.int({ description: TOTAL_COUNT, resolve: (page) => page.totalCount() }),
    groups: t.field({
      type: [RecordGroupType],
      description:
        'The records grouped by the values of a field, smallest value first, unset last. `skip` and `limit` then ' +
        'count groups.',
      args: {
        by: t.arg.string({
          required: true,
          description: 'Name of the field to group by. An unknown name fails with `UNPROCESSABLE`.',
        }),
        calculations: t.arg({
          type: [CalculationInput],
          required: true,
          defaultValue: [],
          description: 'Numbers to calculate for each group. Default: none.',
        }),
      },
      resolve: (page, { by, calculations }) => page.groups(by, calculations),
    }),
  }),
});

export const RecordOrder = builder.inputType('RecordOrder', {
  description: RECORD_ORDER,
  fields: (t) => ({
    field: t.string({
      required: true,
      description:
        'A field of the class, `id`, `parentId`, `userId`, `createdAt` or `updatedAt`. Lists, locations, files ' +
        'and unknown names fail with `UNPROCESSABLE`.',
    }),
    direction: t.field({ type: SortDirection, required: true, description: DIRECTION }),
  }),
});

const ParentInput = builder.inputType('RecordParentInput', {
  description: 'A parent whose children to return.',
  fields: (t) => ({
    className: t.string({
      required: true,
      description: 'Class of the parent. A record of another class fails with `NOT_FOUND`.',
    }),
    id: t.id({ required: true, description: RECORD_ID }),
  }),
});

builder.queryField('record', (t) =>
  t.withAuth({ session: true }).field({
    administrator: { roles: DEVELOPER },
    type: RecordType,
    description:
      'One record. Fails with `NOT_FOUND` if it does not exist and `FORBIDDEN` if the caller may not read it.',
    args: {
      className: t.arg.string({ required: true, description: CLASS_NAME }),
      id: t.arg.id({ required: true, description: RECORD_ID }),
      ownOnly: t.arg.boolean({
        description:
          'If true, fails with `FORBIDDEN` unless the caller is the owner or an API key without `On-Behalf-Of`. ' +
          'Default: false.',
      }),
    },
    resolve: (_root, { className, id, ownOnly }, context) => findRecord(className, id, context, { ownOnly }),
  }),
);

builder.queryField('recordsById', (t) =>
  t.withAuth({ session: true }).field({
    administrator: { roles: DEVELOPER },
    type: FoundRecordsType,
    description: 'Up to 100 records by id. Records that the caller may not read are returned in `notFoundIds`.',
    args: {
      className: t.arg.string({ required: true, description: CLASS_NAME }),
      ids: t.arg.idList({ required: true, description: RECORD_IDS }),
    },
    resolve: (_root, { className, ids }, context) => findRecordsById(className, ids, context),
  }),
);

builder.queryField('records', (t) =>
  t.withAuth({ session: true }).connection(
    {
      administrator: { roles: DEVELOPER },
      type: RecordType,
      description: 'Records of a class that the caller may read. Sorted by `id` unless `orderBy` is given.',
      args: {
        className: t.arg.string({ required: true, description: CLASS_NAME }),
        filter: t.arg({ type: 'JSON', description: FILTER }),
        orderBy: t.arg({ type: RecordOrder, description: ORDER }),
        parentId: t.arg.id({ description: 'Only return children of this record.' }),
      },
      resolve: (_root, args, context) => listRecords(args, context),
    },
    { fields: metered },
  ),
);

builder.queryField('recordPage', (t) =>
  t.withAuth({ session: true }).field({
    administrator: { roles: DEVELOPER },
    type: RecordPageType,
    description:
      'A page of records by offset, with the rules of REST for filters. Sorted by `id` unless `orderBy` is given.',
    args: {
      className: t.arg.string({ required: true, description: CLASS_NAME }),
      criteria: t.arg({
        type: 'JSON',
        description:
          'Like `filter` of `records`, with the names `_id`, `_parent_id`, `user_id`, `created_at` and ' +
          '`updated_at`. Unknown names with a plain value are ignored.',
      }),
      orderBy: t.arg({ type: RecordOrder, description: ORDER }),
      parent: t.arg({
        type: ParentInput,
        description: 'Only return children of this record. An unknown or unreadable parent fails with `NOT_FOUND`.',
      }),
      skip: t.arg.int({ required: true, defaultValue: 0, description: SKIP }),
      limit: t.arg.int({ required: true, defaultValue: 100, description: 'Maximum number of records, 1 to 100.' }),
      lastOnly: t.arg.boolean({
        description: 'Only return the last record in sort order; `limit` is then 1. Default: false.',
      }),
    },
    resolve: (_root, args, context) => listRecordPage(args, context),
  }),
);
