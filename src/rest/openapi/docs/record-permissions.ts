import { ACCESS_KINDS } from '../../../resolvers/classes/grants.ts';
import { inputOf } from './from-graphql.ts';
import { closed, integerId, listOf, named, type ObjectSchema, oneOfTexts, requestObject, text } from './schemas.ts';

/** Who may do something, as answers say it. */
export const permission = named(
  'Permission',
  closed({ access: oneOfTexts(ACCESS_KINDS), users_ids: listOf(text), users_groups: listOf(text) }, [
    'users_ids',
    'users_groups',
  ]),
);

export const permissionsShown = closed({ read: permission, update: permission, delete: permission });

/** The same as requests say it. */
export function permissionsAsked(operations: string[], { isClass = false }: { isClass?: boolean } = {}): ObjectSchema {
  const kinds = ACCESS_KINDS.filter((kind) => isClass || kind !== 'not_allowed');
  const permission = inputOf(
    'RecordPermissionInput',
    {
      access: oneOfTexts(kinds),
      ids: ['ids', { type: ['array', 'string'], items: integerId }],
      groups: ['groups', { type: ['array', 'string'], items: text }],
    },
    ['access'],
  );
  return requestObject(Object.fromEntries(operations.map((operation) => [operation, permission])));
}
