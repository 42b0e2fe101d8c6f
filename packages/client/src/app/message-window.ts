import type { Message, Reaction, SentMessage } from './chat-types.ts';
import type { OutboxEntry } from './outbox.ts';

interface Marked {
  userId: number;
  messageIds: readonly string[] | null;
  read: boolean | null;
  delivered: boolean | null;
}

/** Changes that are shown before the service has confirmed them. */
type Optimistic = Partial<Pick<SentMessage, 'text' | 'isEdited' | 'reactions'>> & { isDeleted?: boolean };

/** The loaded messages of a dialog, with what is known about them before the service confirms it. */
export class MessageWindow {
  readonly #dialogId: string;
  readonly #userId: () => number | undefined;
  #messages: SentMessage[] = [];
  readonly #keys = new Map<string, string>();
  readonly #optimistic = new Map<string, Optimistic>();
  /** Own messages whose event has not arrived: earlier marks of a whole dialog do not include them. */
  readonly #ahead = new Set<string>();
  /** Shown messages by key, so that an unchanged one remains the same object. */
  #shown = new Map<string, { from: unknown[]; message: Message }>();

  constructor(dialogId: string, userId: () => number | undefined) {
    this.#dialogId = dialogId;
    this.#userId = userId;
  }

  get first(): SentMessage | undefined {
    return this.#messages[0];
  }

  get last(): SentMessage | undefined {
    return this.#messages.at(-1);
  }

  latest(count: number): SentMessage[] {
    return this.#messages.slice(-count);
  }

  has(id: string): boolean {
    return this.#messages.some((message) => message.id === id);
  }

  find(id: string): SentMessage | undefined {
    return this.#messages.find((message) => message.id === id);
  }

  reset(messages: SentMessage[]): void {
    this.#messages = [];
    this.#ahead.clear();
    this.add(messages);
  }

  /** Adds messages, or replaces those with the same id. */
  add(messages: readonly SentMessage[]): void {
    if (messages.length === 0) return;
    const known = new Map(this.#messages.map((message) => [message.id, message]));
    for (const message of messages) known.set(message.id, message);
    this.#messages = [...known.values()].sort(byTime);
  }

  /** @param isLatest false: the window does not reach to the newest messages, so that a gap would remain before it */
  sent({ key }: OutboxEntry, message: SentMessage, isLatest: boolean): void {
    for (const [id, claimed] of this.#keys) if (claimed === key && id !== message.id) this.#keys.delete(id);
    this.#keys.set(message.id, key);
    if (!isLatest) return;
    if (!this.has(message.id)) this.#ahead.add(message.id);
    this.add([message]);
  }

  /** A message from an event. An own one can arrive before the response to its request. */
  received(message: SentMessage, outbox: readonly OutboxEntry[]): void {
    this.#ahead.delete(message.id);
    if (this.has(message.id)) return;
    if (message.senderId === this.#userId() && !this.#keys.has(message.id)) {
      const claimed = new Set(this.#keys.values());
      const entry = outbox.find(
        ({ key, dialogId, text = '' }) => dialogId === this.#dialogId && text === message.text && !claimed.has(key),
      );
      if (entry) this.#keys.set(message.id, entry.key);
    }
    this.add([message]);
  }

  edited(id: string, text: string): void {
    this.#update(id, (message) =>
      message.text === text && message.isEdited ? message : { ...message, text, isEdited: true },
    );
  }

  reacted(id: string, reactions: Reaction[]): void {
    this.#update(id, (message) => ({ ...message, reactions }));
  }

  delete(ids: readonly string[]): void {
    this.#messages = this.#messages.filter(({ id }) => !ids.includes(id));
  }

  marked({ userId, messageIds, read, delivered }: Marked): void {
    this.#messages = this.#messages.map((message) => {
      if (messageIds ? !messageIds.includes(message.id) : this.#ahead.has(message.id)) return message;
      const readIds = withMark(message.readIds, userId, read);
      // A message that was read was also delivered.
      const deliveredIds = withMark(message.deliveredIds, userId, read === true ? true : delivered);
      const isSame = readIds === message.readIds && deliveredIds === message.deliveredIds;
      return isSame ? message : { ...message, readIds, deliveredIds };
    });
  }

  /** Shows a change until the returned function is called. */
  expect(id: string, change: Optimistic): () => void {
    this.#optimistic.set(id, { ...this.#optimistic.get(id), ...change });
    const expected = this.#optimistic.get(id);
    return () => {
      if (this.#optimistic.get(id) === expected) this.#optimistic.delete(id);
    };
  }

  /** @returns `before` if nothing changed */
  show(outbox: readonly OutboxEntry[], before: readonly Message[]): readonly Message[] {
    const next = new Map<string, { from: unknown[]; message: Message }>();
    const keep = (key: string, from: unknown[], make: () => Message) => {
      const cached = this.#shown.get(key);
      const isSame = cached?.from.every((part, index) => part === from[index]) === true;
      next.set(key, isSame ? cached : { from, message: make() });
    };
    for (const message of this.#messages) {
      const key = this.#keys.get(message.id) ?? message.id;
      const change = this.#optimistic.get(message.id);
      if (change?.isDeleted) continue;
      keep(key, [message, change], () => ({ ...message, ...change, key, state: 'sent' }));
    }
    for (const entry of outbox) {
      if (entry.dialogId !== this.#dialogId || next.has(entry.key)) continue;
      keep(entry.key, [entry], () => pendingMessage(entry));
    }
    this.#shown = next;
    const messages = Array.from(next.values(), ({ message }) => message);
    const isSame = messages.length === before.length && messages.every((message, index) => message === before[index]);
    return isSame ? before : messages;
  }

  #update(id: string, change: (message: SentMessage) => SentMessage): void {
    this.#messages = this.#messages.map((message) => (message.id === id ? change(message) : message));
  }
}

function pendingMessage(entry: OutboxEntry): Message {
  const { key, dialogId, userId, text = '', attachments = [], customFields = {}, createdAt, state, error } = entry;
  return {
    key,
    id: key,
    dialogId,
    senderId: userId,
    text,
    attachments,
    customFields,
    createdAt: new Date(createdAt).toISOString(),
    isEdited: false,
    readIds: [],
    deliveredIds: [],
    reactions: [],
    state,
    ...(error && { error }),
  };
}

function withMark(ids: number[], userId: number, mark: boolean | null): number[] {
  if (mark === null || ids.includes(userId) === mark) return ids;
  return mark ? [...ids, userId].sort((a, b) => a - b) : ids.filter((id) => id !== userId);
}

/** Times of creation never decrease within a dialog, and ids sort by them. */
function byTime(a: SentMessage, b: SentMessage): number {
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt ? -1 : 1;
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}
