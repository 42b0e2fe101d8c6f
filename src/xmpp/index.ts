import { createServer, type Server as HttpServer, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Server } from 'node:net';
import type { Services } from '../context.ts';
import { close, hostOf, listen, portOf } from '../platform/http/listening.ts';
import { destroyed, refuseUpgrade } from '../platform/http/refuse-upgrade.ts';
import type { Unread } from '../platform/http/unread-responses.ts';
import type { Requests } from '../platform/observability/requests.ts';
import { Certificate, type CertificateSettings } from './certificate.ts';
import { answerEarly, offerFeatures } from './negotiation.ts';
import { answerBound, answersAtOnce, isIndependent, rateOf } from './routes.ts';
import { StreamServer } from './server.ts';
import { xmppOverTcp } from './tcp.ts';
import { xmppOverSocket } from './websocket.ts';

export interface ChatTransportSettings extends CertificateSettings {
  websocketPort: number | undefined;
  isWebsocketTls: boolean;
  tcpPort: number | undefined;
  host: string;
}

/** The live chat of legacy clients (XMPP) on all its transports. */
export class ChatTransports {
  readonly streams: StreamServer;
  readonly upgrade: ReturnType<typeof xmppOverSocket>['upgrade'];
  readonly #services: Services;
  readonly #settings: ChatTransportSettings;
  readonly #shared: { requests: Requests; unread: Unread };
  readonly #sockets: ReturnType<typeof xmppOverSocket>;
  #certificate: Certificate | undefined;
  #http: HttpServer | undefined;
  #tcp: Server | undefined;

  constructor(services: Services, settings: ChatTransportSettings, shared: { requests: Requests; unread: Unread }) {
    this.#services = services;
    this.#settings = settings;
    this.#shared = shared;
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

  /** Opens the ports of the chat. @returns their addresses: WebSocket, then TCP */
  async open(): Promise<string[]> {
    const { websocketPort, isWebsocketTls, tcpPort, host } = this.#settings;
    const needsCertificate = tcpPort !== undefined || (websocketPort !== undefined && isWebsocketTls);
    const { log, chatDomain } = this.#services;
    if (needsCertificate) this.#certificate = await Certificate.load(this.#settings, chatDomain(), log);
    const addresses: string[] = [];
    try {
      if (websocketPort !== undefined) {
        this.#http = this.#createHttpServer(isWebsocketTls);
        await listen(this.#http, websocketPort, host);
        addresses.push(`${isWebsocketTls ? 'wss' : 'ws'}://${hostOf(host)}:${portOf(this.#http)}/`);
      }
      if (tcpPort !== undefined) {
        this.#tcp = xmppOverTcp(this.streams, this.#certificate!, this.#shared.unread);
        await listen(this.#tcp, tcpPort, host);
        addresses.push(`xmpp://${hostOf(host)}:${portOf(this.#tcp)}`);
      }
      return addresses;
    } catch (error) {
      await this.stop(0);
      throw error;
    }
  }

  async stop(timeoutMs: number): Promise<void> {
    const closed = [
      ...(this.#http?.listening ? [close(this.#http, timeoutMs)] : []),
      ...(this.#tcp?.listening ? [new Promise((resolve) => this.#tcp!.close(resolve))] : []),
    ];
    await this.streams.stop(timeoutMs);
    await Promise.all(closed);
    this.#sockets.stop();
    this.#certificate?.stop();
  }

  #createHttpServer(isTls: boolean): HttpServer {
    const server = isTls ? createTlsServer() : createServer();
    if ('setSecureContext' in server) this.#certificate!.follow((pem) => server.setSecureContext(pem));
    server.on('request', (_request, response: ServerResponse) => response.writeHead(404).end());
    server.on('upgrade', (request, socket, head) => {
      if (request.url?.split('?')[0] === '/') return this.upgrade(request, socket, head);
      socket.on('error', destroyed);
      refuseUpgrade(this.#shared.requests, request, socket, 404);
    });
    return server;
  }
}
