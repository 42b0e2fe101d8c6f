import type { SentMessage } from './chat-types.ts';

/** Loads messages again whose reactions have changed. A response that a later request has overtaken is ignored. */
export class ReactionLoads {
  readonly #load: (ids: string[]) => Promise<readonly SentMessage[]>;
  readonly #show: (messages: readonly SentMessage[]) => void;
  readonly #waiting = new Set<string>();
  /** The latest request for each message. */
  readonly #requests = new Map<string, object>();

  /** @param load must not reject */
  constructor(
    load: (ids: string[]) => Promise<readonly SentMessage[]>,
    show: (messages: readonly SentMessage[]) => void,
  ) {
    this.#load = load;
    this.#show = show;
  }

  /** One request loads all messages of one turn of the event loop. */
  add(messageId: string): void {
    this.#waiting.add(messageId);
    if (this.#waiting.size === 1) queueMicrotask(() => void this.#run());
  }

  async #run(): Promise<void> {
    const ids = [...this.#waiting];
    this.#waiting.clear();
    const request = {};
    for (const id of ids) this.#requests.set(id, request);
    const messages = await this.#load(ids);
    const isLatest = (id: string) => this.#requests.get(id) === request;
    const latest = messages.filter(({ id }) => isLatest(id));
    for (const id of ids) if (isLatest(id)) this.#requests.delete(id);
    this.#show(latest);
  }
}
