import { type RecordChange, recordChange, subscribeToRecords } from '../resolvers/records/live.ts';
import { builder } from './builder.ts';
import { CLASS_NAME } from './descriptions.ts';
import { SINCE } from './live.ts';
import { RecordType } from './records.ts';

export const RecordChangeKind = builder.enumType('RecordChangeKind', {
  description: 'What can happen to a record.',
  values: {
    CREATED: { value: 'recordCreated', description: 'It was stored.' },
    UPDATED: { value: 'recordUpdated', description: 'Its values or permissions are others.' },
    DELETED: { value: 'recordDeleted', description: 'It is gone, perhaps with a record above it.' },
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
    recordId: t.exposeID('recordId', { description: 'Which record it happened to, also where `record` is null.' }),
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
      className: t.arg.string({ required: true, description: CLASS_NAME }),
      where: t.arg({ type: 'JSON', description: 'As `filter` of `records`.' }),
      since: t.arg.string({ description: SINCE }),
    },
    extensions: { viewerDependent: true },
    subscribe: (_root, args, context) => subscribeToRecords(args, context),
    resolve: (event, { where }, context) => recordChange(event, where, context),
  }),
);
