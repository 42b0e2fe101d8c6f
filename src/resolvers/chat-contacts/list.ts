import type { UserContext } from '../../context.ts';
import type { Subscription } from '../../realtime/subscription.ts';
import { type ChatContact, readContact, readContacts } from './rows.ts';

/** With the open requests of both directions, by id. */
export function listChatContacts({ viewer }: UserContext): Promise<ChatContact[]> {
  return readContacts(viewer);
}

export function findChatContact(userId: number, { viewer }: UserContext): Promise<ChatContact> {
  return readContact(viewer, userId);
}

/** @throws {BadInputError} {CursorExpiredError} */
export function subscribeToContacts(
  since: string | null | undefined,
  { viewer, hub }: UserContext,
): Promise<Subscription> {
  return hub.subscribe({ viewer, kind: 'contactChanged' }, since ?? undefined);
}
