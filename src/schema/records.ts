import { DEVELOPER } from '../administration/administrators/rights.ts';
import { type FoundRecords, findRecord, findRecordsById } from '../resolvers/records/find.ts';
import { withFields } from '../resolvers/records/large-fields.ts';
import { listRecords } from '../resolvers/records/list.ts';
import { type PresentedRecord, presentFields, type RecordGrants, readableOnly } from '../resolvers/records/rows.ts';
import { builder } from './builder.ts';
import { CLASS_NAME, DIRECTION, ORDER, RECORD_ID, RECORD_IDS, RECORD_ORDER, UPDATE_ONLY } from './descriptions.ts';
import { commonFields } from './record-fields.ts';
import { granted } from './record-permissions.ts';
import { SortDirection } from './scalars.ts';
import { withTotalCount } from './total-count.ts';

export const RECORD_FILTER =
  'Only return records that match all conditions: `{ "make": { "eq": "BMW" }, "value": { "gt": 50, "lte": ' +
  '90 } }`. Names are fields of the class, `id`, `parentId`, `userId`, `createdAt` and `updatedAt`; `or` ' +
  'and `and` take lists of filters. Operators: `eq` (a plain value means the same; null matches unset ' +
  'values), `ne`, `lt`, `lte`, `gt`, `gte`, `in`, `notIn`, `all` (lists), `contains` (strings, at most 256 ' +
  'characters) and `near` (locations: `{ "lat": 52.5, "lon": 13.4, "radius": 500 }`, meters). Unknown names ' +
  'and operators fail with `UNPROCESSABLE`. Default: all records.';

const RecordPermissions = builder.objectRef<RecordGrants>('RecordPermissions').implement({
  description: 'Who may read, update and delete a record. The owner always may, unless the class is `NOT_ALLOWED`.',
  fields: (t) => ({
    read: granted(t, 'readers', 'Who may read the record.'),
    update: granted(t, 'updaters', 'Who may change values of the record.'),
    delete: granted(t, 'deleters', 'Who may delete the record and all its descendants.'),
  }),
});

export const RecordType = builder.objectRef<PresentedRecord>('Record').implement({
  description: "A record of one of the application's classes, with its fields as one JSON object.",
  fields: (t) => ({
    className: t.string({
      description: 'Name of its class, as defined with `createClass`.',
      resolve: (record) => record.class.name,
    }),
    ...commonFields(t, RecordPermissions),
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
  }),
});

export const FoundRecordsType = builder.objectRef<FoundRecords>('FoundRecords').implement({
  description: 'Records selected by id.',
  fields: (t) => ({
    records: t.expose('records', {
      type: [RecordType],
      description: 'The records found, in the requested order.',
    }),
    notFoundIds: t.exposeIDList('notFoundIds', {
      description: 'Ids that do not exist, or for which the caller lacks the permission.',
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

builder.queryField('record', (t) =>
  t.withAuth({ session: true }).field({
    scope: 'records',
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
    scope: 'records',
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
      scope: 'records',
      administrator: { roles: DEVELOPER },
      type: RecordType,
      description: 'Records of a class that the caller may read. Sorted by `id` unless `orderBy` is given.',
      args: {
        className: t.arg.string({ required: true, description: CLASS_NAME }),
        filter: t.arg({ type: 'JSON', description: RECORD_FILTER }),
        orderBy: t.arg({ type: RecordOrder, description: ORDER }),
        parentId: t.arg.id({ description: 'Only return children of this record.' }),
      },
      resolve: (_root, args, context) => listRecords(args, context),
    },
    { fields: withTotalCount },
  ),
);
