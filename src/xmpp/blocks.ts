import type { Block } from '../resolvers/blocks/rules.ts';

/** A privacy list that is in force for one stream, beside the default list of its user. */
export interface ActiveList {
  name: string;
  blocks: ReadonlyMap<number, Block>;
}

/** Whether the active list of the stream blocks a user; the default list is applied by the service. */
export function isBlocked(
  { activeList }: { activeList: ActiveList | undefined },
  userId: number,
  where: 'inPrivate' | 'inGroups',
): boolean {
  return activeList?.blocks.get(userId)?.[where] ?? false;
}
