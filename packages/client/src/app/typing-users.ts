import { TYPING } from './chat-documents.ts';
import type { Core } from './core.ts';
import { Store, unref } from './store.ts';

/** Clients report typing every few seconds. */
const TYPING_MS = 6_000;
const NONE: readonly number[] = [];

/** Ids of the other users who type in a dialog, kept up to date while something listens. */
export class TypingUsers {
  readonly store: Store<readonly number[]>;
  readonly #core: Core;
  readonly #dialogId: string;
  readonly #timers = new Map<number, ReturnType<typeof setTimeout>>();

  constructor(core: Core, dialogId: string) {
    this.#core = core;
    this.#dialogId = dialogId;
    this.store = new Store(NONE, () => this.#start());
    core.stores.add(this.store as Store<unknown>);
  }

  #start(): () => void {
    const { client, events, userId } = this.#core;
    if (userId() === undefined) return () => {};
    const subscription = client.subscribe(
      TYPING,
      { dialogId: this.#dialogId },
      {
        next: ({ typing }) => {
          if (!typing.isTyping) this.#remove(typing.userId);
          else if (typing.userId !== userId()) this.#add(typing.userId);
        },
        end: () => {},
      },
    );
    const { ready, stop } = events.listen({
      apply: (event) => {
        if (event.__typename === 'MessageSent' && event.dialogId === this.#dialogId) {
          this.#remove(event.message.senderId);
        }
      },
      reload: () => {},
    });
    ready.catch(() => {});
    return () => {
      subscription.stop();
      stop();
      for (const timer of this.#timers.values()) clearTimeout(timer);
      this.#timers.clear();
      this.store.set(NONE);
    };
  }

  #add(userId: number): void {
    const isNew = !this.#timers.has(userId);
    clearTimeout(this.#timers.get(userId));
    const timer = setTimeout(() => this.#remove(userId), TYPING_MS);
    unref(timer);
    this.#timers.set(userId, timer);
    if (isNew) this.#show();
  }

  #remove(userId: number): void {
    clearTimeout(this.#timers.get(userId));
    if (this.#timers.delete(userId)) this.#show();
  }

  #show(): void {
    this.store.set([...this.#timers.keys()]);
  }
}
