import { on, once } from 'node:events';
import { WebSocket } from 'ws';
import { MigrationError } from './errors.ts';
import {
  ChatAddresses,
  type Element,
  escaped,
  isDatabaseId,
  isLoopback,
  itemsIn,
  MAX_CONTACTS,
  MAX_LISTS,
  MINUTE,
  NS,
  type PrivacyItem,
  parseFrame,
  privacyItem,
  tag,
  type Xml,
  XmlError,
} from './service.ts';

/** Of each answer, because `--rate` may space many requests of one user. */
const TIMEOUT_MS = MINUTE;
const MAX_STANZA_BYTES = 2 * 1024 * 1024;
const MAX_BYTES = 32 * 1024 * 1024;
/** Lists of 2,000 items with their stanzas. */
const MAX_ELEMENTS = 20_000;
const RESOURCE = 'migration';

export interface ChatAccount {
  /** Of the addresses. */
  domain: string;
  applicationId: number;
  userId: number;
  password: string;
}

export interface SourceContact {
  userId: number;
  subscription: 'none' | 'to' | 'from' | 'both';
  /** The user asks to see the presence of the other. */
  isRequested: boolean;
}

export interface SourceList {
  name: string;
  isDefault: boolean;
  items: PrivacyItem[];
}

/** What the chat of the other server stores for a user. */
export interface SourceChat {
  contacts: SourceContact[];
  lists: SourceList[];
}

/** The connection ended or gave no answer, and may succeed later. */
export class ChatUnavailable extends Error {}

/** @throws {MigrationError} no valid address, or ws to another machine without `--insecure` */
export function checkedChatEndpoint(text: string, { insecure }: { insecure: boolean }): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^wss?:$/.test(url.protocol) || url.username || url.password || url.hash)
    throw new MigrationError('the chat endpoint should be wss://<host>');
  if (url.protocol === 'ws:' && !insecure && !isLoopback(url.hostname)) {
    throw new MigrationError(
      'the chat endpoint should start with wss; --insecure permits ws, which sends passwords unencrypted',
    );
  }
  return url.href;
}

/**
 * Signs in to the chat (XMPP over WebSocket, RFC 7395) and reads the contacts and privacy lists of the user.
 * @param turn waits before each request
 * @throws {MigrationError} the chat refuses the user, or sends what cannot be read @throws {ChatUnavailable}
 */
export async function readChat(
  endpoint: string,
  account: ChatAccount,
  { signal, turn }: { signal: AbortSignal; turn: () => Promise<void> },
): Promise<SourceChat> {
  const socket = new WebSocket(endpoint, 'xmpp', {
    maxPayload: MAX_STANZA_BYTES,
    followRedirects: false,
    handshakeTimeout: TIMEOUT_MS,
  });
  socket.on('error', () => {}); // the next frame or the opening rejects
  socket.on('unexpected-response', (request, { statusCode = 0 }) => {
    request.destroy();
    const isTransient = statusCode >= 500 || statusCode === 429;
    socket.emit(
      'error',
      new (isTransient ? Error : MigrationError)(`${endpoint}: ${statusCode} instead of a WebSocket`),
    );
  });
  try {
    const frames = on(socket, 'message', { close: ['close'], signal });
    await once(socket, 'open', { signal });
    return await new ChatReader(socket, frames, turn).read(account);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof MigrationError) throw error;
    const isMalformed = error instanceof XmlError || /^WS_ERR_/.test((error as NodeJS.ErrnoException).code ?? '');
    if (isMalformed) throw new MigrationError(`${nameOf(account)}: ${(error as Error).message}`);
    throw new ChatUnavailable(`${nameOf(account)}: ${(error as Error).message}`);
  } finally {
    socket.terminate();
  }
}

class ChatRefusal extends MigrationError {
  readonly condition: string;

  constructor(message: string, condition: string) {
    super(message);
    this.condition = condition;
  }
}

/** Not every chat has privacy lists. */
function ignoreUnsupported(error: unknown): undefined {
  const isUnsupported =
    error instanceof ChatRefusal && ['feature-not-implemented', 'service-unavailable'].includes(error.condition);
  if (!isUnsupported) throw error;
}

class ChatReader {
  readonly #socket: WebSocket;
  readonly #frames: AsyncIterator<unknown[]>;
  readonly #turn: () => Promise<void>;
  #bytes = 0;
  #requests = 0;

  constructor(socket: WebSocket, frames: AsyncIterator<unknown[]>, turn: () => Promise<void>) {
    this.#socket = socket;
    this.#frames = frames;
    this.#turn = turn;
  }

  async read(account: ChatAccount): Promise<SourceChat> {
    const { domain } = account;
    await this.#turn();
    await this.#open(domain);
    await this.#signIn(account);
    await this.#open(domain);
    await this.#request('set', tag('bind', { xmlns: NS.bind }, tag('resource', {}, escaped(RESOURCE))), account);
    await this.#request('set', tag('session', { xmlns: NS.session }), account);
    const addresses = new ChatAddresses(domain);
    const roster = await this.#request('get', tag('query', { xmlns: NS.roster }), account);
    const contacts = contactsOf(roster, addresses, account);
    const lists = await this.#lists(addresses, account);
    this.#socket.send(tag('close', { xmlns: NS.framing }));
    return { contacts, lists };
  }

  async #open(to: string): Promise<void> {
    this.#socket.send(tag('open', { xmlns: NS.framing, to, version: '1.0' }));
    await this.#next((element) => element.is('features', NS.stream));
  }

  async #signIn(account: ChatAccount): Promise<void> {
    const { applicationId, userId, password } = account;
    const plain = Buffer.from(`\0${userId}-${applicationId}\0${password}`).toString('base64');
    this.#socket.send(tag('auth', { xmlns: NS.sasl, mechanism: 'PLAIN' }, escaped(plain)));
    const answer = await this.#next(({ namespace }) => namespace === NS.sasl);
    if (answer.name === 'success') return;
    const [condition] = answer.elements;
    throw new MigrationError(`${nameOf(account)}: sign-in refused (${(condition?.name ?? answer.name).slice(0, 100)})`);
  }

  async #lists(addresses: ChatAddresses, account: ChatAccount): Promise<SourceList[]> {
    const all = await this.#request('get', tag('query', { xmlns: NS.privacy }), account).catch(ignoreUnsupported);
    if (!all) return [];
    const names = all.elements.filter((child) => child.is('list')).map(({ attributes }) => attributes.name ?? '');
    if (names.length > MAX_LISTS) throw new MigrationError(`${nameOf(account)}: more than ${MAX_LISTS} privacy lists`);
    const defaultName = all.find('default')?.attributes.name;
    const lists: SourceList[] = [];
    for (const name of names) {
      const query = tag('query', { xmlns: NS.privacy }, tag('list', { name }));
      const found = itemsIn(await this.#request('get', query, account));
      const items = found.map((item) => privacyItem(item, addresses, account.applicationId));
      lists.push({ name, isDefault: name === defaultName, items });
    }
    return lists;
  }

  /** @returns the first element of the result */
  async #request(type: 'get' | 'set', content: Xml, account: ChatAccount): Promise<Element> {
    await this.#turn();
    const id = `migration-${++this.#requests}`;
    this.#socket.send(tag('iq', { xmlns: NS.client, id, type }, content));
    const answer = await this.#next((element) => element.is('iq') && element.attributes.id === id);
    if (answer.attributes.type === 'result') return answer.elements[0] ?? answer;
    const condition = answer.find('error')?.elements[0]?.name ?? 'an error';
    throw new ChatRefusal(
      `${nameOf(account)}: request ${content.slice(0, 100)}: ${condition.slice(0, 100)}`,
      condition,
    );
  }

  /** Skips presence and messages. @throws {Error} the connection or the stream has ended */
  async #next(isWanted: (element: Element) => boolean): Promise<Element> {
    const timer = setTimeout(() => this.#socket.terminate(), TIMEOUT_MS);
    try {
      for (;;) {
        const { value, done } = await this.#frames.next();
        if (done) throw new Error('the connection was closed, or gave no answer');
        const text = String(value[0]);
        this.#bytes += text.length;
        if (this.#bytes > MAX_BYTES) throw new MigrationError(`the chat sends more than ${MAX_BYTES} bytes`);
        const element = parseFrame(text, MAX_STANZA_BYTES, MAX_ELEMENTS);
        if (isWanted(element)) return element;
        if (element.is('error', NS.stream)) throw new Error(`stream error ${element.elements[0]?.name ?? ''}`);
      }
    } finally {
      clearTimeout(timer);
    }
  }
}

function contactsOf(roster: Element, addresses: ChatAddresses, account: ChatAccount): SourceContact[] {
  const contacts = roster.elements.flatMap(({ attributes: { jid = '', subscription, ask } }): SourceContact[] => {
    const target = addresses.parse(jid);
    if (target?.kind !== 'user' || target.applicationId !== account.applicationId) return [];
    if (target.userId === account.userId || !isDatabaseId(target.userId)) return [];
    return [{ userId: target.userId, subscription: subscriptionOf(subscription), isRequested: ask === 'subscribe' }];
  });
  if (contacts.length > MAX_CONTACTS)
    throw new MigrationError(`${nameOf(account)}: more than ${MAX_CONTACTS} contacts`);
  return contacts;
}

function subscriptionOf(text: string | undefined): SourceContact['subscription'] {
  return text === 'to' || text === 'from' || text === 'both' ? text : 'none';
}

function nameOf({ userId }: ChatAccount): string {
  return `chat of user ${userId}`;
}
