import { type AtriumClient, type ClientOptions, createClient } from '../client.ts';
import type { ConnectionState } from '../line.ts';
import { webStorage } from '../storage.ts';
import { Chat } from './chat.ts';
import { messageOf, SEND } from './chat-documents.ts';
import type { SentMessage } from './chat-types.ts';
import type { Core } from './core.ts';
import { type DeviceStorage, deviceStorage } from './device-storage.ts';
import { Events } from './events.ts';
import { Files } from './files.ts';
import { OfflineCache } from './offline-cache.ts';
import { Outbox, type OutboxEntry } from './outbox.ts';
import { People } from './people.ts';
import { type Fields, Records } from './records.ts';
import { SessionApi } from './session.ts';
import { type Live, Store } from './store.ts';
import { Users } from './users.ts';

export interface AtriumOptions extends ClientOptions {
  /** Where unsent messages and the offline copies are stored. Default: IndexedDB, in Node memory. */
  deviceStorage?: DeviceStorage;
}

/** Names of classes with their fields, as `atrium-types` writes them. */
export type Classes = Record<string, Fields>;

/** The task API. */
export class Atrium<C extends Classes = Classes> {
  /** For documents of your own. */
  readonly client: AtriumClient;
  readonly session: SessionApi;
  readonly users: Users;
  readonly chat: Chat;
  readonly people: People;
  readonly files: Files;
  /** State of the live connection. */
  readonly connection: Live<ConnectionState>;
  readonly #core: Core;
  readonly #records = new Map<string, Records>();
  readonly #onOnline = () => this.#core.outbox.wake();

  constructor(options: AtriumOptions) {
    const { url, applicationId } = options;
    const name = `${new URL(url).host}:${applicationId ?? ''}`;
    const connection = new Store<ConnectionState>('closed');
    this.connection = connection;
    this.client = createClient({
      ...(typeof localStorage === 'undefined' ? {} : { storage: webStorage(localStorage, `atrium:${name}`) }),
      ...options,
      onSessionChange: (session) => {
        // Called while the client is being created only if it has no session to restore.
        this.session?.changed(session);
        options.onSessionChange?.(session);
      },
      onConnectionChange: (state) => {
        connection.set(state);
        if (state === 'open') this.#core.outbox.wake();
        options.onConnectionChange?.(state);
      },
    });
    const storage = options.deviceStorage ?? deviceStorage(`atrium:${name}`);
    const outbox = new Outbox({ name, storage, send: (entry) => sendEntry(this.client, entry) });
    let session: SessionApi | undefined;
    this.#core = {
      client: this.client,
      events: new Events(this.client),
      outbox,
      cache: new OfflineCache(storage, () => this.client.session?.userId != null),
      userId: () => session?.user?.id,
      stores: new Set(),
    };
    this.users = new Users(this.#core);
    this.chat = new Chat(this.#core);
    this.people = new People(this.#core);
    const root = new URL(url.endsWith('/') ? url : `${url}/`);
    this.files = new Files(this.#core, root);
    session = new SessionApi(this.#core, this.users, name, root);
    this.session = session;
    (globalThis as Partial<EventTarget>).addEventListener?.('online', this.#onOnline);
  }

  /** Records of a class. The same object for the same name. */
  records<Name extends keyof C & string>(className: Name): Records<C[Name]> {
    let records = this.#records.get(className);
    if (!records) {
      records = new Records(this.#core, className);
      this.#records.set(className, records);
    }
    return records as unknown as Records<C[Name]>;
  }

  /** Stops everything. The session, the outbox and the offline copies remain stored. */
  close(): void {
    (globalThis as Partial<EventTarget>).removeEventListener?.('online', this.#onOnline);
    for (const store of this.#core.stores) store.end();
    this.#core.outbox.close();
    this.session.close();
    this.client.close();
  }
}

/** @throws {TypeError} invalid URL */
export function createAtrium<C extends Classes = Classes>(options: AtriumOptions): Atrium<C> {
  return new Atrium<C>(options);
}

async function sendEntry(client: AtriumClient, entry: OutboxEntry): Promise<SentMessage> {
  const { key: clientId, dialogId, text, attachments, customFields } = entry;
  const input = { clientId, dialogId, text, attachments, customFields };
  // The outbox retries.
  return messageOf((await client.mutate(SEND, { input }, { retries: 0 })).sendMessage);
}
