import { DEVELOPER } from '../administration/administrators/rights.ts';
import { MAX_PAGE } from '../lib/pagination.ts';
import { MAX_BATCH } from '../resolvers/records/batches.ts';
import { createChildRecord, createRecord, createRecords, MAX_RECORDS } from '../resolvers/records/create.ts';
import { deleteRecord, deleteRecords, deleteRecordsByCriteria } from '../resolvers/records/delete.ts';
import {
  type UpdatedByCriteria,
  updateRecord,
  updateRecords,
  updateRecordsByCriteria,
} from '../resolvers/records/update.ts';
import { builder } from './builder.ts';
import { deletedItems } from './deletions.ts';
import {
  CLASS_NAME,
  CREATES_RECORD,
  DELETES_RECORD,
  LIMIT,
  NEW_RECORDS,
  RECORD_ID,
  RECORD_IDS,
  SKIP,
  SKIPPED,
} from './descriptions.ts';
import {
  ChangedRecordInput,
  CreateChildRecordInput,
  CreateRecordInput,
  NewRecordInput,
  UpdateRecordInput,
} from './record-inputs.ts';
import { FoundRecordsType, RecordType } from './records.ts';

const UpdatedRecords = builder.objectRef<UpdatedByCriteria>('UpdatedRecords').implement({
  description: 'Result of `updateRecordsByCriteria`, with a page of the updated records.',
  fields: (t) => ({
    skip: t.exposeInt('skip', { description: SKIPPED }),
    limit: t.exposeInt('limit', { description: LIMIT }),
    totalFound: t.exposeInt('totalFound', { description: 'Number of updated records on all pages.' }),
    items: t.expose('items', {
      type: [RecordType],
      description: 'The records of this page after the update.',
    }),
  }),
});

const DeletedRecords = deletedItems('DeletedRecords', 'Result of `deleteRecords`, by record id.');

const DeletedByCriteria = builder.objectRef<{ totalDeleted: number }>('DeletedByCriteria').implement({
  description: 'Result of `deleteRecordsByCriteria`.',
  fields: (t) => ({
    totalDeleted: t.exposeInt('totalDeleted', {
      description: 'Number of deleted records that matched the criteria, without their descendants.',
    }),
  }),
});

builder.mutationField('createRecord', (t) =>
  t.withAuth({ userOrKey: true }).field({
    needsVerifiedEmail: true,
    scope: 'records',
    administrator: { roles: DEVELOPER },
    type: RecordType,
    description: CREATES_RECORD,
    args: {
      input: t.arg({
        type: CreateRecordInput,
        required: true,
        description: 'Class, values and permissions of the new record.',
      }),
    },
    resolve: (_root, { input }, context) => createRecord(input, context),
  }),
);

builder.mutationField('createChildRecord', (t) =>
  t.withAuth({ userOrKey: true }).field({
    needsVerifiedEmail: true,
    scope: 'records',
    administrator: { roles: DEVELOPER },
    type: RecordType,
    description: 'Creates a record as a child of a record of a given class. Fails like `createRecord`.',
    args: {
      input: t.arg({
        type: CreateChildRecordInput,
        required: true,
        description: 'The record to create, and its parent.',
      }),
    },
    resolve: (_root, { input }, context) => createChildRecord(input, context),
  }),
);

builder.mutationField('createRecords', (t) =>
  t.withAuth({ userOrKey: true }).field({
    needsVerifiedEmail: true,
    scope: 'records',
    administrator: { roles: DEVELOPER },
    type: [RecordType],
    description: `Creates up to ${MAX_RECORDS} records, all or none. Fails like \`createRecord\`; the message names the invalid records.`,
    args: {
      className: t.arg.string({ required: true, description: CLASS_NAME }),
      records: t.arg({ type: [NewRecordInput], required: true, description: NEW_RECORDS }),
    },
    resolve: (_root, { className, records }, context) => createRecords(className, records, context),
  }),
);

builder.mutationField('updateRecord', (t) =>
  t.withAuth({ userOrKey: true }).field({
    scope: 'records',
    administrator: { roles: DEVELOPER, isConfirmed: true, confirmedMembers: ['permissions'] },
    type: RecordType,
    description:
      'Changes a record. Fails with `NOT_FOUND` if it does not exist, `FORBIDDEN` if the caller may not update ' +
      'it, and `UNPROCESSABLE` if values are invalid.',
    args: {
      className: t.arg.string({ required: true, description: CLASS_NAME }),
      id: t.arg.id({ required: true, description: RECORD_ID }),
      input: t.arg({ type: UpdateRecordInput, required: true, description: 'Changes to the record.' }),
    },
    resolve: (_root, { className, id, input }, context) => updateRecord(className, id, input, context),
  }),
);

builder.mutationField('updateRecords', (t) =>
  t.withAuth({ userOrKey: true }).field({
    scope: 'records',
    administrator: { roles: DEVELOPER, isConfirmed: true, confirmedMembers: ['permissions'] },
    type: FoundRecordsType,
    description:
      `Changes up to ${MAX_RECORDS} records, all or none. Records that do not exist or that the caller may not update are ` +
      'returned in `notFoundIds`.',
    args: {
      className: t.arg.string({ required: true, description: CLASS_NAME }),
      records: t.arg({
        type: [ChangedRecordInput],
        required: true,
        description: `The records to change, 1 to ${MAX_RECORDS}. Other numbers fail with \`BAD_USER_INPUT\`.`,
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
    scope: 'records',
    administrator: { roles: DEVELOPER, isConfirmed: true, confirmedMembers: ['permissions'] },
    type: UpdatedRecords,
    description:
      'Changes all records that match the criteria and that the caller may read and update. Works in batches of ' +
      `up to ${MAX_BATCH} records; if a batch fails, earlier batches remain changed and an \`UNPROCESSABLE\` ` +
      'error states the number of changed records.',
    args: {
      className: t.arg.string({ required: true, description: CLASS_NAME }),
      criteria: t.arg({
        type: 'JSON',
        description:
          'Filter of the records to change; see `filter` of `records`. Required; no condition fails with ' +
          '`UNPROCESSABLE`.',
      }),
      input: t.arg({ type: UpdateRecordInput, required: true, description: 'Changes to apply to every record.' }),
      skip: t.arg.int({ required: true, defaultValue: 0, description: SKIP }),
      limit: t.arg.int({
        required: true,
        defaultValue: 100,
        description: `Maximum number of records on the returned page, 1 to ${MAX_PAGE}.`,
      }),
    },
    resolve: (_root, { className, input, ...args }, context) =>
      updateRecordsByCriteria(className, { ...args, ...input }, context),
  }),
);

builder.mutationField('deleteRecord', (t) =>
  t.withAuth({ userOrKey: true }).boolean({
    scope: 'records',
    administrator: { roles: DEVELOPER },
    description: DELETES_RECORD,
    args: {
      className: t.arg.string({ required: true, description: CLASS_NAME }),
      id: t.arg.id({ required: true, description: RECORD_ID }),
    },
    resolve: (_root, { className, id }, context) => deleteRecord(className, id, context),
  }),
);

builder.mutationField('deleteRecords', (t) =>
  t.withAuth({ userOrKey: true }).field({
    scope: 'records',
    administrator: { roles: DEVELOPER },
    type: DeletedRecords,
    description: `Deletes up to ${MAX_RECORDS} records and all their descendants. Skips records that the caller may not delete.`,
    args: {
      className: t.arg.string({ required: true, description: CLASS_NAME }),
      ids: t.arg.idList({ required: true, description: RECORD_IDS }),
    },
    resolve: (_root, { className, ids }, context) => deleteRecords(className, ids, context),
  }),
);

builder.mutationField('deleteRecordsByCriteria', (t) =>
  t.withAuth({ userOrKey: true }).field({
    scope: 'records',
    administrator: { roles: DEVELOPER, isConfirmed: true },
    type: DeletedByCriteria,
    description:
      'Deletes all records that match the criteria and that the caller may read and delete, with all their ' +
      `descendants. Works in batches of up to ${MAX_BATCH} records; if a batch fails, earlier batches remain deleted.`,
    args: {
      className: t.arg.string({ required: true, description: CLASS_NAME }),
      criteria: t.arg({
        type: 'JSON',
        description:
          'Filter of the records to delete; see `filter` of `records`. Required; no condition fails with ' +
          '`UNPROCESSABLE`.',
      }),
    },
    resolve: (_root, { className, criteria }, context) => deleteRecordsByCriteria(className, criteria, context),
  }),
);
