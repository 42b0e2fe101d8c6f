import { readFlag, readList, readText } from '../lib/casts.ts';
import { UnprocessableError } from '../lib/errors.ts';
import { isObject, type JsonValue } from '../lib/json.ts';
import { type Problem, problem } from '../lib/problems.ts';
import { readFieldType } from '../resolvers/classes/field-notation.ts';
import { graphql } from './graphql.ts';
import { route } from './http/route.ts';
import { classDocs } from './openapi/docs/classes.ts';
import { closed, described, listOf, mapOf, oneOfTexts, text } from './openapi/docs/schemas.ts';
import { id, reader, textOrEmpty } from './parameters/readers.ts';
import { asInput, limited, parameters, required } from './parameters/table.ts';
import { permissionsOf } from './record-permissions.ts';
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

const FIELDS = 'Type by name of the field, up to 200 fields. `_a` after a type makes the field an array.';

const NOTATIONS = Object.keys(FIELD_TYPES).flatMap((type) => (type === 'File' ? [type] : [type, `${type}_a`]));
const fields = reader(mapOf(oneOfTexts(NOTATIONS)), readFields);

const index = closed(
  {
    fields: described(listOf(text), 'Two or three fields: exact values first, ranges and orders last.'),
    unique: described(
      { type: 'boolean', default: false },
      'Whether no two records may have the same values of all fields.',
    ),
  },
  ['unique'],
);
const indexes = reader({ ...listOf(index), maxItems: 8 }, readIndexes);

const permissions = permissionsOf(['create', 'read', 'update', 'delete'], { isClass: true });

export const classRoutes = [
  route({
    method: 'post',
    path: '/class',
    xml: 'class',
    document: CreateClass,
    parameters: asInput(
      parameters('CreateClassInput', {
        name: [
          'name',
          required(limited(textOrEmpty, { pattern: '^[A-Za-z][A-Za-z0-9_]{0,49}$' })),
          'A letter, then up to 49 letters, digits and `_`; unique in the application.',
        ],
        fields: ['fields', fields, FIELDS],
        indexes: [
          'indexes',
          indexes,
          'Compound indexes, for lists filtered by the first fields and sorted by the last one.',
        ],
        permissions,
      }),
    ),
    shape: classShape,
    docs: classDocs.createClass,
  }),
  route({
    method: 'get',
    path: '/class',
    xml: 'classes',
    document: ListClasses,
    present: ({ classes }) => ({ items: classes.map(classShape.present) }),
    docs: classDocs.listClasses,
  }),
  route({
    method: 'get',
    path: '/class/:name',
    xml: 'class',
    document: FindClass,
    inPath: { name: ['name', id] },
    shape: classShape,
    docs: classDocs.findClass,
  }),
  route({
    method: 'put',
    path: '/class/:name',
    xml: 'class',
    document: UpdateClass,
    inPath: { name: ['name', id] },
    parameters: asInput(
      parameters('UpdateClassInput', {
        fields: ['fields', fields, 'Fields to add: type by name, as at creation.'],
        indexes: ['indexes', indexes, 'Compound indexes. They replace the current ones; an empty list removes all.'],
        permissions,
      }),
    ),
    shape: classShape,
    docs: classDocs.updateClass,
  }),
  route({
    method: 'delete',
    path: '/class/:name',
    document: DeleteClass,
    inPath: { name: ['name', id] },
    docs: classDocs.deleteClass,
  }),
];

/** `{ make: 'String', tags: 'String_a' }` */
function readFields(value: JsonValue | undefined) {
  if (!isObject(value)) return [];
  const unknown: Problem[] = [];
  const fields = Object.entries(value).map(([name, notation]) => {
    const { type, array } = readFieldType(readText(notation) ?? '') ?? {};
    if (!type) unknown.push(problem('FIELD_TYPE_UNKNOWN', { field: name }));
    return { name, type: FIELD_TYPES[type ?? 'String'], array };
  });
  if (unknown.length > 0) throw new UnprocessableError(...unknown);
  return fields;
}

/** `[{ fields: ['make', 'price'], unique: true }]`; blank removes all. */
function readIndexes(value: JsonValue | undefined) {
  if (value === undefined || value === null) return undefined;
  return readList(value).map((item) => {
    const { fields, unique } = isObject(item) ? item : {};
    const names = readList(fields);
    const isUnique = readFlag(unique ?? false);
    if (!names.every((name) => typeof name === 'string') || isUnique === undefined || names.length === 0) {
      throw new UnprocessableError('INDEXES_INVALID');
    }
    return { fields: names, unique: isUnique };
  });
}
