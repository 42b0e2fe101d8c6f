import type { AtriumClient } from '../client.ts';
import type { Subscription } from '../subscription.ts';
import { type DialogEvent, EVENTS } from './chat-documents.ts';

export interface EventListener {
  apply: (event: DialogEvent) => void;
  /** Events were lost: load everything again. */
  reload: () => void;
}

/** One subscription to the events of all dialogs of the user, shared by everything that shows them. */
export class Events {
  readonly #client: AtriumClient;
  readonly #listeners = new Set<EventListener>();
  #subscription: Subscription<{ dialogEvents: DialogEvent }> | undefined;

  constructor(client: AtriumClient) {
    this.#client = client;
  }

  /** @returns when no further event can be missed, and a function that ends listening */
  listen(listener: EventListener): { ready: Promise<void>; stop: () => void } {
    this.#listeners.add(listener);
    this.#subscription ??= this.#subscribe();
    return {
      ready: this.#subscription.ready,
      stop: () => {
        this.#listeners.delete(listener);
        if (this.#listeners.size === 0) this.#end();
      },
    };
  }

  #subscribe() {
    const subscription = this.#client.subscribe(
      EVENTS,
      {},
      {
        next: ({ dialogEvents }) => {
          for (const listener of [...this.#listeners]) listener.apply(dialogEvents);
        },
        onGap: () => {
          for (const listener of [...this.#listeners]) listener.reload();
        },
        // Without a session; everything that listens starts again with the next one.
        end: () => {
          if (this.#subscription === subscription) this.#subscription = undefined;
        },
      },
    );
    return subscription;
  }

  #end(): void {
    this.#subscription?.stop();
    this.#subscription = undefined;
  }
}
