import { closed, listOf, named, text } from './schemas.ts';

const ids = closed({ ids: listOf(text) });

/** What became of several that were to be deleted. */
export const deleted = named(
  'Deleted',
  closed({ SuccessfullyDeleted: ids, NotFound: ids, WrongPermissions: ids }, ['WrongPermissions']),
);
