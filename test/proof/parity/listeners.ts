import { db } from '../../../src/db/client.ts';
import { type Grants, isForbidden } from '../../../src/resolvers/classes/grants.ts';
import { running } from '../../support/app/app.ts';
import { EVENT_FIELDS } from '../../support/clients/live.ts';
import { streamEvents } from '../../support/clients/sse.ts';
import { connect, listenOn, until } from '../../support/clients/websocket.ts';
import { createDialog, execute, send } from '../../support/fixtures/chat.ts';
import type { Caller } from '../../support/fixtures/users.ts';
import type { Who } from '../../support/operations/values.ts';
import { type ParityFixture, PEOPLE } from './fixture.ts';

const DIALOGS = `subscription { receivedEvents: dialogEvents { ${EVENT_FIELDS} } }`;
const RECORDS = `subscription { receivedEvents: recordChanged(className: "cars") { change recordId record { fields } } }`;

export type Topic = 'dialogs' | 'records';

const LISTENERS: [who: Who, about: Topic, transport: 'socket' | 'stream'][] = [
  ['alice', 'dialogs', 'socket'],
  ['bob', 'dialogs', 'stream'],
  ['key', 'dialogs', 'socket'],
  ['dave', 'dialogs', 'stream'],
  ['alice', 'records', 'stream'],
  ['carol', 'records', 'socket'],
  ['key', 'records', 'socket'],
];

// biome-ignore lint/suspicious/noExplicitAny: events of every type
type Event = any;

interface Listener {
  who: Who;
  about: Topic;
  transport: string;
  receivedEvents: () => Event[];
  isOver: () => boolean;
  close: () => Promise<void> | void;
  settled: number;
  /** Their user is deleted: of the events around that, they may have received some or none. */
  isGone: boolean;
}

export class Listeners {
  readonly #fixture: ParityFixture;
  readonly #bell: string;
  readonly #all: Listener[];
  readonly #bellRecords = new Set<string>();
  #rings = 0;

  private constructor(fixture: ParityFixture, sentinel: string, all: Listener[]) {
    this.#fixture = fixture;
    this.#bell = sentinel;
    this.#all = all;
  }

  static async begin(fixture: ParityFixture): Promise<Listeners> {
    const sentinel = await createDialog(fixture.ringer, [], 'PUBLIC_GROUP', 'Bell');
    const all: Listener[] = [];
    for (const [who, about, transport] of LISTENERS) {
      const listen = transport === 'socket' ? overSocket : overStream;
      const opened = await listen(about === 'dialogs' ? DIALOGS : RECORDS, fixture.callers[who]);
      all.push({ who, about, transport, ...opened, settled: 0, isGone: false });
    }
    return new Listeners(fixture, sentinel, all);
  }

  /**
   * Waits until all events are delivered. Events show the state at delivery, so each step starts with none in flight.
   */
  async settle(topics: Topic[]): Promise<void> {
    await this.#dismiss();
    if (topics.includes('dialogs')) await this.#ring();
    if (topics.includes('records')) await this.#ringInRecords();
    for (const one of this.#all) if (!one.isGone) one.settled = one.receivedEvents().length;
  }

  /** Sends a sentinel message that all listeners receive. */
  async #ring(): Promise<void> {
    const text = `bell ${++this.#rings}`;
    await send(this.#fixture.ringer, this.#bell, text);
    await this.#receivedEvents('dialogs', (event) => event.message?.text === text);
  }

  /** Creates a sentinel record that all may read, and deletes it. */
  async #ringInRecords(): Promise<void> {
    const id = await this.#createRecord(`bell ${++this.#rings}`);
    this.#bellRecords.add(id);
    await this.#receivedEvents('records', ({ recordId }) => recordId === id, await this.#mayRead());
    await this.#deleteRecord(id);
  }

  async #receivedEvents(topic: Topic, isExpected: (event: Event) => boolean, isForAll = true): Promise<void> {
    for (const { who, about, receivedEvents, isGone } of this.#all) {
      if (isGone || about !== topic) continue;
      if (isForAll || who === 'key') await until(() => receivedEvents().some(isExpected));
    }
  }

  async end(): Promise<Record<string, Event[]>> {
    await this.settle(['dialogs', 'records']);
    return Object.fromEntries(
      this.#all.map(({ who, about, transport, receivedEvents, settled }) => {
        const events = receivedEvents().slice(0, settled);
        const others = events.filter(
          (event) => event.dialogId !== this.#bell && !this.#bellRecords.has(event.recordId),
        );
        return [`${who} by ${transport}: ${about}`, others.map(comparable)];
      }),
    );
  }

  async close(): Promise<void> {
    for (const { close } of this.#all) await close();
  }

  /** Waits until the subscriptions of deleted users have ended. */
  async #dismiss(): Promise<void> {
    const { applicationId, known } = this.#fixture;
    const left = await db.user.findMany({ where: { applicationId }, select: { id: true } });
    for (const one of this.#all) {
      const place = PEOPLE.indexOf(one.who as (typeof PEOPLE)[number]);
      if (one.isGone || place < 0 || left.some(({ id }) => id === known.user[place])) continue;
      await until(one.isOver);
      one.isGone = true;
    }
  }

  async #createRecord(make: string): Promise<string> {
    const CREATE = 'mutation ($input: CreateRecordInput!) { createRecord(input: $input) { id } }';
    const input = { className: 'cars', fields: { make }, permissions: { read: { access: 'OPEN' } } };
    return (await execute(CREATE, { input }, this.#fixture.key)).createRecord.id;
  }

  async #deleteRecord(id: string): Promise<void> {
    await execute('mutation ($id: ID!) { deleteRecord(className: "cars", id: $id) }', { id }, this.#fixture.key);
  }

  async #mayRead(): Promise<boolean> {
    const { applicationId } = this.#fixture;
    const cars = await db.recordClass.findFirstOrThrow({ where: { applicationId, name: 'cars' } });
    return !isForbidden(cars.readers as Grants);
  }
}

type Opened = Pick<Listener, 'receivedEvents' | 'isOver' | 'close'>;

/**
 * Without the cursor, and without the name of a dialog with one occupant: a deleted user leaves dialogs in earlier
 * transactions than the one that deletes the row, so an event in between can still have the name of that user.
 */
function comparable({ cursor: _, ...event }: Event): Event {
  if (event.dialog?.occupantIds?.length !== 1) return event;
  const { name: __, ...dialog } = event.dialog;
  return { ...event, dialog };
}

async function overSocket(document: string, as: Caller): Promise<Opened> {
  const socket = await connect(as);
  const listening = await listenOn(socket, document, {}, running.app);
  return {
    receivedEvents: () => listening.payloads().map((payload) => payload.receivedEvents ?? payload),
    isOver: () =>
      socket.socket.readyState !== socket.socket.OPEN || socket.received.some(({ type }) => type === 'complete'),
    close: socket.close,
  };
}

async function overStream(document: string, as: Caller): Promise<Opened> {
  const { hub } = running.app.services;
  const before = hub.subscriptionCount;
  const stream = await streamEvents(document, {}, as);
  let isOver = false;
  void stream.ended.then(() => {
    isOver = true;
  });
  await until(() => hub.subscriptionCount > before || isOver);
  return {
    receivedEvents: () => stream.results.map(({ data, errors }) => (errors ? { errors } : data.receivedEvents)),
    isOver: () => isOver,
    close: () => stream.abort(),
  };
}
