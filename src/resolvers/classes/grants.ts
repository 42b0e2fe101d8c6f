import { UnprocessableError } from '../../lib/errors.ts';
import { problem } from '../../lib/problems.ts';

// Texts that indexes and SQL can match: `*` all callers, `u:7` a user, `g:driver` users with a tag, `r:editor` users with
// a role, `!` only API keys.
// Empty: only the owner. An empty list of users or groups is `u:` or `g:`, so that its kind is preserved.

export const ACCESS_KINDS = ['open', 'owner', 'open_for_users_ids', 'open_for_groups', 'not_allowed'] as const;

export type AccessKind = (typeof ACCESS_KINDS)[number];

export interface Permission {
  access: AccessKind;
  ids?: number[] | null | undefined;
  groups?: string[] | null | undefined;
}

export type Grants = string[];

export const ALL_USERS = '*';
export const NO_USERS = '!';

/** Longer lists would slow down every permission check. */
export const MAX_NAMED = 1_000;

/** Characters, as for tags; longer names would not fit into the index of readers. */
export const MAX_GROUP = 50;

/** Groups that begin with it are roles. A tag that begins with it makes no member of the role. */
export const ROLE_PREFIX = 'role:';

function isGroupName(name: string): boolean {
  return name.trim() !== '' && [...name.slice(0, 2 * MAX_GROUP + 1)].length <= MAX_GROUP;
}

/** @throws {UnprocessableError} missing, invalid or too many users or groups */
export function grantsOf({ access, ids, groups }: Permission): Grants {
  switch (access) {
    case 'open':
      return [ALL_USERS];
    case 'owner':
      return [];
    case 'not_allowed':
      return [NO_USERS];
    case 'open_for_users_ids':
      return named('ids', 'u', ids);
    case 'open_for_groups':
      return named('groups', 'g', groups);
  }
}

function named(
  what: 'ids' | 'groups',
  kind: 'u' | 'g',
  names: readonly (number | string)[] | null | undefined,
): Grants {
  if (!names) throw new UnprocessableError(problem('FIELD_NOT_A_LIST', { field: what }));
  if (kind === 'g' && !(names as readonly string[]).every(isGroupName)) {
    throw new UnprocessableError(problem('GROUPS_INVALID', { max: MAX_GROUP }));
  }
  if (names.length > MAX_NAMED) throw new UnprocessableError(problem('TOO_MANY_NAMED', { what, max: MAX_NAMED }));
  return names.length === 0 ? [`${kind}:`] : [...new Set(names)].map((name) => grantOf(kind, String(name)));
}

function grantOf(kind: 'u' | 'g', name: string): string {
  const isRole = kind === 'g' && name.startsWith(ROLE_PREFIX);
  return isRole ? `r:${name.slice(ROLE_PREFIX.length)}` : `${kind}:${name}`;
}

export function permissionOf(grants: Grants): Permission {
  const [first] = grants;
  if (first === undefined) return { access: 'owner' };
  if (first === ALL_USERS) return { access: 'open' };
  if (first === NO_USERS) return { access: 'not_allowed' };
  const names = grants
    .filter((grant) => grant.length > 2)
    .map((grant) => (grant.startsWith('r:') ? ROLE_PREFIX : '') + grant.slice(2));
  return first.startsWith('u:')
    ? { access: 'open_for_users_ids', ids: names.map(Number) }
    : { access: 'open_for_groups', groups: names };
}

export function isOpen(grants: Grants): boolean {
  return grants[0] === ALL_USERS;
}

export function isForbidden(grants: Grants): boolean {
  return grants[0] === NO_USERS;
}

export function isShared(grants: Grants): boolean {
  return grants.some((grant) => grant.length > 2);
}

/** Whether it names a group or role, so that those of the user matter. */
export function namesGroup(grants: Grants): boolean {
  return grants.some((grant) => /^[gr]:./.test(grant));
}

/** Does not check for the owner. @param held grants by the groups and roles of the user */
export function isGranted(grants: Grants, userId: number, held: Grants): boolean {
  return isOpen(grants) || grants.includes(`u:${userId}`) || held.some((grant) => grants.includes(grant));
}
