import { randomUUID } from 'node:crypto';
import { running } from '../support/app.ts';
import { ask, createDialog, send } from '../support/chat.ts';
import { EVENT_FIELDS } from '../support/live.ts';
import { connect, listenOn, until } from '../support/sockets.ts';
import { streamEvents } from '../support/sse.ts';
import type { Caller } from '../support/users.ts';
import type { Who, World } from './world.ts';

const DIALOGS = `subscription { heard: dialogEvents { ${EVENT_FIELDS} } }`;
const RECORDS = `subscription { heard: recordChanged(className: "cars") { change recordId record { fields } } }`;

/** Who listens to what, by which door. */
const LISTENERS: [who: Who, document: string, door: 'socket' | 'stream'][] = [
  ['alice', DIALOGS, 'socket'],
  ['bob', DIALOGS, 'stream'],
  ['key', DIALOGS, 'socket'],
  ['dave', DIALOGS, 'stream'],
  ['alice', RECORDS, 'stream'],
  ['carol', RECORDS, 'socket'],
];

interface Listener {
  name: string;
  about: string;
  heard: () => Event[];
  isOver: () => boolean;
  close: () => Promise<void> | void;
}

// biome-ignore lint/suspicious/noExplicitAny: events of every type
type Event = any;

/** What happens in a world, as several of its people hear of it. */
export class Listeners {
  readonly #world: World;
  readonly #bell: string;
  readonly #all: Listener[];

  private constructor(world: World, bell: string, all: Listener[]) {
    this.#world = world;
    this.#bell = bell;
    this.#all = all;
  }

  static async begin(world: World): Promise<Listeners> {
    const bell = await createDialog(world.ringer, [], 'PUBLIC_GROUP', 'Bell');
    const all: Listener[] = [];
    for (const [who, document, door] of LISTENERS) {
      const listen = door === 'socket' ? overSocket : overStream;
      all.push({ name: `${who} by ${door}`, about: document, ...(await listen(document, world.callers[who])) });
    }
    return new Listeners(world, bell, all);
  }

  /** All that each has heard until now; those who may no longer listen, until they might not. */
  async end(): Promise<Record<string, Event[]>> {
    const text = randomUUID();
    const { ringer } = this.#world;
    await send(ringer, this.#bell, text);
    const CREATE = 'mutation ($input: CreateRecordInput!) { createRecord(input: $input) { id } }';
    const permissions = { read: { access: 'OPEN' } };
    await ask(CREATE, { input: { className: 'cars', fields: { make: text }, permissions } }, ringer);
    const isBell = (event: Event) => event.message?.text === text || event.record?.fields?.make === text;
    const told: Record<string, Event[]> = {};
    for (const { name, about, heard, isOver } of this.#all) {
      await until(() => isOver() || heard().some(isBell));
      const events = heard().filter((event) => event.dialogId !== this.#bell && !isBell(event));
      told[`${name}: ${about.slice(0, 40)}`] = events.map(({ cursor: _, ...event }) => event);
    }
    return told;
  }

  async close(): Promise<void> {
    for (const { close } of this.#all) await close();
  }
}

async function overSocket(document: string, as: Caller): Promise<Omit<Listener, 'name' | 'about'>> {
  const socket = await connect(as);
  const listening = await listenOn(socket, document, {}, running.app);
  return {
    heard: () => listening.heard().map((payload) => payload.heard ?? payload),
    isOver: () =>
      socket.socket.readyState !== socket.socket.OPEN || socket.received.some(({ type }) => type === 'complete'),
    close: socket.close,
  };
}

async function overStream(document: string, as: Caller): Promise<Omit<Listener, 'name' | 'about'>> {
  const { hub } = running.app.services;
  const before = hub.watchCount;
  const stream = await streamEvents(document, {}, as);
  let isOver = false;
  void stream.ended.then(() => {
    isOver = true;
  });
  await until(() => hub.watchCount > before || isOver);
  return {
    heard: () => stream.results.map(({ data, errors }) => (errors ? { errors } : data.heard)),
    isOver: () => isOver,
    close: () => stream.abort(),
  };
}
