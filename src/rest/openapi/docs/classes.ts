import { UnprocessableError } from '../../../lib/errors.ts';
import { undefinedClass } from './errors.ts';
import { asked, shown } from './from-graphql.ts';
import type { OperationDocs } from './operation-docs.ts';
import { permission, permissionsAsked } from './record-permissions.ts';
import {
  closed,
  described,
  integer,
  listOf,
  mapOf,
  named,
  oneOfTexts,
  type Schema,
  stringId,
  text,
} from './schemas.ts';

const TYPES = ['Integer', 'Float', 'String', 'Boolean', 'Date', 'Location', 'File'];

const acl = closed({
  create: closed({ ...permission.properties, primary: { const: true } }, ['users_ids', 'users_groups']),
  read: permission,
  update: permission,
  delete: permission,
});

const definition = named(
  'Class',
  shown('RecordClass', {
    _id: ['id', stringId],
    name: 'name',
    application_id: 'applicationId',
    user_id: { ...integer, const: 0 },
    acl,
    custom_fields: listOf(closed({ name: text, type: oneOfTexts(TYPES), is_array: { const: '1' } }, ['is_array'])),
  }),
);

const fields: Schema = {
  ...mapOf(oneOfTexts(TYPES.flatMap((type) => (type === 'File' ? [type] : [type, `${type}_a`])))),
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
    body: asked(
      'CreateClassInput',
      {
        name: ['name', { ...text, pattern: '^[A-Za-z][A-Za-z0-9_]{0,49}$' }],
        fields: ['fields', fields],
        permissions,
      },
      ['name'],
    ),
    status: 201,
    answer: definition,
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
    answer: closed({ items: listOf(definition) }),
    examples: [{}],
  },
  findClass: {
    tag: 'Classes',
    summary: 'A class',
    path,
    answer: definition,
    errors: [undefinedClass],
    examples: [{ path: { name: 'Bikes' } }],
  },
  updateClass: {
    tag: 'Classes',
    summary: 'Add fields, replace permissions',
    path,
    body: asked('UpdateClassInput', { fields: ['fields', described(fields, 'To add.')], permissions }),
    answer: definition,
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
