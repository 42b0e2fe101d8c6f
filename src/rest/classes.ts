import { isObject, type ParameterValue } from '../lib/bracket-keys.ts';
import { UnprocessableError } from '../lib/errors.ts';
import { readText } from '../lib/parameter-values.ts';
import { readFieldType } from '../resolvers/classes/field-notation.ts';
import { errorList } from './errors.ts';
import { type FragmentOf, graphql, readFragment } from './graphql.ts';
import { created, empty, ok, route } from './http/route.ts';
import { classDocs } from './openapi/docs/classes.ts';
import { presentPermission, readPermissions } from './record-permissions.ts';

const ClassFields = graphql(`fragment ClassFields on RecordClass {
  id name applicationId
  permissions {
    create { access ids groups } read { access ids groups } update { access ids groups } delete { access ids groups }
  }
  fields { name type array }
}`);

const CreateClass = graphql(
  `mutation CreateClass($input: CreateClassInput!) { createClass(input: $input) { ...ClassFields } }`,
  [ClassFields],
);

const ListClasses = graphql(`query ListClasses { classes { ...ClassFields } }`, [ClassFields]);

const FindClass = graphql(`query FindClass($name: String!) { class(name: $name) { ...ClassFields } }`, [ClassFields]);

const UpdateClass = graphql(
  `mutation UpdateClass($name: String!, $input: UpdateClassInput!) {
    updateClass(name: $name, input: $input) { ...ClassFields }
  }`,
  [ClassFields],
);

const DeleteClass = graphql(`mutation DeleteClass($name: String!) { deleteClass(name: $name) }`);

const OPERATIONS = ['create', 'read', 'update', 'delete'] as const;

const TYPES = {
  Integer: 'INTEGER',
  Float: 'FLOAT',
  String: 'STRING',
  Boolean: 'BOOLEAN',
  Date: 'DATE',
  Location: 'LOCATION',
  File: 'FILE',
} as const;

const TYPE_NAMES = Object.fromEntries(Object.entries(TYPES).map(([legacy, type]) => [type, legacy]));

export const classRoutes = [
  route({
    method: 'post',
    path: '/class',
    xml: 'class',
    document: CreateClass,
    variables: ({ given }) => ({
      input: {
        name: readText(given.name) ?? '',
        fields: readFields(given.fields),
        permissions: readPermissions(given, OPERATIONS, { isClass: true }),
      },
    }),
    respond: ({ createClass }) => created(presentClass(createClass)),
    errors: errorList,
    docs: classDocs.createClass,
  }),
  route({
    method: 'get',
    path: '/class',
    xml: 'classes',
    document: ListClasses,
    variables: () => ({}),
    respond: ({ classes }) => ok({ items: classes.map(presentClass) }),
    errors: errorList,
    docs: classDocs.listClasses,
  }),
  route({
    method: 'get',
    path: '/class/:name',
    xml: 'class',
    document: FindClass,
    variables: ({ path }) => ({ name: path.name! }),
    respond: ({ class: found }) => ok(presentClass(found)),
    errors: errorList,
    docs: classDocs.findClass,
  }),
  route({
    method: 'put',
    path: '/class/:name',
    xml: 'class',
    document: UpdateClass,
    variables: ({ path, given }) => ({
      name: path.name!,
      input: {
        fields: readFields(given.fields),
        permissions: readPermissions(given, OPERATIONS, { isClass: true }),
      },
    }),
    respond: ({ updateClass }) => ok(presentClass(updateClass)),
    errors: errorList,
    docs: classDocs.updateClass,
  }),
  route({
    method: 'delete',
    path: '/class/:name',
    document: DeleteClass,
    variables: ({ path }) => ({ name: path.name! }),
    respond: empty,
    errors: errorList,
    docs: classDocs.deleteClass,
  }),
];

/** `{ make: 'String', tags: 'String_a' }`; `_a` makes an array, but of files (gaps §8). */
function readFields(value: ParameterValue | undefined) {
  if (!isObject(value)) return [];
  const unknown: string[] = [];
  const fields = Object.entries(value).map(([name, given]) => {
    const { type, array } = readFieldType(readText(given) ?? '') ?? {};
    if (!type) unknown.push(`Field ${name} has an unknown type`);
    return { name, type: TYPES[type ?? 'String'], array };
  });
  if (unknown.length > 0) throw new UnprocessableError(...unknown);
  return fields;
}

function presentClass(masked: FragmentOf<typeof ClassFields>) {
  const { id, name, applicationId, permissions, fields } = readFragment(ClassFields, masked);
  return {
    _id: id,
    name,
    application_id: applicationId,
    user_id: 0,
    acl: {
      create: { ...presentPermission(permissions.create), primary: true },
      read: presentPermission(permissions.read),
      update: presentPermission(permissions.update),
      delete: presentPermission(permissions.delete),
    },
    custom_fields: fields.map((field) => ({
      name: field.name,
      type: TYPE_NAMES[field.type],
      ...(field.array ? { is_array: '1' } : {}),
    })),
  };
}
