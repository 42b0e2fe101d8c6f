import type { UserContext } from '../../context.ts';
import type { Transaction } from '../../db/client.ts';
import { transactInTurns } from '../../db/lock-turns.ts';
import { jobOwnerOf } from '../../lib/access.ts';
import { hiddenUsers } from './between.ts';

/** Also changes what open subscriptions of presence show. @param work returns the users whose blocks may have changed */
export async function changeBlocks(
  { viewer, presence }: UserContext,
  work: (transaction: Transaction) => Promise<readonly number[]>,
): Promise<void> {
  const { applicationId, userId } = viewer;
  const otherIds = await transactInTurns(jobOwnerOf(viewer), work);
  const hidden = await hiddenUsers({ applicationId, userId, otherIds });
  presence.hide({ applicationId, userId }, otherIds, hidden);
}
