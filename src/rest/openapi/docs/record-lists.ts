import { UnprocessableError } from '../../../lib/errors.ts';
import { count, countParameter, windowMembers, windowParameters } from './lists.ts';
import {
  anything,
  closed,
  described,
  flag,
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

const namesOf = (description: string): Schema => ({ type: ['string', 'array'], items: text, description });

export function recordLists(record: ObjectSchema) {
  const fields: ObjectSchema = {
    ...mapOf(anything),
    description:
      'Filters by a field of the class, `_id`, `_parent_id`, `user_id`, `created_at` or `updated_at`: a value, or operators ' +
      'such as `year[gt]=2000`. Operators: `lt`, `lte`, `gt`, `gte`, `ne`, `in`, `nin` and `or`; for arrays also `all`, for ' +
      'strings `ctn`, for locations `near` with `<lat>,<lon>;<metres>`.',
  };
  const permissions = requestObject({
    permissions: described(flag, '1 includes the permissions of each record. Default 0.'),
  });
  const output = together(
    requestObject({
      output: described(
        requestObject({
          include: namesOf('Members to return, besides `_id`.'),
          exclude: namesOf('Members to omit.'),
        }),
        'Members to return or to omit, separated by commas: `output[include]=make,year`.',
      ),
    }),
    permissions,
  );
  const page = { class_name: described(text, 'Name of the class.'), ...windowMembers };
  return {
    filters: fields,
    permissions: requestObject({
      permissions: described(flag, '1 returns only the permissions; for the owner and API keys alone. Default 0.'),
    }),
    output,
    window: windowParameters,
    parameters: {
      ...together(
        requestObject({
          sort_asc: described(text, 'Field to sort by, in ascending order.'),
          sort_desc: described(text, 'Field to sort by, in descending order; takes precedence over `sort_asc`.'),
          group_by: described(
            text,
            'Field to group by. `<field>[calc]=avg` calculates a value per group: `avg`, `min`, `max` or `sum`.',
          ),
        }),
        windowParameters,
        countParameter,
        output,
      ),
      additionalProperties: fields,
    },
    answer: {
      anyOf: [
        closed({ ...page, items: described(listOf(record), 'The records.') }),
        closed({ ...page, items: described(count.properties.items!, 'With `count=1`.') }),
        closed({
          ...page,
          items: described(
            listOf({
              ...closed({ _id: described(anything, 'Value of the field to group by.') }),
              additionalProperties: described(nullable(number), 'Result for the field with this name.'),
            }),
            'With `group_by`: the groups.',
          ),
        }),
      ],
    },
    errors: [
      new UnprocessableError('Incorrect filter: year[like]'),
      new UnprocessableError('Incorrect sort field: colour'),
    ],
  };
}
