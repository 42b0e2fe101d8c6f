import { AtriumError } from '../errors.ts';
import { type DialogEvent, MESSAGES, messageOf } from './chat-documents.ts';
import type { Message, SentMessage } from './chat-types.ts';
import { asAtriumError, type Core, persistently, type Status } from './core.ts';
import { attachmentsOf, membersOf } from './foreign-json.ts';
import { MessageWindow } from './message-window.ts';
import { ReactionLoads } from './reaction-loads.ts';
import { Store } from './store.ts';
import type { TypingUsers } from './typing-users.ts';

export interface ThreadState {
  status: Status;
  /** Oldest first; messages of the outbox last. */
  messages: readonly Message[];
  hasOlder: boolean;
  hasNewer: boolean;
  isLoadingOlder: boolean;
  isLoadingNewer: boolean;
  /** Ids of the other users who are typing. */
  typing: readonly number[];
  /** Loaded from this device, because the service was not reached yet. */
  isStale: boolean;
  error?: AtriumError;
}

const START: ThreadState = {
  status: 'loading',
  messages: [],
  hasOlder: false,
  hasNewer: false,
  isLoadingOlder: false,
  isLoadingNewer: false,
  typing: [],
  isStale: false,
};
const PAGE = 50;
/** The service returns at most this number. */
const OLDER_PAGE = 100;
const CACHED = 50;

/** Messages of one dialog, kept up to date by events. */
export class Thread {
  readonly store: Store<ThreadState>;
  readonly window: MessageWindow;
  readonly #core: Core;
  readonly #dialogId: string;
  #stopped = new AbortController();
  /** Events that arrived before the messages. */
  #early: DialogEvent[] | undefined;
  /** Events that arrived while a page of the history was being loaded, per request. */
  readonly #during = new Set<DialogEvent[]>();
  readonly #reactions = new ReactionLoads(
    (ids) => this.#messagesOf(ids),
    (messages) => {
      // Only the reactions: events may have changed the rest since.
      for (const { id, reactions } of messages) this.window.reacted(id, reactions);
      this.refresh();
    },
  );
  readonly #typing: TypingUsers['store'];

  constructor(core: Core, dialogId: string, typing: TypingUsers['store']) {
    this.#core = core;
    this.#dialogId = dialogId;
    this.#typing = typing;
    this.window = new MessageWindow(dialogId, core.userId);
    this.store = new Store(START, () => this.#start());
    core.stores.add(this.store as Store<unknown>);
  }

  async loadOlder(): Promise<void> {
    const { hasOlder, isLoadingOlder } = this.store.get();
    const first = this.window.first;
    if (!hasOlder || isLoadingOlder || !first) return;
    this.#set({ isLoadingOlder: true });
    try {
      await this.#take(
        () => this.history({ before: first.id, first: OLDER_PAGE }),
        (page) => {
          if (this.window.first?.id !== first.id) return {}; // other messages are shown now
          this.window.add(page.messages);
          return { hasOlder: page.hasMore };
        },
      );
    } finally {
      this.#set({ isLoadingOlder: false });
    }
  }

  async loadNewer(): Promise<void> {
    const { hasNewer, isLoadingNewer } = this.store.get();
    const last = this.window.last;
    if (!hasNewer || isLoadingNewer || !last) return;
    this.#set({ isLoadingNewer: true });
    try {
      await this.#take(
        () => this.history({ after: last.id }),
        (page) => {
          if (this.window.last?.id !== last.id) return {};
          this.window.add(page.messages);
          return { hasNewer: page.hasMore };
        },
      );
    } finally {
      this.#set({ isLoadingNewer: false });
    }
  }

  /** Shows the messages around one, for example a result of a search. */
  async jumpTo(messageId: string): Promise<void> {
    await this.#take(
      () =>
        Promise.all([
          this.history({ before: messageId, first: PAGE / 2 }),
          this.history({ after: messageId, inclusive: true, first: PAGE / 2 }),
        ]),
      ([older, newer]) => {
        this.window.reset([...older.messages, ...newer.messages]);
        return { hasOlder: older.hasMore, hasNewer: newer.hasMore };
      },
    );
  }

  /** Shows messages of the history, with the changes that arrived while they were being loaded. */
  async #take<Page>(load: () => Promise<Page>, show: (page: Page) => Partial<ThreadState>): Promise<void> {
    const { signal } = this.#stopped;
    const events: DialogEvent[] = [];
    this.#during.add(events);
    try {
      const page = await load();
      if (signal.aborted) return;
      if (events.some(marksAll)) return await this.#take(load, show);
      const changes = show(page);
      for (const event of events) this.#apply(event, changes.hasNewer);
      this.refresh(changes);
    } finally {
      this.#during.delete(events);
    }
  }

  async jumpToLatest(): Promise<void> {
    if (this.store.get().hasNewer) await this.#load(this.#stopped.signal);
  }

  /** Messages before or after one, oldest first; without either, the latest. */
  async history(
    of: { before?: string; after?: string; inclusive?: boolean; first?: number; signal?: AbortSignal } = {},
  ) {
    const { before, after, inclusive = false, first = PAGE, signal } = of;
    const filter = before
      ? { id: { lt: before } }
      : after
        ? { id: inclusive ? { gte: after } : { gt: after } }
        : undefined;
    const range = after ? { first } : { last: first };
    const { messages } = await this.#core.client.query(
      MESSAGES,
      { dialogId: this.#dialogId, filter, ...range },
      { signal },
    );
    const { hasNextPage, hasPreviousPage } = messages.pageInfo;
    return {
      messages: messages.edges.map(({ node }) => messageOf(node)),
      hasMore: after ? hasNextPage : hasPreviousPage,
    };
  }

  /** Shows what changed in the window and the outbox, together with `changes`. */
  refresh(changes: Partial<ThreadState> = {}): void {
    if (!this.store.isWatched) return;
    const { hasNewer, messages: before } = { ...this.store.get(), ...changes };
    const messages = this.window.show(hasNewer ? [] : this.#core.outbox.entries.get(), before);
    this.#set({ ...changes, messages });
  }

  #start(): () => void {
    const stopped = new AbortController();
    this.#stopped = stopped;
    this.#early = [];
    this.window.reset([]);
    this.store.set(START);
    const userId = this.#core.userId();
    if (userId === undefined) return () => stopped.abort();
    void this.#fromCache(userId, stopped.signal);
    const { ready, stop } = this.#core.events.listen({
      apply: (event) => event.dialogId === this.#dialogId && this.#receive(event),
      reload: () => void this.#load(stopped.signal),
    });
    void ready.then(
      () => this.#load(stopped.signal),
      (error) => !stopped.signal.aborted && this.#set({ status: 'error', error: asAtriumError(error) }),
    );
    const { outbox } = this.#core;
    const stopTyping = this.#typing.subscribe(() => this.#set({ typing: this.#typing.get() }));
    this.#set({ typing: this.#typing.get() });
    const stopEntries = outbox.entries.subscribe(() => this.refresh());
    const stopSent = outbox.onSent((entry, message) => {
      if (entry.dialogId !== this.#dialogId) return;
      this.window.sent(entry, message, !this.store.get().hasNewer);
      this.refresh();
      this.#save();
    });
    return () => {
      stopped.abort();
      stop();
      stopTyping();
      stopEntries();
      stopSent();
    };
  }

  async #fromCache(userId: number, signal: AbortSignal): Promise<void> {
    const messages = await this.#core.cache.load<SentMessage[]>(this.#cacheKey(userId));
    if (signal.aborted || this.store.get().status === 'ready') return;
    // An earlier version of the client may have stored them.
    if (messages) this.window.reset(messages.map(withCheckedJson));
    this.refresh(messages && { status: 'ready', isStale: true });
  }

  async #load(signal: AbortSignal): Promise<void> {
    const early: DialogEvent[] = [];
    this.#early = early;
    try {
      const page = await persistently(() => this.history({ signal }), signal);
      // A later call replaces this one.
      if (!page || signal.aborted || this.#early !== early) return;
      this.#early = undefined;
      this.window.reset(page.messages);
      if (early.some(marksAll)) return this.#load(signal);
      for (const event of early) this.#apply(event, false);
      const { hasMore: hasOlder } = page;
      this.refresh({ status: 'ready', isStale: false, hasOlder, hasNewer: false, error: undefined });
      this.#save();
    } catch (error) {
      if (!signal.aborted && this.#early === early) this.#set({ status: 'error', error: asAtriumError(error) });
    }
  }

  #receive(event: DialogEvent): void {
    for (const events of this.#during) events.push(event);
    if (this.#early) this.#early.push(event);
    else {
      this.#apply(event);
      this.refresh();
      this.#save();
    }
  }

  #apply(event: DialogEvent, hasNewer = this.store.get().hasNewer): void {
    switch (event.__typename) {
      case 'MessageSent':
        // A page that is not the latest gets it by `loadNewer`.
        if (!hasNewer) this.window.received(messageOf(event.message), this.#core.outbox.entries.get());
        return;
      case 'MessageEdited':
        this.window.edited(event.message.id, event.message.text);
        return;
      case 'MessagesDeleted':
        this.window.delete(event.deletedIds);
        return;
      case 'MessagesMarked':
        this.window.marked(event);
        return;
      case 'ReactionAdded':
      case 'ReactionRemoved':
        // Counts come from the service, because events may repeat what was loaded.
        if (this.window.has(event.messageId)) this.#reactions.add(event.messageId);
        return;
      case 'DialogRemoved':
        this.#set({ status: 'error', error: new AtriumError('NOT_FOUND', 'The dialog was removed') });
    }
  }

  async #messagesOf(ids: string[]): Promise<SentMessage[]> {
    const { signal } = this.#stopped;
    const variables = { dialogId: this.#dialogId, filter: { id: { in: ids } }, first: ids.length };
    const load = () => this.#core.client.query(MESSAGES, variables, { signal });
    const answer = await persistently(load, signal).catch(() => undefined);
    return signal.aborted || !answer ? [] : answer.messages.edges.map(({ node }) => messageOf(node));
  }

  #set(changes: Partial<ThreadState>): void {
    const before = this.store.get();
    const isSame = Object.entries(changes).every(([name, value]) => before[name as keyof ThreadState] === value);
    if (!isSame) this.store.set({ ...before, ...changes });
  }

  #cacheKey(userId: number | undefined): string {
    return `thread:${userId}:${this.#dialogId}`;
  }

  #save(): void {
    if (this.store.get().hasNewer) return;
    this.#core.cache.save(this.#cacheKey(this.#core.userId()), this.window.latest(CACHED));
  }
}

function withCheckedJson({ attachments, customFields, ...message }: SentMessage): SentMessage {
  return { ...message, attachments: attachmentsOf(attachments), customFields: membersOf(customFields) };
}

/** A mark of all messages: whether it came before messages that are loaded at the same time is not known. */
function marksAll(event: DialogEvent): boolean {
  return event.__typename === 'MessagesMarked' && event.messageIds === null;
}
