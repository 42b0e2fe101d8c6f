import { DEVELOPER } from '../administration/administrators/rights.ts';
import type { RecordGroup } from '../resolvers/records/groups.ts';
import { listRecordPage, type RecordPage } from '../resolvers/records/list.ts';
import { builder } from './builder.ts';
import { CLASS_NAME, LIMIT, ORDER, RECORD_ID, SKIP, SKIPPED, TOTAL_COUNT } from './descriptions.ts';
import { RecordOrder, RecordType } from './records.ts';
import { isRequested } from './requested-fields.ts';

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
    value: t.expose('value', {
      type: 'JSON',
      nullable: true,
      description: 'The common value; null for records without a value.',
    }),
    count: t.exposeInt('count', { description: 'Number of records in the group.' }),
    results: t.expose('results', {
      type: ['Float'],
      nullable: { list: false, items: true },
      description: 'Results of the calculations, in the requested order; null if no record of the group has a value.',
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

builder.queryField('recordPage', (t) =>
  t.withAuth({ session: true }).field({
    scope: 'records',
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
