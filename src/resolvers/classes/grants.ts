import { UnprocessableError } from '../../lib/errors.ts';

// Who may do something with a record is stored as a list of texts that index and SQL can ask for: `*` everybody,
// `u:7` a user, `g:driver` whoever has that tag, `!` nobody but API keys alone. No text at all: the owner, who always may.
// A list of users or groups that names nobody keeps its kind by `u:` or `g:`.

export const ACCESS_KINDS = ['open', 'owner', 'open_for_users_ids', 'open_for_groups', 'not_allowed'] as const;

/** The contract's values of `access`. */
export type AccessKind = (typeof ACCESS_KINDS)[number];

/** Who may do something, as clients say it. */
export interface Permission {
  access: AccessKind;
  /** Users, of `open_for_users_ids`. */
  ids?: number[] | null | undefined;
  /** Tags, of `open_for_groups`. */
  groups?: string[] | null | undefined;
}

/** Who may do something, as it is stored. */
export type Grants = string[];

export const EVERYBODY = '*';
export const NOBODY = '!';

/** More would make each look at the record slow. */
const MAX_NAMED = 1_000;

/** Characters of a name: as long as a tag. More would not fit into the index of readers. */
const MAX_GROUP = 50;

function isGroupName(name: string): boolean {
  return name.trim() !== '' && [...name.slice(0, 2 * MAX_GROUP + 1)].length <= MAX_GROUP;
}

/** @throws {UnprocessableError} users or groups that should be named are not, or too many */
export function grantsOf({ access, ids, groups }: Permission): Grants {
  switch (access) {
    case 'open':
      return [EVERYBODY];
    case 'owner':
      return [];
    case 'not_allowed':
      return [NOBODY];
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
  if (!names) throw new UnprocessableError(`Field ${what} should be an array`);
  if (kind === 'g' && !(names as readonly string[]).every(isGroupName)) {
    throw new UnprocessableError(`Field groups should be an array of names of 1 to ${MAX_GROUP} characters`);
  }
  if (names.length > MAX_NAMED) throw new UnprocessableError(`Too many ${what} (maximum is ${MAX_NAMED})`);
  return names.length === 0 ? [`${kind}:`] : [...new Set(names)].map((name) => `${kind}:${name}`);
}

/** The way back. */
export function permissionOf(grants: Grants): Permission {
  const [first] = grants;
  if (first === undefined) return { access: 'owner' };
  if (first === EVERYBODY) return { access: 'open' };
  if (first === NOBODY) return { access: 'not_allowed' };
  const names = grants.map((grant) => grant.slice(2)).filter((name) => name !== '');
  return first.startsWith('u:')
    ? { access: 'open_for_users_ids', ids: names.map(Number) }
    : { access: 'open_for_groups', groups: names };
}

export function isOpen(grants: Grants): boolean {
  return grants[0] === EVERYBODY;
}

export function isForbidden(grants: Grants): boolean {
  return grants[0] === NOBODY;
}

/** Whether users or groups are named. */
export function isShared(grants: Grants): boolean {
  return grants.some((grant) => grant.length > 2);
}

/** Whether a group is named, so that somebody's tags matter. */
export function namesGroup(grants: Grants): boolean {
  return grants.some((grant) => grant.startsWith('g:') && grant.length > 2);
}

/** Whether a user with these tags is among those who are granted it, the owner not looked at. */
export function isGranted(grants: Grants, userId: number, tags: readonly string[]): boolean {
  return isOpen(grants) || grants.includes(`u:${userId}`) || tags.some((tag) => grants.includes(`g:${tag}`));
}
