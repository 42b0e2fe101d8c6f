import { recordShape } from '../../shapes/record.ts';
import { inputOf } from './from-graphql.ts';
import { permissionsAsked } from './record-permissions.ts';
import { anything, described, mapOf, named, type ObjectSchema, text } from './schemas.ts';

export const record = recordShape.schema;

const VALUES = described(anything, 'Value of the field with this name.');

/** A caller who may not read the record receives only the required members. */
export const changed: ObjectSchema = named('ChangedRecord', {
  ...record,
  required: ['_id', 'created_at', 'updated_at'],
});

/** Lists omit permissions by default, and members that `output` does not select. */
const { required: _required, ...members } = record;
export const listed: ObjectSchema = named('ListedRecord', members);

const permissions = permissionsAsked(['read', 'update', 'delete']);
export const created: ObjectSchema = named('NewRecord', {
  ...inputOf('CreateRecordInput', {
    _parent_id: [
      'parentId',
      described(text, 'Id of the parent record, of any class. Deleting the parent deletes this record.'),
    ],
    permissions,
  }),
  additionalProperties: VALUES,
});
export const operator = (description: string) => described(mapOf(anything), description);
export const changes: ObjectSchema = {
  ...inputOf('UpdateRecordInput', {
    inc: ['inc', operator('Numbers to add, by field. An unset field counts as 0.')],
    push: ['push', operator('Items to append to arrays, by field: one item or a list.')],
    add_to_set: ['addToSet', operator('Items to append to arrays, by field, unless the array contains them.')],
    pull: ['pull', operator('Items to remove from arrays, by field: a value, or a condition such as `{"lt": 5}`.')],
    pull_all: ['pullAll', operator('Lists of items to remove from arrays, by field.')],
    pop: ['pop', operator('1 removes the last item of an array, -1 the first, by field.')],
    permissions,
  }),
  additionalProperties: VALUES,
};
