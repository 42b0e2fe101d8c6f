import { UnprocessableError } from '../../../lib/errors.ts';
import { problem } from '../../../lib/problems.ts';
import { classShape } from '../../shapes/class.ts';
import { undefinedClass } from './errors.ts';
import { docsOf } from './operation-docs.ts';
import { closed, described, listOf } from './schemas.ts';

const invalid = [
  new UnprocessableError(problem('FIELD_TYPE_UNKNOWN', { field: 'make' })),
  new UnprocessableError(problem('FIELD_TYPE_FIXED', { field: 'make' })),
  new UnprocessableError(problem('ACCESS_UNKNOWN', { access: 'public' })),
];

export const classDocs = docsOf('Classes', {
  createClass: {
    summary: 'Create a class',
    description:
      'Creates a class of custom objects. Without `permissions`, every user can create and read records, and ' +
      'only owners can update and delete them.',
    status: 201,
    errors: [new UnprocessableError('NAME_INVALID'), new UnprocessableError('NAME_TAKEN'), ...invalid],
    examples: [
      {
        body: {
          name: 'Bikes',
          fields: { make: 'String', gears: 'Integer', tags: 'String_a' },
          indexes: [{ fields: ['make', 'gears'] }],
          permissions: { create: { access: 'open' }, update: { access: 'open_for_groups', groups: ['mechanic'] } },
        },
      },
    ],
  },
  listClasses: {
    summary: 'List classes',
    description: 'Returns all classes of the application, sorted by name.',
    answer: closed({ items: described(listOf(classShape.schema), 'All classes, sorted by name.') }),
    examples: [{}],
  },
  findClass: {
    summary: 'Get a class',
    description: 'Returns one class. An unknown class is a 403.',
    errors: [undefinedClass],
    examples: [{ path: { name: 'Bikes' } }],
  },
  updateClass: {
    summary: 'Update a class',
    description:
      'Adds fields, and replaces the permissions of the given operations. Fields cannot be removed, and their ' +
      'types cannot change.',
    errors: [undefinedClass, ...invalid],
    examples: [{ path: { name: 'Bikes' }, body: { fields: { wheels: 'Float' } } }],
  },
  deleteClass: {
    summary: 'Delete a class',
    description: 'Deletes a class and all its records.',
    errors: [undefinedClass],
    examples: [{ path: { name: 'Bikes' } }],
  },
});
