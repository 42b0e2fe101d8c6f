import { UnprocessableError } from '../../../lib/errors.ts';
import { classShape, FIELD_TYPES } from '../../shapes/class.ts';
import { undefinedClass } from './errors.ts';
import { inputOf } from './from-graphql.ts';
import type { OperationDocs } from './operation-docs.ts';
import { permissionsAsked } from './record-permissions.ts';
import { closed, described, listOf, mapOf, oneOfTexts, type Schema, text } from './schemas.ts';

const fields: Schema = {
  ...mapOf(oneOfTexts(Object.keys(FIELD_TYPES).flatMap((type) => (type === 'File' ? [type] : [type, `${type}_a`])))),
  description: 'Type by name of the field, up to 200 fields. `_a` after a type makes the field an array.',
};
const indexes: Schema = described(
  {
    ...listOf(
      closed(
        {
          fields: described(listOf(text), 'Two or three fields: exact values first, ranges and orders last.'),
          unique: described(
            { type: 'boolean', default: false },
            'Whether no two records may have the same values of all fields.',
          ),
        },
        ['unique'],
      ),
    ),
    maxItems: 8,
  },
  'Compound indexes, for lists filtered by the first fields and sorted by the last one.',
);
const permissions = permissionsAsked(['create', 'read', 'update', 'delete'], { isClass: true });
const path = { name: described(text, 'Name of the class.') };
const invalid = [
  new UnprocessableError('Field make has an unknown type'),
  new UnprocessableError('Field make already has another type'),
  new UnprocessableError('Unknown access: public'),
];

export const classDocs = {
  createClass: {
    tag: 'Classes',
    summary: 'Create a class',
    description:
      'Creates a class of custom objects. Without `permissions`, every user can create and read records, and ' +
      'only owners can update and delete them.',
    body: inputOf(
      'CreateClassInput',
      {
        name: [
          'name',
          described(
            { ...text, pattern: '^[A-Za-z][A-Za-z0-9_]{0,49}$' },
            'A letter, then up to 49 letters, digits and `_`; unique in the application.',
          ),
        ],
        fields: ['fields', fields],
        indexes: ['indexes', indexes],
        permissions,
      },
      ['name'],
    ),
    status: 201,
    answer: classShape.schema,
    errors: [
      new UnprocessableError('Name is invalid'),
      new UnprocessableError('Name has already been taken'),
      ...invalid,
    ],
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
    tag: 'Classes',
    summary: 'List classes',
    description: 'Returns all classes of the application, sorted by name.',
    answer: closed({ items: described(listOf(classShape.schema), 'All classes, sorted by name.') }),
    examples: [{}],
  },
  findClass: {
    tag: 'Classes',
    summary: 'Get a class',
    description: 'Returns one class. An unknown class is a 403.',
    path,
    answer: classShape.schema,
    errors: [undefinedClass],
    examples: [{ path: { name: 'Bikes' } }],
  },
  updateClass: {
    tag: 'Classes',
    summary: 'Update a class',
    description:
      'Adds fields, and replaces the permissions of the given operations. Fields cannot be removed, and their ' +
      'types cannot change.',
    path,
    body: inputOf('UpdateClassInput', {
      fields: ['fields', described(fields, 'Fields to add: type by name, as at creation.')],
      indexes: [
        'indexes',
        described(indexes, 'Compound indexes. They replace the current ones; an empty list removes all.'),
      ],
      permissions,
    }),
    answer: classShape.schema,
    errors: [undefinedClass, ...invalid],
    examples: [{ path: { name: 'Bikes' }, body: { fields: { wheels: 'Float' } } }],
  },
  deleteClass: {
    tag: 'Classes',
    summary: 'Delete a class',
    description: 'Deletes a class and all its records.',
    path,
    answer: 'nothing',
    errors: [undefinedClass],
    examples: [{ path: { name: 'Bikes' } }],
  },
} satisfies Record<string, OperationDocs>;
