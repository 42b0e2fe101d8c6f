import { MAX_RECORD_BYTES } from '../resolvers/records/changes.ts';
import { builder } from './builder.ts';
import { CLASS_NAME, grouped, PARENT_ID, PERMISSION_CHANGES, RECORD_ID, RECORD_PERMISSIONS } from './descriptions.ts';
import { RecordPermissionInput } from './record-permissions.ts';

const RecordPermissionsInput = builder.inputType('RecordPermissionsInput', {
  description:
    'Permissions of a record. Omitted permissions of a new record are those of the class; of an existing ' +
    'record they remain unchanged.',
  fields: (t) => ({
    read: t.field({ type: RecordPermissionInput, description: 'Who may read the record.' }),
    update: t.field({ type: RecordPermissionInput, description: 'Who may change values of the record.' }),
    delete: t.field({ type: RecordPermissionInput, description: 'Who may delete the record and all its descendants.' }),
  }),
});

const FIELDS =
  'Values by field name, converted to the types of the class, for example `{ "make": "Fiat", "value": 100 ' +
  '}`. Unknown field names are ignored.';

export const CreateRecordInput = builder.inputType('CreateRecordInput', {
  description: `A record to create. Its fields take at most ${grouped(MAX_RECORD_BYTES)} bytes as JSON; more fails with \`UNPROCESSABLE\`.`,
  fields: (t) => ({
    className: t.string({ required: true, description: CLASS_NAME }),
    fields: t.field({ type: 'JSON', description: FIELDS }),
    permissions: t.field({ type: RecordPermissionsInput, description: RECORD_PERMISSIONS }),
    parentId: t.id({ description: PARENT_ID }),
  }),
});

export const CreateChildRecordInput = builder.inputType('CreateChildRecordInput', {
  description: 'A record to create as a child of another record.',
  fields: (t) => ({
    className: t.string({ required: true, description: CLASS_NAME }),
    parentClassName: t.string({
      required: true,
      description: 'Class of the parent record. A parent of another class fails with `NOT_FOUND`.',
    }),
    parentId: t.id({
      required: true,
      description:
        'Id of the parent record. Deleting the parent also deletes this record. An unknown or unreadable parent ' +
        'fails with `NOT_FOUND`.',
    }),
    fields: t.field({ type: 'JSON', description: FIELDS }),
    permissions: t.field({ type: RecordPermissionsInput, description: RECORD_PERMISSIONS }),
  }),
});

export const NewRecordInput = builder.inputType('NewRecordInput', {
  description: 'A record to create with `createRecords`.',
  fields: (t) => ({
    number: t.int({
      description:
        'Number of the record in error messages, as in `Record 2: …`. Default: its position in the list, from 1.',
    }),
    fields: t.field({ type: 'JSON', description: FIELDS }),
    permissions: t.field({ type: RecordPermissionsInput, description: RECORD_PERMISSIONS }),
    parentId: t.id({ description: PARENT_ID }),
  }),
});

export const UpdateRecordInput = builder.inputType('UpdateRecordInput', {
  description:
    'Changes to a record. `fields` applies first, then `inc`, `push`, `addToSet`, `pull`, `pullAll` and ' +
    '`pop`. Each operator takes an object of arguments by field name; an operator that does not suit the type ' +
    'of the field fails with `UNPROCESSABLE`.',
  fields: (t) => ({
    fields: t.field({
      type: 'JSON',
      description:
        `${FIELDS} Null clears a field. A list field also takes \`{ "<index>": item }\`, counted from 0, to replace ` +
        'single items.',
    }),
    inc: t.field({
      type: 'JSON',
      description: 'Amounts to add to number fields: `{ "views": 1 }`. An unset field counts as 0.',
    }),
    push: t.field({ type: 'JSON', description: 'Items to append to list fields: `{ "tags": ["new", "red"] }`.' }),
    addToSet: t.field({
      type: 'JSON',
      description: 'Items to append to list fields unless the list already contains them: `{ "tags": ["new"] }`.',
    }),
    pull: t.field({
      type: 'JSON',
      description:
        'Items to remove from list fields, by value or by condition: `{ "scores": { "lt": 5 } }`. Operators: ' +
        '`lt`, `lte`, `gt`, `gte`, `ne`, `in`, `notIn`.',
    }),
    pullAll: t.field({ type: 'JSON', description: 'Items to remove from list fields: `{ "tags": ["old", "red"] }`.' }),
    pop: t.field({
      type: 'JSON',
      description:
        'End at which to remove one item of list fields: `{ "tags": 1 }` removes the last item, -1 the first.',
    }),
    permissions: t.field({ type: RecordPermissionsInput, description: PERMISSION_CHANGES }),
  }),
});

export const ChangedRecordInput = builder.inputType('ChangedRecordInput', {
  description: 'A record to update with `updateRecords`.',
  fields: (t) => ({
    id: t.id({ required: true, description: RECORD_ID }),
    changes: t.field({
      type: UpdateRecordInput,
      required: true,
      description: 'Values, operators and permissions to apply to this record.',
    }),
  }),
});
