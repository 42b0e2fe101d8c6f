import type { DeletedItems } from '../lib/deleted-items.ts';
import { builder } from './builder.ts';

export function deletedItems(name: string, description: string) {
  return builder.objectRef<DeletedItems>(name).implement({
    description,
    fields: (t) => ({
      deletedIds: t.exposeIDList('deletedIds', {
        description:
          'Ids of the deleted items. Whether they are deleted for all users or only for the caller depends on the ' +
          'operation.',
      }),
      notFoundIds: t.exposeIDList('notFoundIds', {
        description: 'Ids that do not exist or that the caller cannot see.',
      }),
      wrongPermissionsIds: t.exposeIDList('wrongPermissionsIds', {
        description: 'Ids of items that the caller can see but may not delete.',
      }),
    }),
  });
}
