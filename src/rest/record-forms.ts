import type { Parameters } from '../lib/bracket-keys.ts';
import { readList, readText } from '../lib/casts.ts';
import { UnprocessableError } from '../lib/errors.ts';
import { isObject, type JsonValue } from '../lib/json.ts';
import { anything, described, mapOf, named, requestObject, text, WRONG_TYPE } from './openapi/docs/schemas.ts';
import { noted, type ParameterSource, parameters } from './parameters/table.ts';
import { permissionsOf } from './record-permissions.ts';

export const RECORD_IDS = 'Ids of records, separated by commas.';

/** The path of child records. */
export const CHILD = {
  class: noted(text, 'Name of the class of the parent.'),
  parent: noted(text, 'Id of the parent record, 24 hex digits.'),
  child: noted(text, 'Name of the class of the children.'),
};

const NO_PARENT = 'PARENT_NOT_FOUND';

const operator = (description: string) => described(mapOf(anything), description);

const OPERATORS = {
  inc: ['inc', operator('Numbers to add, by field. An unset field counts as 0.')],
  push: ['push', operator('Items to append to arrays, by field: one item or a list.')],
  add_to_set: ['addToSet', operator('Items to append to arrays, by field, unless the array contains them.')],
  pull: ['pull', operator('Items to remove from arrays, by field: a value, or a condition such as `{"lt": 5}`.')],
  pull_all: ['pullAll', operator('Lists of items to remove from arrays, by field.')],
  pop: ['pop', operator('1 removes the last item of an array, -1 the first, by field.')],
} as const;

type Operators = { [Name in (typeof OPERATORS)[keyof typeof OPERATORS][0]]?: JsonValue };

const permissions = permissionsOf(['read', 'update', 'delete']);
const VALUES = described(anything, 'Value of the field with this name.');

const { schema: ofNewRecord, read: readMembers } = parameters('CreateRecordInput', {
  _parent_id: noted(
    { ...text, [WRONG_TYPE]: () => NO_PARENT },
    'Id of the parent record, of any class. Deleting the parent deletes this record.',
  ),
  permissions,
});

export const newRecord = {
  schema: named('NewRecord', { ...ofNewRecord, additionalProperties: VALUES }),
  read: (parameters: Parameters, source: ParameterSource) => {
    const fields = readFields(parameters, source);
    return { fields, ...readMembers(parameters, source), parentId: parentOf(fields) };
  },
};

export const changedRecord = {
  schema: {
    ...requestObject({
      ...Object.fromEntries(Object.entries(OPERATORS).map(([name, [, schema]]) => [name, schema])),
      permissions: permissions.schema,
    }),
    additionalProperties: VALUES,
  },
  read: readChanges,
};

const LIST_PARAMETERS = new Set([
  'skip',
  'limit',
  'sort_asc',
  'sort_desc',
  'count',
  'output',
  'group_by',
  'permissions',
]);

const LIST_OPERATORS = new Set(['in', 'nin', 'all', 'or']);

function parentOf({ _parent_id: id }: Parameters): string | undefined {
  if (typeof id === 'object' && id !== null) throw new UnprocessableError(NO_PARENT);
  return readText(id) || undefined;
}

function readChanges(parameters: Parameters, source: ParameterSource) {
  const operators: Operators = {};
  const fields: Parameters = Object.create(null);
  for (const [name, value] of Object.entries(parameters)) {
    const operator = Object.hasOwn(OPERATORS, name) ? OPERATORS[name as keyof typeof OPERATORS][0] : undefined;
    if (operator && isObject(value)) operators[operator] = value;
    else fields[name] = value;
  }
  return {
    fields: readFields(fields, source),
    ...operators,
    ...permissions.variables!(undefined, { ...source, parameters }),
  };
}

/** Except in JSON, the text `null` is null. */
export function readFields(parameters: Parameters, { header }: Pick<ParameterSource, 'header'>): Parameters {
  if (/^\s*application\/json/i.test(header('Content-Type') ?? '')) return parameters;
  const fields: Parameters = Object.create(null);
  for (const [name, value] of Object.entries(parameters)) fields[name] = value === 'null' ? null : value;
  return fields;
}

export function readCriteria(parameters: Parameters): Parameters {
  const criteria: Parameters = Object.create(null);
  for (const [key, requested] of Object.entries(parameters)) {
    if (!LIST_PARAMETERS.has(key)) criteria[key] = isObject(requested) ? operatorsOf(requested) : orNull(requested);
  }
  return criteria;
}

function operatorsOf(requested: Parameters): Parameters {
  const operators: Parameters = Object.create(null);
  for (const [operator, value] of Object.entries(requested)) {
    operators[operator] = LIST_OPERATORS.has(operator) ? readList(value) : orNull(value);
  }
  return operators;
}

function orNull(value: JsonValue): JsonValue {
  return value === 'null' ? null : value;
}
