import { randomBytes } from 'node:crypto';
import { type XmlElement, xml } from '@xmpp/client';
import { CHAT_DOMAIN, jidOf, roomOf } from '../../support/clients/xmpp.ts';
import { pause, type Random } from '../../support/fixtures/random.ts';
import { onBehalfOf, type TestUser } from '../../support/fixtures/users.ts';
import { type ChatAddress, type ChatConnection, CONNECTIONS } from './chat-connections.ts';
import { History } from './history.ts';

/** After which a client gives up, as legacy clients do after late answers. */
const ANSWER_TIMEOUT_MS = 4_000;
const MAX_UNCONFIRMED = 20;
const ENDS = ['</message>', '</presence>', '</iq>'];

export interface Talk {
  dialogId: string;
  /** The other user; undefined in a room. */
  to?: { id: number };
}

/**
 * A legacy client that chats, connects again to the next process when its stream ends, loads what it missed over REST, and
 * sends what is not there again with the same id.
 */
export class Chatter {
  readonly user: TestUser;
  readonly name: string;
  readonly sent: string[] = [];
  /** Ids that one connection has received, in order, by dialog. */
  readonly slices: { dialogId: string; ids: string[] }[] = [];
  readonly refusals: string[] = [];
  connections = 0;
  /** Index of the address that it uses. */
  process = 0;
  resent = 0;
  readonly #talks: Talk[];
  readonly #addresses: () => ChatAddress[];
  readonly #random: Random;
  readonly #unconfirmed = new Map<string, Talk>();
  readonly #history: History;
  #attempts: number;
  #awaited: string | undefined;
  #onRead = () => {};

  constructor(
    { user, name, talks }: { user: TestUser; name: string; talks: Talk[] },
    { addresses, urls }: { addresses: () => ChatAddress[]; urls: () => string[] },
    random: Random,
  ) {
    this.user = user;
    this.name = name;
    this.#talks = talks;
    this.#addresses = addresses;
    this.#random = random;
    this.#attempts = random.between(0, 2);
    this.#history = new History(onBehalfOf(user), urls, random);
  }

  get unconfirmedCount(): number {
    return this.#unconfirmed.size;
  }

  async chatUntil(isOver: () => boolean): Promise<void> {
    while (!isOver() || this.#unconfirmed.size > 0) {
      const connection = await this.#connect();
      if (connection) await this.#chat(connection, isOver);
      connection?.cut();
      await pause(this.#random.between(20, 200));
    }
  }

  async #connect(): Promise<ChatConnection | undefined> {
    const addresses = this.#addresses();
    this.process = this.#attempts++ % addresses.length;
    const connecting = CONNECTIONS[this.name.replace(/ \d+$/, '')]!(this.user, addresses[this.process]!);
    connecting.catch(() => {});
    const connection = await Promise.race([connecting, pause(ANSWER_TIMEOUT_MS)]).catch(() => undefined);
    if (!connection) void connecting.then((late) => late.cut()).catch(() => {});
    return connection ?? undefined;
  }

  async #chat(connection: ChatConnection, isOver: () => boolean): Promise<void> {
    this.connections++;
    const lists = new Map(this.#talks.map(({ dialogId }) => [dialogId, [] as string[]]));
    this.slices.push(...[...lists].map(([dialogId, ids]) => ({ dialogId, ids })));
    connection.onChange = () => {
      this.#read(connection, lists);
      this.#onRead();
    };
    for (const { dialogId, to } of this.#talks) if (!to) connection.send(joinOf(dialogId, this.user));
    if (!(await this.#answered(connection, 'code="110"'))) return;
    await this.#catchUp(connection);
    while (!connection.isClosed && (!isOver() || this.#unconfirmed.size > 0)) {
      if (!isOver() && this.#unconfirmed.size < MAX_UNCONFIRMED) this.#send(connection);
      if (this.#random.chance(0.2) && !(await this.#confirm(connection))) return;
      await pause(this.#random.between(5, 40));
    }
  }

  /** What is not in the history is sent again. */
  async #catchUp(connection: ChatConnection): Promise<void> {
    const stored = new Set<string>();
    for (const { dialogId } of this.#talks) for (const id of await this.#history.idsOf(dialogId)) stored.add(id);
    for (const [id, talk] of this.#unconfirmed) {
      if (stored.has(id)) this.#unconfirmed.delete(id);
      else {
        this.resent++;
        connection.send(this.#messageOf(id, talk));
      }
    }
  }

  #send(connection: ChatConnection): void {
    const id = randomBytes(12).toString('hex');
    const talk = this.#random.pick(this.#talks);
    this.sent.push(id);
    this.#unconfirmed.set(id, talk);
    connection.send(this.#messageOf(id, talk));
  }

  #messageOf(id: string, { dialogId, to }: Talk): XmlElement {
    return xml(
      'message',
      { id, to: to ? jidOf(to) : roomOf(dialogId), type: to ? 'chat' : 'groupchat' },
      xml('body', {}, `${this.name} <${this.sent.length}>`),
      xml('extraParams', { xmlns: 'jabber:client' }, xml('save_to_history', {}, '1')),
    );
  }

  /** Stanzas are handled in order, and neither a private message nor one that is sent again has an answer. */
  async #confirm(connection: ChatConnection): Promise<boolean> {
    const before = [...this.#unconfirmed.keys()];
    const id = `ping-${randomBytes(6).toString('hex')}`;
    connection.send(xml('iq', { id, type: 'get', to: CHAT_DOMAIN }, xml('query', 'jabber:iq:version')));
    if (!(await this.#answered(connection, `id="${id}"`))) return false;
    for (const one of before) this.#unconfirmed.delete(one);
    return true;
  }

  async #answered(connection: ChatConnection, text: string): Promise<boolean> {
    this.#awaited = text;
    const answered = new Promise<void>((resolve) => {
      this.#onRead = () => {
        if (this.#awaited === undefined || connection.isClosed) resolve();
      };
    });
    connection.onChange();
    await Promise.race([answered, pause(ANSWER_TIMEOUT_MS)]);
    return this.#awaited === undefined;
  }

  /** Reads complete stanzas, however the bytes are divided. */
  #read(connection: ChatConnection, lists: Map<string, string[]>): void {
    const { received } = connection;
    const end = Math.max(...ENDS.map((tag) => received.lastIndexOf(tag) + tag.length * Number(received.includes(tag))));
    if (end <= 0) return;
    const complete = received.slice(0, end);
    connection.received = received.slice(end);
    for (const [message] of complete.matchAll(/<message .*?<\/message>/gs)) {
      if (message.includes('type="error"')) this.refusals.push(message);
      const [, dialogId, id] = /<dialog_id>(\w+)<.*<message_id>(\w+)</s.exec(message) ?? [];
      if (id === undefined) continue;
      lists.get(dialogId!)?.push(id);
      this.#unconfirmed.delete(id);
    }
    if (this.#awaited !== undefined && complete.includes(this.#awaited)) this.#awaited = undefined;
  }
}

function joinOf(dialogId: string, user: { id: number }): XmlElement {
  return xml(
    'presence',
    { id: `join-${dialogId}`, to: roomOf(dialogId, user.id) },
    xml('x', 'http://jabber.org/protocol/muc'),
  );
}
