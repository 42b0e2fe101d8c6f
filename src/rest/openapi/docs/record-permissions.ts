import { ACCESS_KINDS } from '../../../resolvers/classes/grants.ts';
import { inputOf } from './from-graphql.ts';
import {
  closed,
  described,
  integerId,
  listOf,
  named,
  type ObjectSchema,
  oneOfTexts,
  requestObject,
  text,
} from './schemas.ts';

export const permission = named(
  'Permission',
  closed(
    {
      access: described(
        oneOfTexts(ACCESS_KINDS),
        'Who has the permission, besides API keys alone and, except with `not_allowed`, the owner.',
      ),
      users_ids: described(listOf(text), 'Ids of the users. Present only with `open_for_users_ids`.'),
      users_groups: described(listOf(text), 'Tags of the users. Present only with `open_for_groups`.'),
    },
    ['users_ids', 'users_groups'],
  ),
);

export const permissionsShown = described(
  closed({ read: permission, update: permission, delete: permission }),
  'Who may read, update and delete the record.',
) as ObjectSchema;

export function permissionsAsked(operations: string[], { isClass = false }: { isClass?: boolean } = {}): ObjectSchema {
  const kinds = ACCESS_KINDS.filter((kind) => isClass || kind !== 'not_allowed');
  const permission = inputOf(
    'RecordPermissionInput',
    {
      access: described(
        oneOfTexts(kinds),
        '`open`: every user. `owner`: the owner only. `open_for_users_ids`: users in `ids`. `open_for_groups`: users ' +
          'with a tag in `groups`.' +
          (isClass ? ' `not_allowed`: API keys alone.' : ''),
      ),
      ids: [
        'ids',
        described(
          { type: ['array', 'string'], items: integerId },
          'Ids of users, up to 1,000; required with `open_for_users_ids`. An array, or a text with commas: `1,2`.',
        ),
      ],
      groups: [
        'groups',
        described(
          { type: ['array', 'string'], items: text },
          'Tags of users, up to 1,000 of 1 to 50 characters; required with `open_for_groups`.',
        ),
      ],
    },
    ['access'],
  );
  return described(
    requestObject(Object.fromEntries(operations.map((operation) => [operation, permission]))),
    'Permissions by operation. Omitted operations keep their permission, or have the default.',
  ) as ObjectSchema;
}
