import type { Viewer } from '../lib/access.ts';
import { blobLoader } from './content/loader.ts';
import { dialogDataLoader, lastMessageLoader, memberLoader, unreadCountLoader } from './dialogs/views.ts';
import { reactionLoader } from './messages/reactions-of.ts';
import { readStateLoader } from './messages/read-state.ts';
import { messageLoader } from './messages/rows.ts';
import { userLoader } from './users/loader.ts';

/**
 * What batches the fields of one execution: each asks the database once, however many rows ask for it. They are made
 * when they are first needed, since thousands of subscribers hold a context and need none of them while they wait.
 */
export class Loaders {
  readonly #viewer: Viewer;
  #dialogData: ReturnType<typeof dialogDataLoader> | undefined;
  #blob: ReturnType<typeof blobLoader> | undefined;
  #dialogMembers: ReturnType<typeof memberLoader> | undefined;
  #lastMessage: ReturnType<typeof lastMessageLoader> | undefined;
  #message: ReturnType<typeof messageLoader> | undefined;
  #reactions: ReturnType<typeof reactionLoader> | undefined;
  #readState: ReturnType<typeof readStateLoader> | undefined;
  #unreadCount: ReturnType<typeof unreadCountLoader> | undefined;
  #user: ReturnType<typeof userLoader> | undefined;

  constructor(viewer: Viewer) {
    this.#viewer = viewer;
  }

  get dialogData() {
    this.#dialogData ??= dialogDataLoader();
    return this.#dialogData;
  }

  get blob() {
    this.#blob ??= blobLoader();
    return this.#blob;
  }

  get dialogMembers() {
    this.#dialogMembers ??= memberLoader();
    return this.#dialogMembers;
  }

  get lastMessage() {
    this.#lastMessage ??= lastMessageLoader(this.#viewer);
    return this.#lastMessage;
  }

  get message() {
    this.#message ??= messageLoader(this.#viewer);
    return this.#message;
  }

  get reactions() {
    this.#reactions ??= reactionLoader();
    return this.#reactions;
  }

  get readState() {
    this.#readState ??= readStateLoader();
    return this.#readState;
  }

  get unreadCount() {
    this.#unreadCount ??= unreadCountLoader(this.#viewer);
    return this.#unreadCount;
  }

  get user() {
    this.#user ??= userLoader();
    return this.#user;
  }
}

export function createLoaders(viewer: Viewer): Loaders {
  return new Loaders(viewer);
}
