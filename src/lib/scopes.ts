import { type Problem, problem } from './problems.ts';

/** What an API key may be limited to. `keys` is never granted: only unrestricted keys manage keys. */
export const SCOPE_GROUPS = [
  'users',
  'dialogs',
  'messages',
  'records',
  'classes',
  'pushes',
  'files',
  'contacts',
  'geodata',
  'ai',
  'settings',
] as const;

type ScopeGroup = (typeof SCOPE_GROUPS)[number] | 'keys';
type Verb = 'read' | 'write' | 'send';

/** As a field declares it: `write` for mutations and `read` for other operations, unless it names a verb. */
export type FieldScope = ScopeGroup | `${ScopeGroup}:${Verb}`;

/** The only scope of a key without restrictions. */
export const ALL_SCOPES = '*';

export const MAX_SCOPES = 50;

const GRANTABLE_VERBS: readonly string[] = ['read', 'write', '*'];
const MAX_SCOPE = 200;

function isGrantable(scope: string): boolean {
  const [group = '', ...rest] = scope.split(':');
  const verb = rest.pop() ?? '';
  if (scope.length > MAX_SCOPE || rest.length > (group === 'records' ? 1 : 0) || rest[0] === '') return false;
  if (group === 'pushes' && verb === 'send') return true;
  return (group === '*' || (SCOPE_GROUPS as readonly string[]).includes(group)) && GRANTABLE_VERBS.includes(verb);
}

/** @returns the problems of scopes that are to be granted; none for `['*']` */
export function scopeProblems(scopes: readonly string[]): Problem[] {
  if (scopes.length === 1 && scopes[0] === ALL_SCOPES) return [];
  if (scopes.length === 0 || scopes.length > MAX_SCOPES) return [problem('SCOPES_COUNT', { max: MAX_SCOPES })];
  const unknown = scopes.find((scope) => !isGrantable(scope));
  return unknown === undefined ? [] : [problem('SCOPE_UNKNOWN', { scope: unknown.slice(0, 100) })];
}

/** @param className of an operation on the records of one class */
export function requiredScope(declared: FieldScope, isMutation: boolean, className?: string): string {
  const scope = declared.includes(':') ? declared : `${declared}:${isMutation ? 'write' : 'read'}`;
  return className === undefined ? scope : scope.replace(':', `:${className}:`);
}

/** @param required as `requiredScope` returns it */
export function hasScope(granted: readonly string[], required: string): boolean {
  const separator = required.indexOf(':');
  const group = required.slice(0, separator);
  const verb = required.slice(required.lastIndexOf(':') + 1);
  if (group === 'keys') return granted.includes(ALL_SCOPES);
  const detail = required.slice(separator + 1, -verb.length);
  const targets = detail === '' ? [`${group}:`] : [`${group}:`, `${group}:*:`, `${group}:${detail}`];
  return ['*:', ...targets].some((target) =>
    [verb, '*', ...(verb === 'send' ? ['write'] : [])].some((allowed) => granted.includes(target + allowed)),
  );
}
