import type { Services } from '../context.ts';
import { drainWithin } from '../graphql/websocket/drain.ts';
import { ChatAddresses } from './addresses.ts';
import { RoomStreams } from './room-streams.ts';
import { RefusedSignIns } from './sign-in.ts';
import { type StreamErrorCondition, type StreamHost, type StreamProtocol, XmppStream } from './stream.ts';
import { CLOSE_TIMEOUT_MS, type Wire } from './wire.ts';

/** The streams of this process, over all transports. */
export class StreamServer implements StreamHost {
  readonly services: Services;
  readonly protocol: StreamProtocol;
  readonly refusedSignIns: RefusedSignIns;
  readonly rooms: RoomStreams;
  isStopping = false;
  readonly #streams = new Set<XmppStream>();
  #addresses: ChatAddresses | undefined;
  #onLastClosed: (() => void) | undefined;

  constructor(services: Services, protocol: StreamProtocol) {
    this.services = services;
    this.protocol = protocol;
    this.rooms = new RoomStreams(services.rooms);
    this.refusedSignIns = new RefusedSignIns(services.now);
  }

  /** The domain may depend on the port in use. */
  get addresses(): ChatAddresses {
    this.#addresses ??= new ChatAddresses(this.services.chatDomain());
    return this.#addresses;
  }

  /** @returns a stream that receives what arrives on the wire, before it opens */
  open(wire: (stream: XmppStream) => Wire): XmppStream {
    const { rateLimits, networkOf, observer } = this.services;
    const stream = new XmppStream(this);
    stream.begin(wire(stream));
    stream.onSignedIn = rateLimits?.connections.takeUnauthenticated(networkOf(stream.wire.request));
    this.#streams.add(stream);
    observer.streamOpened();
    this.services.chat.streams = this.count();
    return stream;
  }

  closed(stream: XmppStream): void {
    this.#streams.delete(stream);
    this.services.chat.streams = this.count();
    stream.closed();
    const seconds = Math.round((performance.now() - stream.openedAt) / 1000);
    stream.log.info({ ...stream.caller, seconds }, 'chat stream closed');
    if (this.#streams.size === 0) this.#onLastClosed?.();
  }

  failed(stream: XmppStream, condition: StreamErrorCondition): void {
    const { chat, observer } = this.services;
    chat.failedStreams++;
    observer.chatStreamFailed(condition);
    stream.log.info({ ...stream.caller, condition }, 'chat stream ended with an error');
  }

  count(): number {
    return this.#streams.size;
  }

  closeWithin(milliseconds: number): Promise<void> {
    return drainWithin([...this.#streams], milliseconds, (stream) => void stream.drain());
  }

  /** Ends all streams after the stanzas that are read are handled, at the latest after `timeoutMs`. */
  async stop(timeoutMs: number): Promise<void> {
    this.isStopping = true;
    const closed = new Promise<void>((resolve) => {
      this.#onLastClosed = resolve;
      if (this.#streams.size === 0) resolve();
    });
    let hurry = setTimeout(() => {
      for (const stream of this.#streams) stream.close();
      hurry = setTimeout(() => {
        for (const { wire } of this.#streams) wire.terminate();
      }, CLOSE_TIMEOUT_MS);
    }, timeoutMs);
    for (const stream of this.#streams) void stream.drain();
    await closed;
    clearTimeout(hurry);
    this.rooms.stop();
  }
}
