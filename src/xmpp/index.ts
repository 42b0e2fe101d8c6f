import type { Services } from '../context.ts';
import type { Unread } from '../platform/http/unread-responses.ts';
import type { Requests } from '../platform/observability/requests.ts';
import { answerEarly, offerFeatures } from './negotiation.ts';
import { answerBound, answersAtOnce, isIndependent, rateOf } from './routes.ts';
import { StreamServer } from './server.ts';
import { xmppOverSocket } from './websocket.ts';

export interface ChatTransportSettings {
  websocketPort: number | undefined;
  isWebsocketTls: boolean;
  tcpPort: number | undefined;
  certificate: { certFile: string; keyFile: string } | undefined;
  host: string;
  dataDir: string;
}

/** The live chat of legacy clients (XMPP) on all its transports. */
export class ChatTransports {
  readonly streams: StreamServer;
  readonly upgrade: ReturnType<typeof xmppOverSocket>['upgrade'];
  readonly #sockets: ReturnType<typeof xmppOverSocket>;

  constructor(services: Services, _settings: ChatTransportSettings, shared: { requests: Requests; unread: Unread }) {
    this.streams = new StreamServer(services, {
      offerFeatures,
      answerEarly,
      answerBound,
      answersAtOnce,
      isIndependent,
      rateOf,
    });
    this.#sockets = xmppOverSocket(this.streams, shared);
    this.upgrade = this.#sockets.upgrade;
  }

  async open(): Promise<string[]> {
    return [];
  }

  async stop(timeoutMs: number): Promise<void> {
    await this.streams.stop(timeoutMs);
    this.#sockets.stop();
  }
}
