import { isObject, type Parameters, type ParameterValue } from '../lib/bracket-keys.ts';
import { UnprocessableError } from '../lib/errors.ts';
import { readInteger, readList, readText } from '../lib/parameter-values.ts';
import { readWindow } from './http/lists.ts';
import type { RestRequest } from './http/route.ts';
import { readPermissions } from './record-permissions.ts';

const OPERATIONS = ['read', 'update', 'delete'] as const;

const OPERATORS = {
  inc: 'inc',
  push: 'push',
  add_to_set: 'addToSet',
  pull: 'pull',
  pull_all: 'pullAll',
  pop: 'pop',
} as const;

type Operators = { [Name in (typeof OPERATORS)[keyof typeof OPERATORS]]?: ParameterValue };

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

export function readNewRecord(parameters: Parameters, request: RestRequest) {
  const fields = readFields(parameters, request);
  return {
    fields,
    permissions: readPermissions(parameters, OPERATIONS),
    parentId: parentOf(fields),
  };
}

function parentOf({ _parent_id: id }: Parameters): string | undefined {
  if (typeof id === 'object' && id !== null) throw new UnprocessableError('Parent record was not found');
  return readText(id) || undefined;
}

export function readChanges(parameters: Parameters, request: RestRequest) {
  const operators: Operators = {};
  const fields: Parameters = Object.create(null);
  for (const [name, value] of Object.entries(parameters)) {
    const operator = Object.hasOwn(OPERATORS, name) ? OPERATORS[name as keyof typeof OPERATORS] : undefined;
    if (operator && isObject(value)) operators[operator] = value;
    else fields[name] = value;
  }
  return { fields: readFields(fields, request), ...operators, permissions: readPermissions(parameters, OPERATIONS) };
}

/** Except in JSON, the text `null` is null. */
export function readFields(parameters: Parameters, { header }: Pick<RestRequest, 'header'>): Parameters {
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

function orNull(value: ParameterValue): ParameterValue {
  return value === 'null' ? null : value;
}

export function readRecordOrder(parameters: Parameters) {
  const descending = readText(parameters.sort_desc);
  const field = descending || readText(parameters.sort_asc);
  return field ? { field, direction: descending ? ('DESC' as const) : ('ASC' as const) } : undefined;
}

/** Like `readWindow`, but `limit=-1` selects the last record of the order. */
export function readRecordWindow(parameters: Parameters) {
  const lastOnly = readInteger(parameters.limit) === -1;
  const { limit, skip } = readWindow(parameters);
  return { limit: lastOnly ? 1 : limit, skip, lastOnly };
}

const FUNCTIONS = { avg: 'AVG', min: 'MIN', max: 'MAX', sum: 'SUM' } as const;

interface Calculation {
  field: string;
  function: (typeof FUNCTIONS)[keyof typeof FUNCTIONS];
}

/** `group_by=make&value[calc]=avg` @throws {UnprocessableError} `Incorrect filter: <field>[calc]` */
export function readGrouping(parameters: Parameters) {
  const criteria = readCriteria(parameters);
  const by = readText(parameters.group_by) || undefined;
  const calculations: Calculation[] = [];
  if (by === undefined) return { by, calculations, criteria };
  for (const [field, requested] of Object.entries(criteria)) {
    if (!isObject(requested) || requested.calc === undefined) continue;
    const { calc, ...filters } = requested;
    const name = readText(calc) ?? '';
    if (!Object.hasOwn(FUNCTIONS, name)) throw new UnprocessableError(`Incorrect filter: ${field}[calc]`);
    calculations.push({ field, function: FUNCTIONS[name as keyof typeof FUNCTIONS] });
    criteria[field] = Object.assign(Object.create(null), filters);
  }
  return { by, calculations, criteria };
}
