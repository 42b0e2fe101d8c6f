import { CREATE_DIALOG, dialogOf, UNREAD } from './chat-documents.ts';
import type { Dialog, Page } from './chat-types.ts';
import { type Core, persistently } from './core.ts';
import { DialogHandle } from './dialog.ts';
import { DialogList, type DialogsPage, type DialogsState } from './dialog-list.ts';
import type { OutboxEntry } from './outbox.ts';
import { Presence } from './presence.ts';
import { type Live, Store, watching } from './store.ts';

/** Dialogs, messages and who is online. */
export class Chat {
  readonly #core: Core;
  readonly #list: DialogList;
  readonly #handles = new Map<string, DialogHandle>();
  readonly #presence: Presence;
  /** Number of unread messages in all dialogs, kept up to date while something listens. */
  readonly unread: Live<number>;

  constructor(core: Core) {
    this.#core = core;
    this.#list = new DialogList(core);
    this.#presence = new Presence(core);
    this.unread = this.#unreadStore();
  }

  /** One page of dialogs, latest activity first. */
  dialogs(of: DialogsPage = {}): Promise<Page<Dialog>> {
    return this.#list.page(of);
  }

  /** The list of dialogs, kept up to date while something listens. */
  get list(): Live<DialogsState> {
    return this.#list.store;
  }

  loadMoreDialogs(): Promise<void> {
    return this.#list.loadMore();
  }

  /** Calls `show` with the list of dialogs, and again after each change. @returns stops it */
  watchDialogs(show: (state: DialogsState) => void): () => void {
    return watching(this.list, show);
  }

  /** The same object for each call with the same id. */
  dialog(id: string): DialogHandle {
    let handle = this.#handles.get(id);
    if (!handle) {
      handle = new DialogHandle(this.#core, this.#list, id);
      this.#handles.set(id, handle);
    }
    return handle;
  }

  /** Finds or creates the private dialog with a user. */
  openPrivate(userId: number): Promise<Dialog> {
    return this.#create({ type: 'PRIVATE', occupantIds: [userId] });
  }

  /** The user is a member, too. */
  createGroup(name: string, userIds: number[], { photo }: { photo?: string } = {}): Promise<Dialog> {
    const own = this.#core.userId();
    const occupantIds = own === undefined ? userIds : [...new Set([own, ...userIds])];
    return this.#create({ type: 'GROUP', name, occupantIds, photo });
  }

  /** Which of the users are online, kept up to date while something listens. */
  online(userIds: readonly number[]): Live<ReadonlySet<number>> {
    return this.#presence.of(userIds);
  }

  /** Messages that the service has not accepted yet, of all dialogs. */
  get outbox(): Live<readonly OutboxEntry[]> {
    return this.#core.outbox.entries;
  }

  async #create(input: {
    type: 'PRIVATE' | 'GROUP';
    occupantIds: number[];
    name?: string;
    photo?: string;
  }): Promise<Dialog> {
    const { createDialog } = await this.#core.client.mutate(CREATE_DIALOG, { input });
    const dialog = dialogOf(createDialog, this.#core.userId());
    this.#list.put(dialog);
    return dialog;
  }

  #unreadStore(): Live<number> {
    const store: Store<number> = new Store(0, () => {
      const stopped = new AbortController();
      let isLoading = false;
      let isOutdated = false;
      const load = async () => {
        isOutdated = true;
        if (isLoading) return;
        isLoading = true;
        while (isOutdated && !stopped.signal.aborted) {
          isOutdated = false;
          const { signal } = stopped;
          const answer = await persistently(() => this.#core.client.query(UNREAD, {}, { signal }), signal).catch(
            () => undefined,
          );
          if (answer && !signal.aborted) store.set(answer.unreadCounts.total);
        }
        isLoading = false;
      };
      if (this.#core.userId() === undefined) {
        store.set(0);
        return () => {};
      }
      const { ready, stop } = this.#core.events.listen({
        apply: ({ __typename }) => {
          if (!['ReactionAdded', 'ReactionRemoved', 'MessageEdited'].includes(__typename)) void load();
        },
        reload: () => void load(),
      });
      void ready.then(load, () => {});
      return () => {
        stopped.abort();
        stop();
      };
    });
    this.#core.stores.add(store as Store<unknown>);
    return store;
  }
}
