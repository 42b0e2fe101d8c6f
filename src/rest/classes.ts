import { isObject, type ParameterValue } from '../lib/bracket-keys.ts';
import { UnprocessableError } from '../lib/errors.ts';
import { readFlag, readList, readText } from '../lib/parameter-values.ts';
import { readFieldType } from '../resolvers/classes/field-notation.ts';
import { errorList } from './errors.ts';
import { graphql } from './graphql.ts';
import { created, empty, ok, route } from './http/route.ts';
import { classDocs } from './openapi/docs/classes.ts';
import { readPermissions } from './record-permissions.ts';
import { classShape, FIELD_TYPES } from './shapes/class.ts';

const CreateClass = graphql(
  `mutation CreateClass($input: CreateClassInput!) { createClass(input: $input) { ...RecordClassFields } }`,
  [classShape],
);

const ListClasses = graphql(`query ListClasses { classes { ...RecordClassFields } }`, [classShape]);

const FindClass = graphql(`query FindClass($name: String!) { class(name: $name) { ...RecordClassFields } }`, [
  classShape,
]);

const UpdateClass = graphql(
  `mutation UpdateClass($name: String!, $input: UpdateClassInput!) {
    updateClass(name: $name, input: $input) { ...RecordClassFields }
  }`,
  [classShape],
);

const DeleteClass = graphql(`mutation DeleteClass($name: String!) { deleteClass(name: $name) }`);

const OPERATIONS = ['create', 'read', 'update', 'delete'] as const;

export const classRoutes = [
  route({
    method: 'post',
    path: '/class',
    xml: 'class',
    document: CreateClass,
    variables: ({ parameters }) => ({
      input: {
        name: readText(parameters.name) ?? '',
        fields: readFields(parameters.fields),
        indexes: readIndexes(parameters.indexes),
        permissions: readPermissions(parameters, OPERATIONS, { isClass: true }),
      },
    }),
    respond: ({ createClass }) => created(classShape.present(createClass)),
    errors: errorList,
    docs: classDocs.createClass,
  }),
  route({
    method: 'get',
    path: '/class',
    xml: 'classes',
    document: ListClasses,
    variables: () => ({}),
    respond: ({ classes }) => ok({ items: classes.map(classShape.present) }),
    errors: errorList,
    docs: classDocs.listClasses,
  }),
  route({
    method: 'get',
    path: '/class/:name',
    xml: 'class',
    document: FindClass,
    variables: ({ path }) => ({ name: path.name! }),
    respond: ({ class: found }) => ok(classShape.present(found)),
    errors: errorList,
    docs: classDocs.findClass,
  }),
  route({
    method: 'put',
    path: '/class/:name',
    xml: 'class',
    document: UpdateClass,
    variables: ({ path, parameters }) => ({
      name: path.name!,
      input: {
        fields: readFields(parameters.fields),
        indexes: readIndexes(parameters.indexes),
        permissions: readPermissions(parameters, OPERATIONS, { isClass: true }),
      },
    }),
    respond: ({ updateClass }) => ok(classShape.present(updateClass)),
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

/** `{ make: 'String', tags: 'String_a' }` */
function readFields(value: ParameterValue | undefined) {
  if (!isObject(value)) return [];
  const unknown: string[] = [];
  const fields = Object.entries(value).map(([name, notation]) => {
    const { type, array } = readFieldType(readText(notation) ?? '') ?? {};
    if (!type) unknown.push(`Field ${name} has an unknown type`);
    return { name, type: FIELD_TYPES[type ?? 'String'], array };
  });
  if (unknown.length > 0) throw new UnprocessableError(...unknown);
  return fields;
}

/** `[{ fields: ['make', 'price'], unique: true }]`; blank removes all. */
function readIndexes(value: ParameterValue | undefined) {
  if (value === undefined || value === null) return undefined;
  return readList(value).map((item) => {
    const { fields, unique } = isObject(item) ? item : {};
    const names = readList(fields);
    const isUnique = readFlag(unique ?? false);
    if (!names.every((name) => typeof name === 'string') || isUnique === undefined || names.length === 0) {
      throw new UnprocessableError('Indexes is invalid');
    }
    return { fields: names, unique: isUnique };
  });
}
