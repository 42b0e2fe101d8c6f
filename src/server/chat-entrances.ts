import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { XmppConfig } from '../config.ts';
import type { Services } from '../context.ts';
import type { Unread } from '../platform/http/unread-responses.ts';
import type { Metrics } from '../platform/observability/metrics.ts';
import { Requests } from '../platform/observability/requests.ts';
import type { ChatTransports } from '../xmpp/index.ts';

export const CHAT_PATH = '/xmpp';

export interface ChatSettings {
  /** Undefined: no chat for legacy clients. */
  xmpp: XmppConfig | undefined;
  host: string;
  dataDir: string;
}

/** The chat of legacy clients: a path of the main entrance, and ports of its own. Loaded only if it is on. */
export class ChatEntrances {
  readonly #services: Services;
  readonly #settings: ChatSettings;
  readonly #requests: Requests;
  readonly #unread: Unread;
  #transports: ChatTransports | undefined;

  constructor(services: Services, settings: ChatSettings, { metrics, unread }: { metrics: Metrics; unread: Unread }) {
    this.#services = services;
    this.#settings = settings;
    this.#requests = new Requests(services, metrics);
    this.#unread = unread;
  }

  get isOn(): boolean {
    return this.#settings.xmpp !== undefined;
  }

  /** Before the main entrance opens. */
  async load(): Promise<void> {
    const { xmpp, host, dataDir } = this.#settings;
    if (!xmpp) return;
    const { ChatTransports } = await import('../xmpp/index.ts');
    const shared = { requests: this.#requests, unread: this.#unread };
    this.#transports = new ChatTransports(this.#services, { ...xmpp, host, dataDir }, shared);
  }

  /** Opens the ports, once the main entrance is open. @returns their addresses */
  async open(): Promise<string[]> {
    return (await this.#transports?.open()) ?? [];
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.#transports!.upgrade(request, socket, head);
  }

  count(): number {
    return this.#transports?.streams.count() ?? 0;
  }

  async closeWithin(milliseconds: number): Promise<void> {
    await this.#transports?.streams.closeWithin(milliseconds);
  }

  async stop(timeoutMs: number): Promise<void> {
    await this.#transports?.stop(timeoutMs);
  }
}
