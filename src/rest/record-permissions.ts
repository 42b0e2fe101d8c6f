import type { Parameters } from '../lib/bracket-keys.ts';
import { readIntegerList, readList, readText } from '../lib/casts.ts';
import { UnprocessableError } from '../lib/errors.ts';
import { isObject, type JsonValue, type OptionalJson } from '../lib/json.ts';
import { problem } from '../lib/problems.ts';
import { isDatabaseId } from '../lib/tokens.ts';
import { ACCESS_KINDS, type AccessKind } from '../resolvers/classes/grants.ts';
import { described, integerId, oneOfTexts, requestObject, text } from './openapi/docs/schemas.ts';
import type { Spread } from './parameters/table.ts';

type RecordAccess = Uppercase<AccessKind>;

export interface PermissionInput {
  access: RecordAccess;
  ids?: number[] | undefined;
  groups?: string[] | undefined;
}

export interface PermissionResult {
  access: RecordAccess;
  ids: number[] | null;
  groups: string[] | null;
}

export type RecordAction = 'create' | 'read' | 'update' | 'delete';

/**
 * Accepts nested objects, with the names of requests (`ids`) or of responses (`users_ids`), and dotted keys.
 * @throws {UnprocessableError} `Unknown access: <value>`, `Permissions is invalid`
 */
export function permissionsOf<Among extends RecordAction>(
  among: readonly Among[],
  { isClass = false }: { isClass?: boolean } = {},
): Spread<{ permissions: Partial<Record<Among, PermissionInput>> | undefined }> {
  const kinds = ACCESS_KINDS.filter((kind) => isClass || kind !== 'not_allowed');
  const permission = requestObject(
    {
      access: described(
        oneOfTexts(kinds),
        '`open`: every user. `owner`: the owner only. `open_for_users_ids`: users in `ids`. `open_for_groups`: users ' +
          'with a tag in `groups`.' +
          (isClass ? ' `not_allowed`: API keys alone.' : ''),
      ),
      ids: described(
        { type: ['array', 'string'], items: integerId },
        'Ids of users, up to 1,000; required with `open_for_users_ids`. An array, or a text with commas: `1,2`.',
      ),
      groups: described(
        { type: ['array', 'string'], items: text },
        'Tags of users, up to 1,000 of 1 to 50 characters; required with `open_for_groups`.',
      ),
    },
    ['access'],
  );
  return {
    variables: (_value, { parameters }) => ({ permissions: readPermissions(parameters, among, { isClass }) }),
    schema: described(
      requestObject(Object.fromEntries(among.map((operation) => [operation, permission]))),
      'Permissions by operation. Omitted operations keep their permission, or have the default.',
    ),
  };
}

function readPermissions<Among extends RecordAction>(
  parameters: Parameters,
  among: readonly Among[],
  { isClass = false }: { isClass?: boolean } = {},
): Partial<Record<Among, PermissionInput>> | undefined {
  const whole = parameters.permissions;
  // If ignored, a record that was meant to be private would be open.
  if (whole !== undefined && whole !== null && whole !== '' && !isObject(whole)) {
    throw new UnprocessableError('PERMISSIONS_INVALID');
  }
  const permissions: Partial<Record<Among, PermissionInput>> = {};
  for (const operation of among) {
    const input = permissionFor(parameters, operation);
    if (input === undefined) continue;
    permissions[operation] = readPermission(input, isClass);
  }
  return Object.keys(permissions).length > 0 ? permissions : undefined;
}

function permissionFor(parameters: Parameters, operation: RecordAction): Parameters | undefined {
  const nested = isObject(parameters.permissions) ? parameters.permissions[operation] : undefined;
  const prefix = `permissions.${operation}.`;
  const dotted = Object.entries(parameters).filter(([key]) => key.startsWith(prefix));
  if (nested === undefined && dotted.length === 0) return undefined;
  const input: Parameters = Object.create(null);
  if (isObject(nested)) Object.assign(input, nested);
  for (const [key, value] of dotted) input[key.slice(prefix.length)] = value;
  return input;
}

function readPermission(input: Parameters, isClass: boolean): PermissionInput {
  const access = readText(input.access) ?? '';
  if (!isAccess(access) || (access === 'not_allowed' && !isClass)) {
    throw new UnprocessableError(problem('ACCESS_UNKNOWN', { access }));
  }
  return {
    access: access.toUpperCase() as RecordAccess,
    ids: listed(input.ids ?? input.users_ids, readUserIds),
    groups: listed(input.groups ?? input.users_groups, readGroups),
  };
}

function isAccess(text: string): text is AccessKind {
  return (ACCESS_KINDS as readonly string[]).includes(text);
}

/** Keeps a missing list undefined, so that the operation can report it. */
function listed<Item>(value: OptionalJson, read: (value: JsonValue) => Item[] | undefined): Item[] | undefined {
  return value === undefined || value === null ? undefined : read(value);
}

function readUserIds(value: JsonValue): number[] | undefined {
  const ids = readIntegerList(value);
  return ids?.every(isDatabaseId) ? ids : undefined;
}

function readGroups(value: JsonValue): string[] | undefined {
  const groups: string[] = [];
  for (const item of readList(value)) {
    const group = readText(item);
    if (group === undefined || group === null) return undefined;
    groups.push(group.trim());
  }
  return groups;
}

export function presentPermission({ access, ids, groups }: PermissionResult) {
  return {
    access: access.toLowerCase(),
    ...(ids ? { users_ids: ids.map(String) } : {}),
    ...(groups ? { users_groups: groups } : {}),
  };
}

interface Permissions {
  read: PermissionResult;
  update: PermissionResult;
  delete: PermissionResult;
}

export function presentPermissions(permissions: Permissions) {
  return {
    read: presentPermission(permissions.read),
    update: presentPermission(permissions.update),
    delete: presentPermission(permissions.delete),
  };
}
