import { WebSocket } from 'ws';
import { APPLICATION, running } from '../app/app.ts';
import type { Caller } from '../fixtures/users.ts';

export const CHAT_DOMAIN = 'chat.example.org';

/** For `useApp`. */
export const CHAT = { chatDomain: CHAT_DOMAIN, xmpp: {} };

export const FRAMING = 'urn:ietf:params:xml:ns:xmpp-framing';
export const OPEN = `<open xmlns="${FRAMING}" to="${CHAT_DOMAIN}" version="1.0"/>`;
export const CLOSE = `<close xmlns="${FRAMING}" />`;
const SASL = 'urn:ietf:params:xml:ns:xmpp-sasl';

export const FAILURE = `<failure xmlns="${SASL}"><not-authorized/></failure>`;

export const streamError = (condition: string) =>
  '<stream:error xmlns:stream="http://etherx.jabber.org/streams">' +
  `<${condition} xmlns="urn:ietf:params:xml:ns:xmpp-streams"/></stream:error>`;

export const tokenOf = ({ headers }: Caller) => headers['SVC-Token']!;
export const jidOf = ({ id }: { id: number }, resource?: string) =>
  `${id}-${APPLICATION.id}@${CHAT_DOMAIN}${resource ? `/${resource}` : ''}`;
export const roomOf = (dialogId: string, nick?: number) =>
  `${APPLICATION.id}_${dialogId}@muc.${CHAT_DOMAIN}${nick === undefined ? '' : `/${nick}`}`;

export function authOf(login: string, secret: string, authorizationId = ''): string {
  const text = Buffer.from(`${authorizationId}\0${login}\0${secret}`).toString('base64');
  return `<auth xmlns="${SASL}" mechanism="PLAIN">${text}</auth>`;
}

const open = new Set<WebSocket>();

export async function closeStreams(): Promise<void> {
  for (const socket of open) socket.terminate();
  open.clear();
}

/** A process of the service. */
type Target = { url: string };

/** A bare WebSocket that shows each frame. */
export class ChatSocket {
  readonly socket: WebSocket;
  readonly frames: string[] = [];
  readonly closed: Promise<number>;
  #isClosed = false;
  #taken = 0;
  #wake = () => {};

  constructor(url: string, options: ConstructorParameters<typeof WebSocket>[2] = {}) {
    this.socket = new WebSocket(url, 'xmpp', options);
    open.add(this.socket);
    this.socket.on('message', (data) => {
      this.frames.push(String(data));
      this.#wake();
    });
    this.socket.on('error', () => {});
    this.closed = new Promise((resolve) => {
      this.socket.on('close', (code) => {
        open.delete(this.socket);
        this.#isClosed = true;
        resolve(code);
        this.#wake();
      });
    });
  }

  static async open(
    app: Target = running.app,
    options?: ConstructorParameters<typeof WebSocket>[2],
  ): Promise<ChatSocket> {
    const client = new ChatSocket(`${app.url.replace('http', 'ws')}/xmpp`, options);
    await new Promise<void>((resolve, reject) => {
      client.socket.once('open', () => resolve());
      client.socket.once('error', reject);
    });
    return client;
  }

  send(...frames: string[]): void {
    for (const frame of frames) this.socket.send(frame);
  }

  /** The next frame that was not taken yet. */
  async next(): Promise<string> {
    while (this.#taken >= this.frames.length) {
      if (this.#isClosed) throw new Error('the socket is closed');
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.frames[this.#taken++]!;
  }

  /** Waits for a frame with the text, and skips those before. */
  async find(text: string): Promise<string> {
    for (;;) {
      const frame = await this.next();
      if (frame.includes(text)) return frame;
    }
  }

  async take(count: number): Promise<string[]> {
    const taken: string[] = [];
    while (taken.length < count) taken.push(await this.next());
    return taken;
  }

  /** All frames until the answer to a ping, which the service sends after what it has sent before. */
  async settle(): Promise<string[]> {
    const id = `settle${settled++}`;
    this.send(`<iq id="${id}" type="get" to="${CHAT_DOMAIN}"><query xmlns="jabber:iq:version"/></iq>`);
    const frames: string[] = [];
    for (;;) {
      const frame = await this.next();
      if (frame.includes(`id="${id}"`)) return frames;
      frames.push(frame);
    }
  }
}

let settled = 0;

export interface OpenChat extends ChatSocket {
  jid: string;
}

/** Signs in, binds the resource, and becomes available. */
export async function openChat(
  user: Caller & { id: number },
  resource = 'phone',
  {
    app = running.app as Target,
    secret = tokenOf(user),
    isAvailable = true,
    carbons = false,
    applicationId = APPLICATION.id,
  } = {},
): Promise<OpenChat> {
  const client = await ChatSocket.open(app);
  client.send(OPEN);
  await client.take(2);
  client.send(authOf(`${user.id}-${applicationId}`, secret));
  const outcome = await client.next();
  if (!outcome.startsWith('<success')) throw new Error(outcome);
  client.send(OPEN);
  await client.take(2);
  client.send(
    `<iq id="bind" type="set"><bind xmlns="urn:ietf:params:xml:ns:xmpp-bind"><resource>${resource}</resource></bind></iq>`,
  );
  const jid = /<jid>([^<]+)</.exec(await client.next())![1]!;
  if (carbons) {
    client.send('<iq id="carbons" type="set"><enable xmlns="urn:xmpp:carbons:2"/></iq>');
    await client.find('id="carbons"');
  }
  if (isAvailable) {
    client.send('<presence/>');
    await client.find('<presence');
  }
  return Object.assign(client, { jid });
}

/** Without the namespace that frames repeat. */
export const bare = (frame: string) => frame.replace(' xmlns="jabber:client"', '');
