import { isObject, type Parameters, type ParameterValue } from '../lib/bracket-keys.ts';
import { UnprocessableError } from '../lib/errors.ts';
import { readFlag, readInteger, readList, readText } from '../lib/parameter-values.ts';
import { isoSeconds } from '../lib/time.ts';
import { readWindow } from './http/lists.ts';
import type { RestRequest } from './http/route.ts';
import { type PermissionAnswer, presentPermission, readPermissions } from './record-permissions.ts';

// What legacy clients say of records, and what they are shown, in the words of GraphQL and back (gaps §9).

const OPERATIONS = ['read', 'update', 'delete'] as const;

/** Legacy name of an update operator → its GraphQL name. */
const OPERATORS = {
  inc: 'inc',
  push: 'push',
  add_to_set: 'addToSet',
  pull: 'pull',
  pull_all: 'pullAll',
  pop: 'pop',
} as const;

type Operators = { [Name in (typeof OPERATORS)[keyof typeof OPERATORS]]?: ParameterValue };

/** What a list is asked beside its filters. */
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

/** Operators whose argument is a list in any form. */
const LIST_OPERATORS = new Set(['in', 'nin', 'all', 'or']);

/** A new record as it is sent. */
export function readNewRecord(given: Parameters, request: RestRequest) {
  const fields = readFields(given, request);
  return {
    fields,
    permissions: readPermissions(given, OPERATIONS),
    parentId: parentOf(fields),
  };
}

function parentOf({ _parent_id: id }: Parameters): string | undefined {
  if (typeof id === 'object' && id !== null) throw new UnprocessableError('Parent record was not found');
  return readText(id) || undefined;
}

/** A change as it is sent: operators are objects under their names, all else are values. */
export function readChanges(given: Parameters, request: RestRequest) {
  const operators: Operators = {};
  const fields: Parameters = Object.create(null);
  for (const [name, value] of Object.entries(given)) {
    const operator = Object.hasOwn(OPERATORS, name) ? OPERATORS[name as keyof typeof OPERATORS] : undefined;
    if (operator && isObject(value)) operators[operator] = value;
    else fields[name] = value;
  }
  return { fields: readFields(fields, request), ...operators, permissions: readPermissions(given, OPERATIONS) };
}

/** In all but JSON the text `null` is null (gaps §1.2). */
export function readFields(given: Parameters, { header }: Pick<RestRequest, 'header'>): Parameters {
  if (/^\s*application\/json/i.test(header('Content-Type') ?? '')) return given;
  const fields: Parameters = Object.create(null);
  for (const [name, value] of Object.entries(given)) fields[name] = value === 'null' ? null : value;
  return fields;
}

/** The filters among the parameters of a list, by their keys. */
export function readCriteria(given: Parameters): Parameters {
  const criteria: Parameters = Object.create(null);
  for (const [key, asked] of Object.entries(given)) {
    if (!LIST_PARAMETERS.has(key)) criteria[key] = isObject(asked) ? operatorsOf(asked) : orNull(asked);
  }
  return criteria;
}

function operatorsOf(asked: Parameters): Parameters {
  const operators: Parameters = Object.create(null);
  for (const [operator, value] of Object.entries(asked)) {
    operators[operator] = LIST_OPERATORS.has(operator) ? readList(value) : orNull(value);
  }
  return operators;
}

function orNull(value: ParameterValue): ParameterValue {
  return value === 'null' ? null : value;
}

/** `sort_desc=value` → `{ field: 'value', direction: 'DESC' }`; of both `sort_desc` counts. */
export function readRecordOrder(given: Parameters) {
  const descending = readText(given.sort_desc);
  const field = descending || readText(given.sort_asc);
  return field ? { field, direction: descending ? ('DESC' as const) : ('ASC' as const) } : undefined;
}

/** As lists have it, but `limit=-1` asks for the last record of the order. */
export function readRecordWindow(given: Parameters) {
  const lastOnly = readInteger(given.limit) === -1;
  const { limit, skip } = readWindow(given);
  return { limit: lastOnly ? 1 : limit, skip, lastOnly };
}

const FUNCTIONS = { avg: 'AVG', min: 'MIN', max: 'MAX', sum: 'SUM' } as const;

interface Calculation {
  field: string;
  function: (typeof FUNCTIONS)[keyof typeof FUNCTIONS];
}

/**
 * `group_by=make&value[calc]=avg`: the field, what is to be calculated, and the filters that remain.
 * @throws {UnprocessableError} `Incorrect filter: <field>[calc]`
 */
export function readGrouping(given: Parameters) {
  const criteria = readCriteria(given);
  const by = readText(given.group_by) || undefined;
  const calculations: Calculation[] = [];
  if (by === undefined) return { by, calculations, criteria };
  for (const [field, asked] of Object.entries(criteria)) {
    if (!isObject(asked) || asked.calc === undefined) continue;
    const { calc, ...filters } = asked;
    const name = readText(calc) ?? '';
    if (!Object.hasOwn(FUNCTIONS, name)) throw new UnprocessableError(`Incorrect filter: ${field}[calc]`);
    calculations.push({ field, function: FUNCTIONS[name as keyof typeof FUNCTIONS] });
    criteria[field] = Object.assign(Object.create(null), filters);
  }
  return { by, calculations, criteria };
}

/** A record as the documents ask for it; all but the id and the times are null to a caller who may not read it. */
export interface RecordAnswer {
  id: string;
  parentId: string | null;
  userId: number | null;
  createdAt: number;
  updatedAt: number;
  fields: unknown;
  permissions: PermissionsAnswer | null;
}

export interface PermissionsAnswer {
  read: PermissionAnswer;
  update: PermissionAnswer;
  delete: PermissionAnswer;
}

export function presentRecord(record: RecordAnswer, { withPermissions = true }: { withPermissions?: boolean } = {}) {
  const { id, createdAt, updatedAt, permissions } = record;
  if (permissions === null) return { _id: id, created_at: createdAt, updated_at: updatedAt };
  return {
    _id: id,
    _parent_id: record.parentId,
    created_at: createdAt,
    updated_at: updatedAt,
    user_id: record.userId,
    ...(withPermissions ? { permissions: presentPermissions(permissions) } : {}),
    ...presentFields(record.fields),
  };
}

export function presentPermissions(permissions: PermissionsAnswer) {
  return {
    read: presentPermission(permissions.read),
    update: presentPermission(permissions.update),
    delete: presentPermission(permissions.delete),
  };
}

/** Records of a list, with what `output[include]` and `output[exclude]` ask for, permissions only if asked for. */
export function presentListed(records: RecordAnswer[], given: Parameters): Record<string, unknown>[] {
  const withPermissions = readFlag(given.permissions) === true;
  const output = isObject(given.output) ? given.output : {};
  const include = output.include === undefined ? undefined : new Set(['_id', ...names(output.include)]);
  const exclude = new Set(names(output.exclude));
  return records.map((record) => {
    const members = Object.entries(presentRecord(record, { withPermissions }));
    return Object.fromEntries(members.filter(([name]) => (include?.has(name) ?? true) && !exclude.has(name)));
  });
}

function names(value: ParameterValue | undefined): string[] {
  return readList(value).flatMap((name) => readText(name) ?? []);
}

/** Values of fields as clients know them: moments cut to whole seconds. */
export function presentFields(fields: unknown): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields as Record<string, unknown>).map(([name, value]) => [name, presentValue(value)]),
  );
}

export function presentValue(value: unknown): unknown {
  if (value instanceof Date) return isoSeconds(value);
  if (Array.isArray(value)) return value.map(presentValue);
  if (typeof value !== 'object' || value === null) return value;
  // The one kind of object that a field holds.
  const { fileId, name, size, contentType } = value as Record<string, unknown>;
  return { file_id: fileId, name, size, content_type: contentType };
}
