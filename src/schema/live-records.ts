import { DEVELOPER } from '../administration/administrators/rights.ts';
import { type RecordChange, recordChange, subscribeToRecords } from '../resolvers/records/live.ts';
import { builder } from './builder.ts';
import { CLASS_NAME, CURRENT_RECORD, EVENT_CURSOR } from './descriptions.ts';
import { SINCE } from './live.ts';
import { RecordType } from './records.ts';

export const RecordChangeKind = builder.enumType('RecordChangeKind', {
  description: 'Kinds of changes of a record.',
  values: {
    CREATED: { value: 'recordCreated', description: 'The record was created.' },
    UPDATED: { value: 'recordUpdated', description: 'The values or permissions of the record changed.' },
    DELETED: { value: 'recordDeleted', description: 'The record was deleted, alone or with an ancestor.' },
  } as const,
});

const RecordChanged = builder.objectRef<RecordChange>('RecordChanged').implement({
  description: 'A change of a record. Each change is delivered once, in order.',
  fields: (t) => ({
    cursor: t.string({
      description: EVENT_CURSOR,
      resolve: ({ position }) => String(position),
    }),
    change: t.expose('kind', { type: RecordChangeKind, description: 'Kind of change at that time.' }),
    recordId: t.exposeID('recordId', { description: 'Id of the changed record, set even if `record` is null.' }),
    record: t.expose('record', { type: RecordType, nullable: true, description: CURRENT_RECORD }),
  }),
});

builder.subscriptionField('recordChanged', (t) =>
  t.withAuth({ userOrKey: true }).field({
    scope: 'records',
    administrator: { roles: DEVELOPER },
    type: RecordChanged,
    description:
      'Created, updated and deleted records of a class, as far as the caller may read them. An invalid `where` ' +
      'fails with `UNPROCESSABLE`.',
    args: {
      className: t.arg.string({ required: true, description: CLASS_NAME }),
      where: t.arg({
        type: 'JSON',
        description:
          'Only deliver changes of records that match this filter before or after the change; see `filter` of ' +
          '`records`. Default: all records.',
      }),
      since: t.arg.string({ description: SINCE }),
    },
    extensions: { viewerDependent: true },
    subscribe: (_root, args, context) => subscribeToRecords(args, context),
    resolve: (event, { where }, context) => recordChange(event, where, context),
  }),
);
