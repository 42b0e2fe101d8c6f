import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { App } from '../../src/server/lifecycle.ts';
import { running } from './app.ts';
import { createDialog, type QuickUser, quickUsers, send } from './chat.ts';
import { type Listening, listen, until } from './sockets.ts';
import { LOCKED_HERE, ownConnection, sql } from './sql.ts';
import { apiKey, type Caller } from './users.ts';

/** All that each kind of event tells, but for what depends on who asks. */
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
export type HeardEvent = any;

/** The events a subscription to `dialogEvents` has heard, in order. */
export function eventsOf(listening: Listening): HeardEvent[] {
  return listening.heard().map((payload) => payload.dialogEvents ?? payload);
}

/** A dialog that everybody of the application hears: what they have not heard before what is said there never comes. */
export class Bell {
  readonly #lobby: string;
  readonly #ringer: Caller;

  private constructor(lobby: string, ringer: Caller) {
    this.#lobby = lobby;
    this.#ringer = ringer;
  }

  static async hung(ringer: Caller): Promise<Bell> {
    return new Bell(await createDialog(ringer, [], 'PUBLIC_GROUP', 'Bell'), ringer);
  }

  /** Rings, and gives what those who listen to all their dialogs have heard until then, or until their socket was closed:
   * without the bell and cursors. */
  async heardBy(...listeners: Listening[]): Promise<HeardEvent[][]> {
    const text = randomUUID();
    await send(this.#ringer, this.#lobby, text);
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

/** Who may hear of a group of Alice's with Bob and Carol, and who may not. */
export interface Listeners {
  alice: QuickUser;
  bob: QuickUser;
  carol: QuickUser;
  mallory: QuickUser;
  dialogId: string;
  /** Does something and gives what each has heard of it. */
  toldOf: (act: () => Promise<unknown>) => Promise<Told>;
}

export type Told = Record<'alice' | 'bob' | 'otherDevice' | 'carol' | 'mallory' | 'key', HeardEvent[]>;

/** A group, and subscriptions to all dialogs: of its occupants, of Bob once more, of an outsider and of the API key. */
export async function stageListeners(app: App = running.app): Promise<Listeners> {
  const users = await quickUsers(5);
  const [alice, bob, carol, mallory, ringer] = users as [QuickUser, QuickUser, QuickUser, QuickUser, QuickUser];
  const bell = await Bell.hung(ringer);
  const dialogId = await createDialog(alice, [bob, carol]);
  const toldOf = async (act: () => Promise<unknown>) => {
    const listeners: Listening[] = [];
    for (const as of [alice, bob, bob, carol, mallory, apiKey]) {
      listeners.push(await listen(DIALOG_EVENTS, {}, as, app));
    }
    await act();
    const [ofAlice, ofBob, otherDevice, ofCarol, ofMallory, key] = await bell.heardBy(...listeners);
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
  return { alice, bob, carol, mallory, dialogId, toldOf };
}

/** Checks that the named ones have heard exactly these events, and the others nothing. */
export function expectTold(told: Told, expected: Partial<Record<keyof Told, HeardEvent[]>>): void {
  const nothing = { alice: [], bob: [], otherDevice: [], carol: [], mallory: [], key: [] };
  expect(told).toEqual({ ...nothing, ...expected });
}

/** The same events for each of the named. */
export function toEach(names: (keyof Told)[], events: HeardEvent[]): Partial<Told> {
  return Object.fromEntries(names.map((name) => [name, events]));
}

export const OCCUPANTS: (keyof Told)[] = ['alice', 'bob', 'otherDevice', 'carol'];

/** Announces a message once more, as its sending did, and does something while the answers to that wait for it. */
export async function whileMessagesAreHeld(
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
