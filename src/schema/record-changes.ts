import { createChildRecord, createRecord, createRecords } from '../resolvers/records/create.ts';
import { deleteRecord, deleteRecords, deleteRecordsByCriteria } from '../resolvers/records/delete.ts';
import {
  type UpdatedByCriteria,
  updateRecord,
  updateRecords,
  updateRecordsByCriteria,
} from '../resolvers/records/update.ts';
import { builder } from './builder.ts';
import { RecordPermissionInput } from './classes.ts';
import { deletedItems } from './deletions.ts';
import { CLASS_NAME, LIMIT, RECORD_ID, RECORD_PERMISSIONS, SKIP, SKIPPED } from './descriptions.ts';
import { FoundRecordsType, RecordType } from './records.ts';

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

const DeletedRecords = deletedItems('DeletedRecords', 'What became of each record of a deletion.');

const DeletedByCriteria = builder.objectRef<{ totalDeleted: number }>('DeletedByCriteria').implement({
  description: 'How much a deletion by criteria took away.',
  fields: (t) => ({
    totalDeleted: t.exposeInt('totalDeleted', {
      description: 'Records that the criteria named; those below them not counted.',
    }),
  }),
});

const RecordPermissionsInput = builder.inputType('RecordPermissionsInput', {
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
