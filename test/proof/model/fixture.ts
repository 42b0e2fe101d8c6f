import type { QuickUser } from '../../support/fixtures/chat.ts';
import { UNKNOWN_ID } from '../../support/fixtures/chat-cast.ts';
import { apiKey, type Caller } from '../../support/fixtures/users.ts';
import type { Args, Body } from '../../support/operations/operation.ts';
import { NEED_USER, type Refused } from '../../support/operations/outcomes.ts';
import { ask, type TransportName } from './ask.ts';
import type { ChatModel } from './chat-model.ts';
import { overXmpp } from './over-xmpp.ts';
import { type Actor, type ModelDialog, Refusal } from './records.ts';

export interface Doer {
  /** Index of a user; the index after the last is the API key. */
  actor: number;
  transport: TransportName | 'XMPP';
}

/** The legacy status of a refusal, or the response as the model predicts it. */
export type Outcome<Value> = { refused: number } | { value: Value } | { isSilent: true };

export function outcomeOf<Value>(deed: () => Value): Outcome<Value> {
  try {
    return { value: deed() };
  } catch (error) {
    if (error instanceof Refusal) return { refused: error.status };
    throw error;
  }
}

const STATUS: Record<string, number> = { BAD_USER_INPUT: 400, FORBIDDEN: 403, NOT_FOUND: 404, UNPROCESSABLE: 422 };

export function refused({ refused: code, text }: Refused, asked: string): { refused: number } {
  const status = text === NEED_USER ? 422 : STATUS[code];
  if (!status) throw new Error(`${asked}: ${code} ${text}`);
  return { refused: status };
}

/** The nth of the objects visible to the actor, or of all that ever existed. */
export interface Pick {
  nth: number;
  anywhere: boolean;
}

/** Caller and transport of a step, and the objects that its arguments stand for. */
export class ModelFixture {
  readonly model: ChatModel;
  readonly actor: Actor;
  readonly caller: Caller;
  readonly text: string;
  readonly #users: QuickUser[];
  readonly #doer: Doer;

  constructor(model: ChatModel, users: QuickUser[], doer: Doer) {
    this.model = model;
    this.#users = users;
    this.#doer = doer;
    this.actor = users[doer.actor]?.id ?? 'key';
    this.caller = users[doer.actor] ?? apiKey;
    this.text = `said at ${model.now}`;
  }

  as(userId: number): ModelFixture {
    const actor = this.#users.findIndex(({ id }) => id === userId);
    return new ModelFixture(this.model, this.#users, { ...this.#doer, actor });
  }

  /** Calls a registered operation on the transport of the step. */
  async ask<Value>(name: string, args: Args, read: (body: Body) => Value): Promise<Outcome<Value>> {
    const { transport } = this.#doer;
    if (transport === 'XMPP') {
      const dialog = this.model.everyDialog.find(({ id }) => id === args.dialogId);
      const outcome = this.actor === 'key' ? undefined : await overXmpp(name, args, this.actor, dialog);
      if (outcome) return 'served' in outcome ? { value: read(outcome.served) } : outcome;
    }
    const answer = await ask(transport === 'XMPP' ? 'GraphQL' : transport, name, args, this.caller);
    return 'served' in answer ? { value: read(answer.served) } : refused(answer, name);
  }

  userIds(places: number[] | undefined): number[] | undefined {
    return places?.map((place) => this.#users[place]!.id);
  }

  dialog({ nth, anywhere }: Pick): ModelDialog {
    const all = this.model.everyDialog;
    const open = all.filter((dialog) => this.model.mayEnter(this.actor, dialog));
    return at(anywhere || open.length === 0 ? all : open, nth)!;
  }

  /**
   * Ids of messages, counted from the latest, and the dialog of the first. @param own only messages that the actor has
   * sent
   */
  messages(picks: Pick[], own = false): { ids: string[]; touched: ModelDialog | undefined } {
    const all = this.model.everyMessage.toReversed();
    const open = all.filter(
      (message) => this.model.isVisible(this.actor, message) && (!own || message.sender === this.actor),
    );
    const picked = picks.map(({ nth, anywhere }) => at(anywhere || open.length === 0 ? all : open, nth));
    return { ids: picked.map((message) => message?.id ?? UNKNOWN_ID), touched: picked[0]?.dialog };
  }
}

function at<Item>(items: Item[], place: number): Item | undefined {
  return items[place % items.length];
}
