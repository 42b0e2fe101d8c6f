import { AtriumError } from '../errors.ts';
import { DIALOG, DIALOGS, type DialogEvent, dialogOf } from './chat-documents.ts';
import type { Dialog, Page } from './chat-types.ts';
import { asAtriumError, type Core, persistently, type Status } from './core.ts';
import { Store } from './store.ts';

export interface DialogsState {
  status: Status;
  /** Latest activity first. */
  dialogs: readonly Dialog[];
  hasMore: boolean;
  isLoadingMore: boolean;
  /** Loaded from this device, because the service was not reached yet. */
  isStale: boolean;
  error?: AtriumError;
}

export interface DialogsPage {
  first?: number;
  after?: string | null;
  /** Only dialogs whose name contains this text. */
  name?: string;
  signal?: AbortSignal;
}

const START: DialogsState = { status: 'loading', dialogs: [], hasMore: false, isLoadingMore: false, isStale: false };
const PAGE = 30;
/** Dialogs that are kept for offline use. */
const CACHED = 30;

/** The list of dialogs, kept up to date by events. */
export class DialogList {
  readonly store: Store<DialogsState>;
  readonly #core: Core;
  #cursor: string | null = null;
  #stopped = new AbortController();
  /** Events that arrived while the list was loaded. */
  #early: DialogEvent[] | undefined;
  /** Dialogs to load again after events that do not contain them. */
  readonly #outdated = new Set<string>();
  #refreshing: string | undefined;

  constructor(core: Core) {
    this.#core = core;
    this.store = new Store(START, () => this.#start());
    core.stores.add(this.store as Store<unknown>);
  }

  async page({ first = PAGE, after, name, signal }: DialogsPage): Promise<Page<Dialog>> {
    const filter = name ? { name: { contains: name } } : undefined;
    const { dialogs } = await this.#core.client.query(DIALOGS, { filter, first, after }, { signal });
    const userId = this.#core.userId();
    return {
      items: dialogs.edges.map(({ node }) => dialogOf(node, userId)),
      hasMore: dialogs.pageInfo.hasNextPage,
      cursor: dialogs.pageInfo.endCursor,
    };
  }

  async loadMore(): Promise<void> {
    const { hasMore, isLoadingMore } = this.store.get();
    if (!hasMore || isLoadingMore) return;
    this.#set({ isLoadingMore: true });
    try {
      const { items, hasMore, cursor } = await this.page({ after: this.#cursor });
      const shownIds = new Set(this.store.get().dialogs.map(({ id }) => id));
      this.#cursor = cursor;
      this.#set({ dialogs: [...this.store.get().dialogs, ...items.filter(({ id }) => !shownIds.has(id))], hasMore });
    } finally {
      this.#set({ isLoadingMore: false });
    }
  }

  find(id: string): Dialog | undefined {
    return this.store.get().dialogs.find((dialog) => dialog.id === id);
  }

  /** Adds or replaces a dialog; the one with the latest message is the first. */
  put(dialog: Dialog): void {
    if (!this.store.isWatched) return;
    const others = this.store.get().dialogs.filter(({ id }) => id !== dialog.id);
    const index = others.findIndex((other) => activityOf(other) <= activityOf(dialog));
    const before = index === -1 ? others : others.slice(0, index);
    this.#set({ dialogs: [...before, dialog, ...(index === -1 ? [] : others.slice(index))] });
  }

  remove(id: string): void {
    const dialogs = this.store.get().dialogs.filter((dialog) => dialog.id !== id);
    if (dialogs.length < this.store.get().dialogs.length) this.#set({ dialogs });
  }

  /** Shows at once that the user has read a dialog. */
  markRead(id: string): void {
    const dialog = this.find(id);
    if (dialog && dialog.unreadCount > 0) this.#replace({ ...dialog, unreadCount: 0 });
  }

  #start(): () => void {
    const stopped = new AbortController();
    this.#stopped = stopped;
    this.#outdated.clear();
    this.#refreshing = undefined;
    this.store.set(START);
    const userId = this.#core.userId();
    if (userId === undefined) return () => stopped.abort();
    void this.#fromCache(userId, stopped.signal);
    const { ready, stop } = this.#core.events.listen({
      apply: (event) => this.#apply(event),
      reload: () => void this.#load(stopped.signal),
    });
    void ready.then(
      () => this.#load(stopped.signal),
      (error) => !stopped.signal.aborted && this.#set({ status: 'error', error: asAtriumError(error) }),
    );
    return () => {
      stopped.abort();
      stop();
    };
  }

  async #fromCache(userId: number, signal: AbortSignal): Promise<void> {
    const dialogs = await this.#core.cache.load<Dialog[]>(`dialogs:${userId}`);
    if (!dialogs || signal.aborted || this.store.get().status === 'ready') return;
    this.store.set({ ...START, status: 'ready', dialogs, isStale: true });
  }

  async #load(signal: AbortSignal): Promise<void> {
    const early: DialogEvent[] = [];
    this.#early = early;
    try {
      const page = await persistently(() => this.page({ signal }), signal);
      // A later call replaces this one.
      if (!page || signal.aborted || this.#early !== early) return;
      this.#early = undefined;
      this.#cursor = page.cursor;
      this.store.set({ ...START, status: 'ready', dialogs: page.items, hasMore: page.hasMore });
      // The response that a refresh awaits may be older than the page.
      if (this.#refreshing) this.#outdated.add(this.#refreshing);
      for (const event of early) this.#apply(event);
      this.#save();
    } catch (error) {
      if (signal.aborted || this.#early !== early) return;
      this.#early = undefined;
      this.#set({ status: 'error', error: asAtriumError(error) });
    }
  }

  #apply(event: DialogEvent): void {
    if (this.#early) {
      this.#early.push(event);
      return;
    }
    const dialog = this.find(event.dialogId);
    // The awaited response may be older than the event.
    if (this.#refreshing === event.dialogId) this.#outdated.add(event.dialogId);
    if (event.__typename === 'DialogRemoved') {
      this.remove(event.dialogId);
      return;
    }
    if (event.__typename === 'MessageSent' && dialog) {
      const { id, senderId, text, createdAt } = event.message;
      const isNew = !dialog.lastMessage?.id || dialog.lastMessage.id < id;
      if (!isNew) return;
      const unreadCount = dialog.unreadCount + (senderId === this.#core.userId() ? 0 : 1);
      this.put({ ...dialog, lastMessage: { id, text, senderId, sentAt: createdAt }, unreadCount });
      this.#save();
      return;
    }
    if (event.__typename === 'MessagesMarked' && (event.userId !== this.#core.userId() || event.read === null)) return;
    if (event.__typename === 'ReactionAdded' || event.__typename === 'ReactionRemoved') return;
    this.#outdated.add(event.dialogId);
    if (!this.#refreshing) void this.#refresh(this.#stopped.signal);
  }

  async #refresh(signal: AbortSignal): Promise<void> {
    for (const id of this.#outdated) {
      this.#outdated.delete(id);
      this.#refreshing = id;
      try {
        const answer = await persistently(() => this.#core.client.query(DIALOG, { id }, { signal }), signal);
        if (!answer || signal.aborted) return;
        if (!this.#outdated.has(id)) this.put(dialogOf(answer.dialog, this.#core.userId()));
      } catch (error) {
        if (isRefused(error)) this.remove(id);
      }
    }
    this.#refreshing = undefined;
    this.#save();
  }

  #replace(dialog: Dialog): void {
    this.#set({ dialogs: this.store.get().dialogs.map((one) => (one.id === dialog.id ? dialog : one)) });
  }

  #set(changes: Partial<DialogsState>): void {
    this.store.set({ ...this.store.get(), ...changes });
  }

  #save(): void {
    this.#core.cache.save(`dialogs:${this.#core.userId()}`, this.store.get().dialogs.slice(0, CACHED));
  }
}

/** Whether the dialog does not exist, or no longer for this user. */
function isRefused(error: unknown): boolean {
  return error instanceof AtriumError && (error.code === 'NOT_FOUND' || error.code === 'FORBIDDEN');
}

function activityOf({ lastMessage, id }: Dialog): string {
  // Ids begin with the seconds of the creation.
  return lastMessage?.sentAt ?? new Date(Number.parseInt(id.slice(0, 8), 16) * 1_000).toISOString();
}
