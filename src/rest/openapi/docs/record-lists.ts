import { UnprocessableError } from '../../../lib/errors.ts';
import { problem } from '../../../lib/problems.ts';
import { count, windowMembers } from './lists.ts';
import { anything, closed, described, listOf, nullable, number, type ObjectSchema, text } from './schemas.ts';

export function recordLists(record: ObjectSchema) {
  const page = { class_name: described(text, 'Name of the class.'), ...windowMembers };
  return {
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
      new UnprocessableError(problem('FILTER_INCORRECT', { filter: 'year[like]' })),
      new UnprocessableError(problem('SORT_INCORRECT', { field: 'colour' })),
    ],
  };
}
