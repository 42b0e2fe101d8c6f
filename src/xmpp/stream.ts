import { randomBytes, randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Services } from '../context.ts';
import type { KnownViewer, UserViewer } from '../lib/access.ts';
import { callerOf } from '../platform/observability/requests.ts';
import { type ChatSession, endChatSession } from '../resolvers/sessions/chat-sign-in.ts';
import type { ChatAddresses } from './addresses.ts';
import type { ActiveList } from './blocks.ts';
import { Flow, type RateName } from './flow.ts';
import type { JoinedRoom, RoomStreams } from './room-streams.ts';
import { type RefusedSignIns, SIGN_IN } from './sign-in.ts';
import {
  type Addressed,
  HIGH_WATER_MARK_BYTES,
  MAX_BUFFERED_BYTES,
  MAX_EARLY_BUFFERED_BYTES,
  type Received,
  type Wire,
} from './wire.ts';
import { type Element, NS } from './xml/element.ts';
import { tag, type Xml } from './xml/writer.ts';

/** Stanzas that are read but not handled; more are not read. */
const MAX_WAITING = 100;
/** Stanzas without an order among themselves that are handled together. */
const MAX_TOGETHER = 50;

export type StreamErrorCondition =
  | 'not-authorized'
  | 'not-well-formed'
  | 'policy-violation'
  | 'invalid-xml'
  | 'host-unknown'
  | 'connection-timeout'
  | 'unsupported-stanza-type'
  | 'internal-server-error';

/** `start`: the client must open the stream; `signIn`, `bind`: it must do that next. */
type Phase = 'start' | 'signIn' | 'bind' | 'bound' | 'ended';

/** What all streams of a process share. */
export interface StreamHost {
  readonly services: Services;
  readonly addresses: ChatAddresses;
  readonly refusedSignIns: RefusedSignIns;
  readonly protocol: StreamProtocol;
  readonly isStopping: boolean;
  readonly rooms: RoomStreams;
  /** The service ends the stream with an error. */
  failed: (stream: XmppStream, condition: StreamErrorCondition) => void;
}

/** How streams answer. */
export interface StreamProtocol {
  offerFeatures: (stream: XmppStream) => void;
  /** Before a resource is bound. */
  answerEarly: (stream: XmppStream, element: Element) => Promise<void>;
  /** @param number of the stanza since the client enabled the count */
  answerBound: (stream: XmppStream, element: Element, number: number | undefined) => Promise<void>;
  /** Answers a stanza before those that wait. @returns false if it must wait */
  answersAtOnce: (stream: XmppStream, element: Element) => boolean;
  /** Whether its order among stanzas of this kind does not matter. */
  isIndependent: (element: Element) => boolean;
  rateOf: (element: Element) => { kind: RateName; of: string };
}

/** The stream of a client. Thousands are idle, so it has few objects of its own. */
export class XmppStream implements Received {
  readonly id = randomUUID();
  readonly openedAt = performance.now();
  readonly server: StreamHost;
  wire!: Wire;
  phase: Phase = 'start';
  session: ChatSession | undefined;
  resource = '';
  #address: string | undefined;
  hasCarbons = false;
  /** Stanzas received since the client enabled the count; undefined before. */
  received: number | undefined;
  /** Dialogs that this resource has joined. */
  readonly joined = new Map<string, JoinedRoom>();
  /** Ends its presence; undefined while it is not available. */
  availability: (() => void) | undefined;
  /** Whether the contacts whom the user may see are online. */
  readonly contacts = new Map<number, boolean>();
  activeList: ActiveList | undefined;
  /** Of events; settled once no later event is missed. */
  feed: Promise<void> | undefined;
  readonly #flow = new Flow();
  #waiting: { element: Element; number: number | undefined }[] = [];
  #isHandling = false;
  #isPaused = false;
  #isDraining = false;
  /** Until the rate permits more stanzas. */
  #slow: NodeJS.Timeout | undefined;
  /** Called at the sign-in, or when the stream has closed before. */
  onSignedIn: (() => void) | undefined;
  #cleanups: readonly (() => void)[] = [];
  #timer: NodeJS.Timeout | undefined;
  #onIdle: (() => void) | undefined;

  constructor(server: StreamHost) {
    this.server = server;
  }

  begin(wire: Wire): void {
    this.wire = wire;
    this.closeAfter(SIGN_IN.timeoutMs);
  }

  get addresses(): ChatAddresses {
    return this.server.addresses;
  }

  get viewer(): UserViewer {
    return this.session!.viewer;
  }

  get isAvailable(): boolean {
    return this.availability !== undefined;
  }

  get isOpen(): boolean {
    return this.phase !== 'ended' && this.wire.isOpen;
  }

  /** Of the resource, which is not changed once bound. */
  get address(): string {
    this.#address ??= this.addresses.user(this.viewer, this.resource);
    return this.#address;
  }

  get log(): Logger {
    return this.server.services.log.child({ streamId: this.id });
  }

  get caller(): Record<string, number> {
    return this.session ? callerOf(this.session.viewer as KnownViewer) : {};
  }

  opened({ attributes }: Element): void {
    if (this.phase === 'ended') return;
    if (this.phase !== 'start') return void this.fail('policy-violation');
    this.wire.openStream({ from: this.addresses.domain, id: randomBytes(8).toString('hex') });
    this.phase = this.session ? 'bind' : 'signIn';
    const to = attributes.to?.toLowerCase();
    if (to !== undefined && to !== this.addresses.domain) return void this.fail('host-unknown');
    this.server.protocol.offerFeatures(this);
  }

  stanza(element: Element): void {
    if (!this.isOpen) return;
    if (this.phase === 'start') return void this.fail('policy-violation');
    if (element.is('enable', NS.management)) this.received ??= 0;
    const isCounted = element.is('message') || element.is('iq') || element.is('presence');
    if (isCounted && this.received !== undefined) this.received++;
    if (this.phase === 'bound') {
      this.server.services.observer.stanzaReceived(element.name);
      if (this.server.protocol.answersAtOnce(this, element)) return;
      this.#slowDown(element);
    }
    this.#waiting.push({ element, number: this.received });
    if (this.#waiting.length >= MAX_WAITING) this.#pause();
    void this.#handleAll();
  }

  ended(): void {
    this.close();
  }

  failed(condition: 'not-well-formed' | 'policy-violation' | 'invalid-xml'): void {
    this.fail(condition);
  }

  /** The connection is gone. */
  closed(): void {
    this.phase = 'ended';
    clearTimeout(this.#timer);
    clearTimeout(this.#slow);
    this.#waiting = [];
    const cleanups = this.#cleanups;
    this.#cleanups = [];
    this.onSignedIn?.();
    for (const { leave } of [...this.joined.values()]) leave();
    this.availability?.();
    this.availability = undefined;
    for (const cleanup of cleanups) cleanup();
    const { session, server } = this;
    if (session?.isOwn && !server.isStopping) {
      endChatSession(session, this.network, server.services).catch((error: unknown) => {
        this.log.warn({ err: error }, 'the session of a closed stream could not be ended; it expires');
      });
    }
    this.#onIdle?.();
  }

  get network(): string {
    return this.server.services.networkOf(this.wire.request);
  }

  /** Runs when the connection has closed, also if it already has. */
  onClosed(cleanup: () => void): void {
    if (this.isOpen) this.#cleanups = this.#cleanups.concat(cleanup);
    else cleanup();
  }

  closeAfter(milliseconds: number): void {
    clearTimeout(this.#timer);
    // A busy process first reads what has arrived in the meantime.
    this.#timer = setTimeout(() => setImmediate(() => !this.session && this.fail('connection-timeout')), milliseconds);
  }

  /** @returns a promise when the sender of an event should wait for the client to read */
  send(element: Xml | Addressed): Promise<void> | undefined {
    if (!this.isOpen) return undefined;
    this.server.services.observer.stanzaSent();
    if (this.wire.bufferedBytes < HIGH_WATER_MARK_BYTES) {
      this.wire.send(element);
      return undefined;
    }
    const max = this.session ? MAX_BUFFERED_BYTES : MAX_EARLY_BUFFERED_BYTES;
    if (this.wire.bufferedBytes > max) {
      this.fail('policy-violation');
      return undefined;
    }
    return new Promise((resolve) => this.wire.send(element, () => resolve()));
  }

  fail(condition: StreamErrorCondition): void {
    if (!this.isOpen) return;
    this.server.failed(this, condition);
    // An error is part of a stream.
    if (this.phase === 'start') this.wire.openStream({ from: this.addresses.domain, id: this.id });
    const reason = tag(condition, { xmlns: NS.streams });
    this.wire.send(tag('stream:error', { 'xmlns:stream': NS.stream }, reason));
    this.close();
  }

  close(): void {
    if (!this.isOpen) return;
    this.phase = 'ended';
    this.#waiting = [];
    this.wire.close();
  }

  /** Handles what is read, then closes. */
  async drain(): Promise<void> {
    this.#isDraining = true;
    this.#pause();
    if (this.#isHandling && this.session) {
      await new Promise<void>((resolve) => {
        this.#onIdle = resolve;
      });
    }
    this.close();
  }

  /** Stops the time limit of the sign-in. */
  signedIn(session: ChatSession): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.session = session;
    this.onSignedIn?.();
    this.onSignedIn = undefined;
    this.wire.trust();
  }

  async #handleAll(): Promise<void> {
    if (this.#isHandling) return;
    this.#isHandling = true;
    try {
      while (this.#waiting.length > 0 && this.isOpen) {
        const together = this.#takeTogether();
        await Promise.all(together.map(({ element, number }) => this.#handle(element, number)));
        this.#readOn();
      }
    } catch (error) {
      this.log.error({ err: error }, 'handling a stanza failed; stream closed');
      this.fail('internal-server-error');
    }
    this.#isHandling = false;
    this.#onIdle?.();
  }

  /** Stanzas are handled one after the other, except those whose order does not matter. */
  #takeTogether() {
    let count = 0;
    if (this.phase === 'bound')
      while (
        count < MAX_TOGETHER &&
        this.#waiting[count] &&
        this.server.protocol.isIndependent(this.#waiting[count]!.element)
      )
        count++;
    return this.#waiting.splice(0, Math.max(count, 1));
  }

  async #handle(element: Element, number: number | undefined): Promise<void> {
    if (this.phase === 'bound') await this.server.protocol.answerBound(this, element, number);
    else await this.server.protocol.answerEarly(this, element);
  }

  /** Beyond the rate, the client waits until its connection is read again. */
  #slowDown(element: Element): void {
    if (!this.server.services.rateLimits) return;
    const { kind, of } = this.server.protocol.rateOf(element);
    const wait = this.#flow.take(kind, of, performance.now());
    if (wait === 0) return;
    this.#pause();
    clearTimeout(this.#slow);
    this.#slow = setTimeout(() => {
      this.#slow = undefined;
      this.#readOn();
    }, wait);
  }

  #pause(): void {
    this.#isPaused = true;
    this.wire.pause();
  }

  #readOn(): void {
    const mayRead = this.#waiting.length === 0 && this.#slow === undefined && !this.#isDraining && this.isOpen;
    if (!this.#isPaused || !mayRead) return;
    this.#isPaused = false;
    this.wire.resume();
  }
}
