import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { App } from '../../../src/server/lifecycle.ts';
import { running } from '../app/app.ts';
import { LOCKED_HERE, ownConnection, sql } from '../app/sql.ts';
import { createDialog, type QuickUser, quickUsers, send } from '../fixtures/chat.ts';
import { apiKey, type Caller } from '../fixtures/users.ts';
import { type LiveSubscription, listen, until } from './websocket.ts';

/** All fields of each kind of event, except for those that depend on the viewer. */
export const EVENT_FIELDS = `__typename cursor dialogId
  ... on MessageSent { message { id text } }
  ... on MessageEdited { message { id text } }
  ... on MessagesDeleted { deletedIds forAll deletedBy }
  ... on MessagesMarked { userId messageIds read delivered }
  ... on ReactionAdded { messageId userId name }
  ... on ReactionRemoved { messageId userId name }
  ... on DialogChanged { dialog { id name userId occupantIds adminIds } }
  ... on DialogRemoved { removal }`;

export const DIALOG_EVENTS = `subscription ($dialogId: ID, $since: String) {
  dialogEvents(dialogId: $dialogId, since: $since) { ${EVENT_FIELDS} } }`;

// biome-ignore lint/suspicious/noExplicitAny: events of every type
export type ReceivedEvent = any;

export function eventsOf(listening: LiveSubscription): ReceivedEvent[] {
  return listening.payloads().map((payload) => payload.dialogEvents ?? payload);
}

/** Sends a last message to a dialog that every user receives, which proves that earlier events have been delivered. */
export class Sentinel {
  readonly #lobby: string;
  readonly #sender: Caller;

  private constructor(lobby: string, sender: Caller) {
    this.#lobby = lobby;
    this.#sender = sender;
  }

  static async create(sender: Caller): Promise<Sentinel> {
    return new Sentinel(await createDialog(sender, [], 'PUBLIC_GROUP', 'Sentinel'), sender);
  }

  /** Waits for a sentinel or the end of each socket. @returns the events before it, without cursors */
  async receivedBy(...listeners: LiveSubscription[]): Promise<ReceivedEvent[][]> {
    const text = randomUUID();
    await send(this.#sender, this.#lobby, text);
    for (const one of listeners) {
      const isOver = () => one.socket.socket.readyState !== one.socket.socket.OPEN;
      await until(() => isOver() || eventsOf(one).some((event) => event.message?.text === text));
    }
    return listeners.map((one) => {
      const events = eventsOf(one).filter((event) => event.dialogId !== this.#lobby);
      return events.map(({ cursor: _, ...event }) => event);
    });
  }
}

export interface Listeners {
  alice: QuickUser;
  bob: QuickUser;
  carol: QuickUser;
  mallory: QuickUser;
  dialogId: string;
  eventsDuring: (act: () => Promise<unknown>) => Promise<ReceivedEvents>;
}

export type ReceivedEvents = Record<'alice' | 'bob' | 'otherDevice' | 'carol' | 'mallory' | 'key', ReceivedEvent[]>;

/**
 * Creates a group, and subscriptions to all dialogs: of its occupants, of Bob twice, of an outsider and of the API key.
 */
export async function createListeners(app: App = running.app): Promise<Listeners> {
  const users = await quickUsers(5);
  const [alice, bob, carol, mallory, sender] = users as [QuickUser, QuickUser, QuickUser, QuickUser, QuickUser];
  const sentinel = await Sentinel.create(sender);
  const dialogId = await createDialog(alice, [bob, carol]);
  const eventsDuring = async (act: () => Promise<unknown>) => {
    const listeners: LiveSubscription[] = [];
    for (const as of [alice, bob, bob, carol, mallory, apiKey]) {
      listeners.push(await listen(DIALOG_EVENTS, {}, as, app));
    }
    const earlier = await sentinel.receivedBy(...listeners);
    await act();
    const all = await sentinel.receivedBy(...listeners);
    const [ofAlice, ofBob, otherDevice, ofCarol, ofMallory, key] = all.map((events, index) =>
      events.slice(earlier[index]!.length),
    );
    for (const one of listeners) await one.close();
    return {
      alice: ofAlice!,
      bob: ofBob!,
      otherDevice: otherDevice!,
      carol: ofCarol!,
      mallory: ofMallory!,
      key: key!,
    };
  };
  return { alice, bob, carol, mallory, dialogId, eventsDuring };
}

export function expectReceived(
  notified: ReceivedEvents,
  expected: Partial<Record<keyof ReceivedEvents, ReceivedEvent[]>>,
): void {
  const nothing = { alice: [], bob: [], otherDevice: [], carol: [], mallory: [], key: [] };
  expect(notified).toEqual({ ...nothing, ...expected });
}

export function toEach(names: (keyof ReceivedEvents)[], events: ReceivedEvent[]): Partial<ReceivedEvents> {
  return Object.fromEntries(names.map((name) => [name, events]));
}

export const OCCUPANTS: (keyof ReceivedEvents)[] = ['alice', 'bob', 'otherDevice', 'carol'];

/** Publishes a message again, and runs an action while its delivery waits for the locked messages. */
export async function whileMessagesAreLocked(
  { dialogId, messageId, times = 1 }: { dialogId: string; messageId: string; times?: number },
  act: (query: (text: string, values: unknown[]) => Promise<unknown>) => Promise<unknown>,
): Promise<void> {
  const holder = await ownConnection();
  try {
    await holder.query('BEGIN');
    await holder.query('LOCK TABLE messages IN ACCESS EXCLUSIVE MODE');
    await sql(
      `INSERT INTO events_outbox (application_id, kind, dialog_id, subject_id, user_id, created_at)
       SELECT application_id, 'messageSent', id, $2, user_id, created_at FROM dialogs, generate_series(1, $3)
       WHERE id = $1`,
      [dialogId, messageId, times],
    );
    running.app.services.outbox.wake();
    await until(async () => {
      const waiting = await sql(
        `SELECT 1 FROM pg_locks WHERE ${LOCKED_HERE} AND NOT granted AND relation = 'messages'::regclass`,
      );
      return waiting.length > 0;
    });
    await act((text, values) => holder.query(text, values));
    await holder.query('COMMIT');
  } finally {
    await holder.end();
  }
}
