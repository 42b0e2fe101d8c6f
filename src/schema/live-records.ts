import { type RecordChange, recordChange, watchRecords } from '../resolvers/records/live.ts';
import { builder } from './builder.ts';
import { SINCE } from './live.ts';
import { RecordType } from './records.ts';

export const RecordChangeKind = builder.enumType('RecordChangeKind', {
  values: {
    CREATED: { value: 'recordCreated' },
    UPDATED: { value: 'recordUpdated' },
    DELETED: { value: 'recordDeleted' },
  } as const,
});

const RecordChanged = builder.objectRef<RecordChange>('RecordChanged').implement({
  description: 'Something that happened to a record, told once and in order.',
  fields: (t) => ({
    cursor: t.string({
      description: 'Place in the one stream of all events; give it to any operation as `since` to go on from here.',
      resolve: ({ position }) => String(position),
    }),
    change: t.expose('kind', { type: RecordChangeKind, description: 'What happened then.' }),
    recordId: t.exposeID('recordId'),
    record: t.expose('record', {
      type: RecordType,
      nullable: true,
      description:
        'As it is when this is told: put it in the place of what you have. Null: take that away, as the record is gone, ' +
        'or no longer the caller’s to read or what `where` names.',
    }),
  }),
});

builder.subscriptionField('recordChanged', (t) =>
  t.withAuth({ userOrKey: true }).field({
    type: RecordChanged,
    description: 'Records of a class that are created, changed or deleted, as far as the caller may read them.',
    args: {
      className: t.arg.string({ required: true }),
      where: t.arg({ type: 'JSON', description: 'As `filter` of `records`.' }),
      since: t.arg.string({ description: SINCE }),
    },
    extensions: { viewerDependent: true },
    subscribe: (_root, args, context) => watchRecords(args, context),
    resolve: (event, { where }, context) => recordChange(event, where, context),
  }),
);
