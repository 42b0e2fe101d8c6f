import { graphql } from '../../support/clients/graphql.ts';
import type { Caller } from '../../support/fixtures/users.ts';
import type { Body } from '../../support/operations/operation.ts';
import { type Refused, refusalOf, UNREADABLE } from '../../support/operations/outcomes.ts';
import type { TransportName } from './ask.ts';
import type { Choice, GivenFilter, GivenTest } from './record-choices.ts';
import { formOf, givenField, givenItem, shownValue } from './record-forms.ts';
import type { FieldChange, NewRecord, RecordModel, Update } from './record-model.ts';
import { COMMON, type Deed, type Field, type Item, type Permission, Refusal, type Stored } from './record-words.ts';

/** The response as the model predicts it, or the reason of a refusal. */
export type Answer<Value> = { refused: Refusal['reason'] } | { value: Value };

export function answerOf<Value>(deed: () => Value): Answer<Value> {
  try {
    return { value: deed() };
  } catch (error) {
    if (error instanceof Refusal) return { refused: error.reason };
    throw error;
  }
}

const REASONS: Record<string, Refusal['reason']> = {
  [UNREADABLE]: 'invalid',
  BAD_USER_INPUT: 'invalid',
  UNPROCESSABLE: 'invalid',
  FORBIDDEN: 'forbidden',
  NOT_FOUND: 'not found',
};

export function refused({ refused: code, text }: Refused, asked: string): { refused: Refusal['reason'] } {
  const reason = REASONS[code];
  if (!reason) throw new Error(`${asked}: ${code} ${text}`);
  return { refused: reason };
}

export async function callGraphql<Value>(
  as: Caller,
  document: string,
  variables: Record<string, unknown>,
  read: (answer: Body) => Value,
): Promise<Answer<Value>> {
  const answer = await graphql(document, variables, as);
  const refusal = refusalOf(answer, document);
  return refusal ? refused(refusal, document) : { value: read(answer.data.answer) };
}

/** A record as responses show it; hidden fields are null. */
export interface Shown {
  id: string;
  parentId: string | null;
  userId: number | null;
  createdAt: number;
  updatedAt: number;
  permissions: Record<Deed, Permission> | null;
  fields: Record<string, unknown> | null;
}

const HIDDEN = { parentId: null, userId: null, permissions: null, fields: null };

/** The record as a transport shows it; REST truncates dates to seconds. */
export function shownBy(transport: TransportName, fields: Field[], record: Stored): Shown {
  const { id, parentId, userId, createdAt, updatedAt, permissions } = record;
  const times = { createdAt: Math.floor(createdAt / 1000), updatedAt: Math.floor(updatedAt / 1000) };
  if (record.isHidden) return { id, ...times, ...HIDDEN };
  const shown = fields.map(({ name, type }) => {
    const value = shownValue(type, record.fields.get(name));
    const isCut = type === 'Date' && transport === 'REST';
    return [name, isCut ? JSON.parse(JSON.stringify(value).replaceAll(/\.\d{3}Z/g, 'Z')) : value];
  });
  const distinct = (permission: Permission): Permission => {
    if ('ids' in permission) return { ...permission, ids: [...new Set(permission.ids)] };
    return 'groups' in permission ? { ...permission, groups: [...new Set(permission.groups)] } : permission;
  };
  const { read, update, delete: remove } = permissions;
  return {
    id,
    parentId,
    userId,
    ...times,
    permissions: { read: distinct(read), update: distinct(update), delete: distinct(remove) },
    fields: Object.fromEntries(shown),
  };
}

function ofGraphql({
  permissions,
  ...record
}: { permissions: Record<Deed, never> | null } & Omit<Shown, 'permissions'>): Shown {
  if (!permissions) return { ...record, permissions };
  const read = ({ access, ids, groups }: { access: string; ids: number[] | null; groups: string[] | null }) =>
    ({ access: access.toLowerCase(), ...(ids && { ids }), ...(groups && { groups }) }) as Permission;
  const { read: one, update, delete: remove } = permissions;
  return { ...record, permissions: { read: read(one), update: read(update), delete: read(remove) } };
}

interface LegacyPermission {
  access: string;
  users_ids?: string[];
  users_groups?: string[];
}

// biome-ignore lint/suspicious/noExplicitAny: classes have fields of their own
function ofRest({ _id, _parent_id, created_at, updated_at, user_id, permissions, ...fields }: any): Shown {
  if (!permissions) return { id: _id, createdAt: created_at, updatedAt: updated_at, ...HIDDEN };
  const read = ({ access, users_ids: ids, users_groups: groups }: LegacyPermission) =>
    ({ access, ...(ids && { ids: ids.map(Number) }), ...(groups && { groups }) }) as Permission;
  const { read: one, update, delete: remove } = permissions;
  return {
    id: _id,
    parentId: _parent_id,
    userId: user_id,
    createdAt: created_at,
    updatedAt: updated_at,
    permissions: { read: read(one), update: read(update), delete: read(remove) },
    fields,
  };
}

/** Readers of a record with permissions. */
export const RECORD = { rest: ofRest, graphql: ofGraphql };

export function permissionsInput(permissions: Record<string, Permission>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(permissions).map(([deed, { access, ...names }]) => [
      deed,
      { access: access.toUpperCase(), ...names },
    ]),
  );
}

function legacyPermissions(permissions: Partial<Record<Deed, Permission>>, choice: Choice) {
  const entries = Object.entries(permissions);
  if (entries.length === 0) return {};
  const named = (permission: Permission): (number | string)[] | undefined =>
    'ids' in permission ? permission.ids : 'groups' in permission ? permission.groups : undefined;
  const [prefix, isText] = [choice.of(['', 'users_']), choice.oneIn(2)];
  const said = entries.map(([deed, permission]): [string, Record<string, unknown>] => {
    const names = named(permission);
    const key = `${prefix}${'ids' in permission ? 'ids' : 'groups'}`;
    return [deed, { access: permission.access, ...(names && { [key]: isText ? names.join(', ') : names }) }];
  });
  if (choice.oneIn(2)) return { permissions: Object.fromEntries(said) };
  const dotted = said.flatMap(([deed, rest]) =>
    Object.entries(rest).map(([key, value]) => [`permissions.${deed}.${key}`, value]),
  );
  return Object.fromEntries(dotted);
}

export function givenRecord(model: RecordModel, { fields, permissions, parentId }: NewRecord, choice: Choice) {
  const named = model.fields.flatMap((field) => {
    const value = fields.get(field.name)!;
    return value === null && choice.oneIn(2) ? [] : [[field.name, givenField(field, value, choice, true)] as const];
  });
  const given = Object.fromEntries(named);
  return {
    input: { fields: given, permissions: permissionsInput(permissions), parentId },
    legacy: { ...given, ...legacyPermissions(permissions, choice), ...(parentId && { _parent_id: parentId }) },
  };
}

const INPUTS: Record<string, string> = { add_to_set: 'addToSet', pull_all: 'pullAll' };

export function givenUpdate({ changes, permissions }: Update, choice: Choice) {
  const fields: Record<string, unknown> = {};
  const operators: Record<string, Record<string, unknown>> = {};
  for (const change of changes) {
    const { operator, field } = change;
    const given = argumentOf(change, choice);
    if (operator === 'set' || operator === 'replace') fields[field.name] = given;
    else operators[operator] = { ...operators[operator], [field.name]: given };
  }
  const renamed = Object.entries(operators).map(([operator, given]) => [INPUTS[operator] ?? operator, given]);
  return {
    input: { fields, ...Object.fromEntries(renamed), permissions: permissionsInput(permissions) },
    legacy: { ...fields, ...operators, ...legacyPermissions(permissions, choice) },
  };
}

function argumentOf(change: FieldChange, choice: Choice): unknown {
  const { field, value } = change;
  switch (change.operator) {
    case 'set':
      return givenField(field, change.value, choice, false);
    case 'replace':
      return { [change.index]: givenItem(field.type, change.value, choice) };
    case 'pop':
      return choice.of([value, String(value)]);
    case 'pull': {
      const item = givenItem(field.type, change.value, choice);
      return change.comparison ? { [change.comparison]: item } : item;
    }
    case 'inc':
      return givenItem(field.type, change.value, choice);
    default:
      return change.value.map((item) => givenItem(field.type, item as Item, choice));
  }
}

/** The body of a REST call: JSON, or a form where it can express the same. */
export function bodyOf(legacy: Record<string, never>, choice: Choice): { json?: object; encoded?: string } {
  const form = choice.oneIn(3) ? formOf(legacy) : undefined;
  return form ? { json: legacy, encoded: form } : { json: legacy };
}

const ALIASES: Record<string, string> = {
  _id: 'id',
  _parent_id: 'parentId',
  user_id: 'userId',
  created_at: 'createdAt',
  updated_at: 'updatedAt',
};

/** The GraphQL name of a field; common fields have their own names unless the class defines them. */
export function graphqlName(name: string, { fields }: RecordModel): string {
  const alias = COMMON.some((one) => one.name === name) ? ALIASES[name]! : name;
  return alias !== name && fields.some((field) => field.name === alias) ? name : alias;
}

/** Converts a filter to GraphQL. @param named maps field names; operators are the same everywhere */
export function graphqlFilter(filter: GivenFilter, named: (name: string) => string): unknown {
  if ('any' in filter) return { or: filter.any.map((part) => graphqlFilter(part, named)) };
  if (!('all' in filter)) return graphqlTest(filter, filter.operator === 'or' ? 'in' : filter.operator, named);
  const others = filter.all.filter((part) => !('operator' in part && part.operator === 'or'));
  const alternatives = filter.all.filter((part): part is GivenTest => 'operator' in part && part.operator === 'or');
  const or = alternatives.map((part) => graphqlTest(part, 'in', named));
  return { and: others.map((part) => graphqlFilter(part, named)), ...(or.length > 0 && { or }) };
}

const NAMES: Record<string, string> = { nin: 'notIn', ctn: 'contains' };

function graphqlTest({ asked, given }: GivenTest, operator: string, named: (name: string) => string) {
  return { [named(asked.name)]: { [NAMES[operator] ?? operator]: given } };
}

/** Converts a filter to REST if all its tests must hold; undefined if REST cannot express it. */
export function legacyFilter(filter: GivenFilter): Record<string, Record<string, unknown>> | undefined {
  const tests = 'all' in filter ? filter.all : [filter];
  const said: Record<string, Record<string, unknown>> = Object.create(null);
  for (const test of tests) {
    if (!('operator' in test)) return undefined;
    const { name } = test.asked;
    said[name] ??= Object.create(null) as Record<string, unknown>;
    if (test.operator in said[name] || !isSayable(test)) return undefined;
    said[name][test.operator] = test.given;
  }
  return said;
}

/**
 * Whether a query can express the value: all values are text, `null` is null, and a single or blank text in a list has
 * another meaning.
 */
function isSayable({ given }: GivenTest): boolean {
  if (!Array.isArray(given)) return typeof given !== 'object' || given === null;
  if (given.length === 1 && typeof given[0] === 'string') return /^[^\s,]([^,]*[^\s,])?$/.test(given[0]);
  return given.length > 0 && given.every((item) => typeof item !== 'object');
}
