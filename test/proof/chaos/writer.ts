import { until } from '../../support/app/until.ts';
import type { QuickUser } from '../../support/fixtures/chat.ts';
import { pause, type Random } from '../../support/fixtures/random.ts';
import { REQUEST_TIMEOUT_MS } from './worker.ts';

export interface Acknowledged {
  id: string;
  dialogId: string;
  clientId: string;
  senderId: number;
}

const SEND = 'mutation ($input: SendMessageInput!) { sendMessage(input: $input) { id } }';
const EDIT = 'mutation ($id: ID!, $text: String) { updateMessages(ids: [$id], input: { text: $text }) { id } }';
const MARK = 'mutation ($id: ID!) { updateMessages(ids: [$id], input: { read: true }) { id } }';
const REACT = 'mutation ($id: ID!, $name: String) { addReaction(messageId: $id, name: $name) { id } }';
const UNREACT = 'mutation ($id: ID!, $name: String) { removeReaction(messageId: $id, name: $name) { id } }';
const DELETE = 'mutation ($id: ID!) { deleteMessages(ids: [$id], force: true) { deletedIds } }';

/** A user who writes into dialogs, and retries on any process until it responds. */
export class Writer {
  readonly acknowledged: Acknowledged[] = [];
  /** Repeats a failed request only once: after the time that the response states, when the process is ready again. */
  repeatsOnce = false;
  readonly #user: QuickUser;
  readonly #dialogIds: string[];
  readonly #urls: () => string[];
  readonly #random: Random;
  /** Distinguishes several writers of one user. */
  readonly #name: string | number;
  #alive: Acknowledged[] = [];
  #count = 0;

  constructor(user: QuickUser, dialogIds: string[], urls: () => string[], random: Random, name: string | number) {
    this.#user = user;
    this.#dialogIds = dialogIds;
    this.#urls = urls;
    this.#random = random;
    this.#name = name;
  }

  async writeUntil(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      await this.#act();
      await pause(this.#random.between(50, 300));
    }
  }

  /** Sends a message until it is acknowledged; the key ensures that it is stored once. */
  async send(dialogId: string): Promise<void> {
    const clientId = `${this.#name}-${++this.#count}`;
    const answer = await this.#insist(SEND, { input: { dialogId, text: clientId, clientId } });
    if (!answer.data?.sendMessage) throw new Error(`${clientId} was refused: ${JSON.stringify(answer)}`);
    const sent = { id: answer.data.sendMessage.id, dialogId, clientId, senderId: this.#user.id };
    this.acknowledged.push(sent);
    this.#alive.push(sent);
  }

  async #act(): Promise<void> {
    const chosen = this.#random.next();
    const message = this.#alive.length > 0 ? this.#random.pick(this.#alive) : undefined;
    if (chosen < 0.65 || !message) return this.send(this.#random.pick(this.#dialogIds));
    const { id } = message;
    const name = this.#random.pick(['like', 'heart']);
    if (chosen < 0.75) await this.#insist(EDIT, { id, text: `edited ${++this.#count}` });
    else if (chosen < 0.8) await this.#insist(MARK, { id });
    else if (chosen < 0.9) await this.#insist(REACT, { id, name });
    else if (chosen < 0.95) await this.#insist(UNREACT, { id, name });
    else {
      this.#alive = this.#alive.filter((one) => one !== message);
      await this.#insist(DELETE, { id });
    }
  }

  /** Retries until a process responds without an internal error. @throws with `repeatsOnce`, the repetition fails */
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
  async #insist(query: string, variables: Record<string, unknown>): Promise<{ data?: any; errors?: any[] }> {
    for (let isRepeated = false; ; ) {
      const url = this.#random.pick(this.#urls());
      let waitSeconds = 0;
      try {
        const response = await fetch(`${url}/graphql`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', ...this.#user.headers },
          body: JSON.stringify({ query, variables }),
          signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
        });
        const answer = (await response.json()) as {
          errors?: { extensions?: { code?: string; retryAfter?: number } }[];
        };
        const refusal = answer.errors?.find(({ extensions }) => extensions?.code === 'SERVICE_UNAVAILABLE');
        if (!refusal) return answer;
        waitSeconds = refusal.extensions!.retryAfter!;
      } catch {
        // The process was killed; retry.
      }
      if (this.repeatsOnce) {
        if (isRepeated) throw new Error(`a repeated request failed: ${query} ${JSON.stringify(variables)}`);
        isRepeated = true;
        await pause(waitSeconds * 1_000);
        await until(() => fetch(`${url}/readyz`).then(({ ok }) => ok));
      } else {
        await pause(this.#random.between(20, 200));
      }
    }
  }
}
