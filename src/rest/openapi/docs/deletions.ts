import { closed, described, listOf, named, text } from './schemas.ts';

const ids = (description: string) => described(closed({ ids: listOf(text) }), description);

export const deleted = named(
  'Deleted',
  closed(
    {
      SuccessfullyDeleted: ids('Ids that were deleted, or hidden for the caller.'),
      NotFound: ids('Ids that do not exist, or that the caller cannot see.'),
      WrongPermissions: ids('Ids that the caller may not delete. Absent if there are none.'),
    },
    ['WrongPermissions'],
  ),
);
