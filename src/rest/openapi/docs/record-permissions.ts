import { ACCESS_KINDS } from '../../../resolvers/classes/grants.ts';
import { closed, described, listOf, named, type ObjectSchema, oneOfTexts, text } from './schemas.ts';

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
