import { UnprocessableError } from '../../../lib/errors.ts';
import { classShape, FIELD_TYPES } from '../../shapes/class.ts';
import { undefinedClass } from './errors.ts';
import { inputOf } from './from-graphql.ts';
import type { OperationDocs } from './operation-docs.ts';
import { permissionsAsked } from './record-permissions.ts';
import { closed, described, listOf, mapOf, oneOfTexts, type Schema, text } from './schemas.ts';

const fields: Schema = {
  ...mapOf(oneOfTexts(Object.keys(FIELD_TYPES).flatMap((type) => (type === 'File' ? [type] : [type, `${type}_a`])))),
  description: 'Types by the names of fields; with `_a` the field holds several values.',
};
const permissions = permissionsAsked(['create', 'read', 'update', 'delete'], { isClass: true });
const path = { name: text };
const invalid = [
  new UnprocessableError('Field make has an unknown type'),
  new UnprocessableError('Field make already has another type'),
  new UnprocessableError('Unknown access: everybody'),
];

export const classDocs = {
  createClass: {
    tag: 'Classes',
    summary: 'Define a class',
    body: inputOf(
      'CreateClassInput',
      {
        name: ['name', { ...text, pattern: '^[A-Za-z][A-Za-z0-9_]{0,49}$' }],
        fields: ['fields', fields],
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
          permissions: { create: { access: 'open' }, update: { access: 'open_for_groups', groups: ['mechanic'] } },
        },
      },
    ],
  },
  listClasses: {
    tag: 'Classes',
    summary: 'The classes of the application',
    answer: closed({ items: listOf(classShape.schema) }),
    examples: [{}],
  },
  findClass: {
    tag: 'Classes',
    summary: 'A class',
    path,
    answer: classShape.schema,
    errors: [undefinedClass],
    examples: [{ path: { name: 'Bikes' } }],
  },
  updateClass: {
    tag: 'Classes',
    summary: 'Add fields, replace permissions',
    path,
    body: inputOf('UpdateClassInput', { fields: ['fields', described(fields, 'To add.')], permissions }),
    answer: classShape.schema,
    errors: [undefinedClass, ...invalid],
    examples: [{ path: { name: 'Bikes' }, body: { fields: { wheels: 'Float' } } }],
  },
  deleteClass: {
    tag: 'Classes',
    summary: 'Delete a class with its records',
    path,
    answer: 'nothing',
    errors: [undefinedClass],
    examples: [{ path: { name: 'Bikes' } }],
  },
} satisfies Record<string, OperationDocs>;
