import { UnprocessableError } from '../../../lib/errors.ts';
import { count, countParameter, windowParameters } from './lists.ts';
import {
  anything,
  closed,
  described,
  flag,
  integer,
  listOf,
  mapOf,
  nullable,
  number,
  type ObjectSchema,
  requestObject,
  type Schema,
  text,
  together,
} from './schemas.ts';

/** A list in any form. */
const NAMES: Schema = { type: ['string', 'array'], items: text };

/** What lists of records are requestObject, and how they answer; their filters go by fields of the class. */
export function recordLists(record: ObjectSchema) {
  const fields: ObjectSchema = {
    ...mapOf(anything),
    description:
      'By a field of the class, `_id`, `_parent_id`, `user_id`, `created_at` or `updated_at`: the value, or operators ' +
      '(`year[gt]=2000`): `lt`, `lte`, `gt`, `gte`, `ne`, `in`, `nin`, `or`; `all` of arrays, `ctn` of texts, `near` of ' +
      'locations (`<lat>,<lon>;<metres>`).',
  };
  const permissions = requestObject({ permissions: described(flag, 'Show who may do what.') });
  const output = together(
    requestObject({
      output: described(
        requestObject({ include: NAMES, exclude: NAMES }),
        'Names of members to show, or to leave out: `output[include]=make,year`.',
      ),
    }),
    permissions,
  );
  const sort = described(text, 'A field.');
  return {
    filters: fields,
    permissions: requestObject({
      permissions: described(flag, 'Only who may do what, for the owner and API keys alone.'),
    }),
    output,
    window: windowParameters,
    parameters: {
      ...together(
        requestObject({
          sort_asc: sort,
          sort_desc: described(text, 'A field; counts if both are given.'),
          group_by: described(text, 'A field; then `<field>[calc]=avg` (`min`, `max`, `sum`) computes per value.'),
        }),
        windowParameters,
        countParameter,
        output,
      ),
      additionalProperties: fields,
    },
    answer: {
      anyOf: [
        closed({ class_name: text, skip: integer, limit: integer, items: listOf(record) }),
        closed({ class_name: text, skip: integer, limit: integer, items: count.properties.items! }),
        closed({
          class_name: text,
          skip: integer,
          limit: integer,
          items: listOf({ ...closed({ _id: anything }), additionalProperties: nullable(number) }),
        }),
      ],
    },
    errors: [
      new UnprocessableError('Incorrect filter: year[like]'),
      new UnprocessableError('Incorrect sort field: colour'),
    ],
  };
}
