import {
  DELETE,
  DELETE_DIALOG,
  DIALOG,
  dialogOf,
  EDIT,
  MARK,
  MUTE,
  MUTED,
  REACT,
  STOP_TYPING,
  TYPE,
  UPDATE_DIALOG,
} from './chat-documents.ts';
import type { Dialog, Message, MessageContent, SentMessage } from './chat-types.ts';
import type { Core } from './core.ts';
import type { DialogList } from './dialog-list.ts';
import { type Live, quiet, watching } from './store.ts';
import { Thread, type ThreadState } from './thread.ts';
import { TypingUsers } from './typing-users.ts';

/** Subscribers see "typing" for a few seconds, so more frequent reports say nothing new. */
const TYPING_INTERVAL = 3_000;

export interface History {
  messages: SentMessage[];
  hasMore: boolean;
}

/** One dialog. */
export class DialogHandle {
  readonly id: string;
  readonly #core: Core;
  readonly #list: DialogList;
  readonly #thread: Thread;
  /** Ids of the other users who are typing, for lists of dialogs; those of an open dialog are in `thread`. */
  readonly typingIds: Live<readonly number[]>;
  #typedAt = 0;
  #marking: Promise<void> | undefined;

  constructor(core: Core, list: DialogList, id: string) {
    this.id = id;
    this.#core = core;
    this.#list = list;
    const { store } = new TypingUsers(core, id);
    this.typingIds = store;
    this.#thread = new Thread(core, id, store);
  }

  /** The latest messages and who is typing, kept up to date while something listens. */
  get thread(): Live<ThreadState> {
    return this.#thread.store;
  }

  /** Calls `show` with the state of the dialog, and again after each change. @returns stops it */
  watch(show: (state: ThreadState) => void): () => void {
    return watching(this.thread, show);
  }

  /** Also adds it to the list of dialogs. */
  async load(): Promise<Dialog> {
    const answer = await this.#core.client.query(DIALOG, { id: this.id });
    const dialog = dialogOf(answer.dialog, this.#core.userId());
    this.#list.put(dialog);
    return dialog;
  }

  /**
   * Puts a message into the outbox, from which it is sent until the service accepts or refuses it. Watchers see it at
   * once. @returns the stored message; rejects if the service refuses it
   */
  send(content: string | MessageContent): Promise<SentMessage> {
    this.#typedAt = 0;
    void this.#thread.jumpToLatest().catch(() => {});
    return this.#core.outbox.add(this.id, typeof content === 'string' ? { text: content } : content);
  }

  /** Sends a failed message again. */
  retry(message: Pick<Message, 'key'>): Promise<void> {
    return quiet(this.#core.outbox.retry(message.key));
  }

  /** Removes a message that is pending or failed. */
  discard(message: Pick<Message, 'key'>): Promise<void> {
    return quiet(this.#core.outbox.discard(message.key));
  }

  edit(messageId: string, text: string): Promise<void> {
    const { window } = this.#thread;
    return this.#optimistically(window.expect(messageId, { text, isEdited: true }), async () => {
      await this.#core.client.mutate(
        EDIT,
        { ids: [messageId], input: { dialogId: this.id, text } },
        { idempotent: true },
      );
      window.edited(messageId, text);
    });
  }

  /** Deletes a message for all users, or with `forMe` only for the caller. */
  delete(messageId: string, { forMe = false } = {}): Promise<void> {
    const { window } = this.#thread;
    return this.#optimistically(window.expect(messageId, { isDeleted: true }), async () => {
      await this.#core.client.mutate(DELETE, { ids: [messageId], force: !forMe }, { idempotent: true });
      window.delete([messageId]);
    });
  }

  /** Adds a reaction of the user, or removes it if it exists. `isOn` sets it regardless. */
  react(messageId: string, name: string, isOn?: boolean): Promise<void> {
    const { window } = this.#thread;
    const message = window.find(messageId);
    const own = message?.reactions.find((reaction) => reaction.name === name)?.own ?? false;
    const add = isOn ?? !own;
    const change = add ? { add: name } : { remove: name };
    const expected = message && reactionsAfter(message.reactions, name, own, add);
    const done = expected ? window.expect(messageId, { reactions: expected }) : () => {};
    return this.#optimistically(done, async () => {
      const { changeReactions } = await this.#core.client.mutate(REACT, { messageId, ...change }, { idempotent: true });
      window.reacted(messageId, changeReactions.reactions);
    });
  }

  /** Marks all messages as read. */
  markRead(): Promise<void> {
    this.#list.markRead(this.id);
    this.#marking ??= this.#core.client
      .mutate(MARK, { dialogId: this.id, read: true }, { idempotent: true })
      .then(() => {})
      .finally(() => {
        this.#marking = undefined;
      });
    return quiet(this.#marking);
  }

  /** Reports to the others that the user types. Call it for each key: at most one request every 3 seconds is sent. */
  typing(): Promise<void> {
    const now = Date.now();
    if (now - this.#typedAt < TYPING_INTERVAL) return Promise.resolve();
    this.#typedAt = now;
    return quiet(this.#core.client.mutate(TYPE, { dialogId: this.id }).then(() => {}));
  }

  /** Reports that the user has stopped, for example after the text was cleared. */
  stopTyping(): Promise<void> {
    if (this.#typedAt === 0) return Promise.resolve();
    this.#typedAt = 0;
    return quiet(this.#core.client.mutate(STOP_TYPING, { dialogId: this.id }).then(() => {}));
  }

  /** A page of messages before or after one, oldest first; without either, the latest. */
  history(of: { before?: string; after?: string; first?: number; signal?: AbortSignal } = {}): Promise<History> {
    return this.#thread.history(of);
  }

  loadOlder(): Promise<void> {
    return quiet(this.#thread.loadOlder());
  }

  loadNewer(): Promise<void> {
    return quiet(this.#thread.loadNewer());
  }

  jumpTo(messageId: string): Promise<void> {
    return quiet(this.#thread.jumpTo(messageId));
  }

  jumpToLatest(): Promise<void> {
    return quiet(this.#thread.jumpToLatest());
  }

  /** Changes a group: its name, photo, members or admins. A photo of null removes it. */
  async update(changes: {
    name?: string;
    photo?: string | null;
    addUserIds?: number[];
    removeUserIds?: number[];
    addAdminIds?: number[];
    removeAdminIds?: number[];
  }): Promise<Dialog> {
    const { addUserIds: addOccupantIds, removeUserIds: removeOccupantIds, ...others } = changes;
    const input = { ...others, addOccupantIds, removeOccupantIds };
    const { updateDialog } = await this.#core.client.mutate(UPDATE_DIALOG, { id: this.id, input });
    const dialog = dialogOf(updateDialog, this.#core.userId());
    this.#list.put(dialog);
    return dialog;
  }

  /** Whether the user receives no pushes for new messages of the dialog. */
  async isMuted(): Promise<boolean> {
    return !(await this.#core.client.query(MUTED, { dialogId: this.id })).dialogNotifications.enabled;
  }

  async mute(isMuted = true): Promise<void> {
    await this.#core.client.mutate(MUTE, { dialogId: this.id, enabled: !isMuted }, { idempotent: true });
  }

  /** Leaves a group, or hides a private dialog until its next message. */
  async leave(): Promise<void> {
    await this.#core.client.mutate(DELETE_DIALOG, { id: this.id });
    this.#list.remove(this.id);
    await this.#core.cache.remove(`thread:${this.#core.userId()}:${this.id}`);
  }

  /** Shows what is expected until `act` has finished. */
  #optimistically(done: () => void, act: () => Promise<void>): Promise<void> {
    this.#thread.refresh();
    return quiet(
      act().finally(() => {
        done();
        this.#thread.refresh();
      }),
    );
  }
}

function reactionsAfter(reactions: SentMessage['reactions'], name: string, own: boolean, isOn: boolean) {
  if (own === isOn) return reactions;
  const known = reactions.some((reaction) => reaction.name === name);
  const all = known ? reactions : [...reactions, { name, count: 0, own: false }];
  return all
    .map((one) => (one.name === name ? { ...one, own: isOn, count: one.count + (isOn ? 1 : -1) } : one))
    .filter(({ count }) => count > 0);
}
