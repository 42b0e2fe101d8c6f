import { recordShape } from '../../shapes/record.ts';
import { named, type ObjectSchema } from './schemas.ts';

export const record = recordShape.schema;

/** A caller who may not read the record receives only the required members. */
export const changed: ObjectSchema = named('ChangedRecord', {
  ...record,
  required: ['_id', 'created_at', 'updated_at'],
});

/** Lists omit permissions by default, and members that `output` does not select. */
const { required: _required, ...members } = record;
export const listed: ObjectSchema = named('ListedRecord', members);
