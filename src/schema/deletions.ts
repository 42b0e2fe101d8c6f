import type { DeletedItems } from '../lib/deleted-items.ts';
import { builder } from './builder.ts';

/** The type that tells what became of several items that were to be deleted. */
export function deletedItems(name: string, description: string) {
  return builder.objectRef<DeletedItems>(name).implement({
    description,
    fields: (t) => ({
      deletedIds: t.exposeIDList('deletedIds', { description: 'Those that are gone now, for the caller or for all.' }),
      notFoundIds: t.exposeIDList('notFoundIds', {
        description: 'Those that are not there, or not for the caller to see.',
      }),
      wrongPermissionsIds: t.exposeIDList('wrongPermissionsIds', {
        description: 'Those that the caller sees and may not delete; they stay.',
      }),
    }),
  });
}
