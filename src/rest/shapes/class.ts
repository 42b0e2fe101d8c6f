import { graphql } from '../graphql.ts';
import { permission } from '../openapi/docs/record-permissions.ts';
import { closed, described, listOf, oneOfTexts, stringId, text } from '../openapi/docs/schemas.ts';
import { presentPermission, presentPermissions } from '../record-permissions.ts';
import { computed, constant, optional, shape } from './shape.ts';

export const FIELD_TYPES = {
  Integer: 'INTEGER',
  Float: 'FLOAT',
  String: 'STRING',
  Boolean: 'BOOLEAN',
  Date: 'DATE',
  Location: 'LOCATION',
  File: 'FILE',
} as const;

const TYPE_NAMES = Object.fromEntries(Object.entries(FIELD_TYPES).map(([legacy, type]) => [type, legacy]));

const acl = described(
  closed({
    create: closed({ ...permission.properties, primary: described({ const: true }, 'Always true.') }, [
      'users_ids',
      'users_groups',
    ]),
    read: permission,
    update: permission,
    delete: permission,
  }),
  'Who may create, read, update and delete records. Apart from `create`, these are the defaults of new records.',
);

const customField = closed(
  {
    name: described(text, 'Name of the field.'),
    type: described(oneOfTexts(Object.keys(FIELD_TYPES)), 'Type of the values.'),
    is_array: described({ const: '1' }, 'Present if the field is an array.'),
  },
  ['is_array'],
);

const compoundIndex = closed({
  fields: described(listOf(text), 'Names of the fields, in order.'),
  unique: described({ type: 'boolean' }, 'Whether no two records may have the same values of all fields.'),
  state: described(oneOfTexts(['building', 'ready', 'dropping']), 'Queries use an index that is `ready`.'),
});

export const classShape = shape(
  'RecordClass',
  {
    _id: ['id', stringId],
    name: 'name',
    application_id: 'applicationId',
    user_id: constant(0, 'Always 0.'),
    acl: computed(
      graphql(`fragment Acl on RecordClass {
        permissions {
          create { access ids groups }
          read { access ids groups }
          update { access ids groups }
          delete { access ids groups }
        }
      }`),
      acl,
      ({ permissions }) => ({
        create: { ...presentPermission(permissions.create), primary: true },
        ...presentPermissions(permissions),
      }),
    ),
    custom_fields: computed(
      graphql(`fragment CustomFields on RecordClass { fields { name type array } }`),
      described(listOf(customField), 'Fields of the class, in order of creation.'),
      ({ fields }) =>
        fields.map(({ name, type, array }) => ({
          name,
          type: TYPE_NAMES[type],
          ...(array ? { is_array: '1' } : {}),
        })),
    ),
    indexes: optional(
      computed(
        graphql(`fragment Indexes on RecordClass { indexes { fields unique state } }`),
        described(listOf(compoundIndex), 'Compound indexes. Absent if the class has none.'),
        ({ indexes }) =>
          indexes.length === 0
            ? null
            : indexes.map(({ fields, unique, state }) => ({ fields, unique, state: state.toLowerCase() })),
      ),
    ),
  },
  { title: 'Class' },
);
