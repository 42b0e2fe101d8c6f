import type { Viewer } from '../lib/access.ts';
import { lastMessageLoader, memberLoader, unreadCountLoader } from './dialogs/views.ts';
import { reactionLoader } from './messages/reactions-of.ts';
import { readStateLoader } from './messages/read-state.ts';
import { messageLoader } from './messages/rows.ts';
import { userLoader } from './users/loader.ts';

export type Loaders = ReturnType<typeof createLoaders>;

/** What batches the fields of one execution: each asks the database once, however many rows ask for it. */
export function createLoaders(viewer: Viewer) {
  return {
    dialogMembers: memberLoader(),
    lastMessage: lastMessageLoader(viewer),
    message: messageLoader(viewer),
    reactions: reactionLoader(),
    readState: readStateLoader(),
    unreadCount: unreadCountLoader(viewer),
    user: userLoader(),
  };
}
