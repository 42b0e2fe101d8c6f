import { type Client, createClient } from 'graphql-ws/client';
import type { Values } from './documents.ts';
import { type AnsweredError, AtriumError } from './errors.ts';

/** What an operation over the socket tells; nothing after the socket is lost. */
export interface Sink {
  next: (payload: { data?: Values | null; errors?: readonly AnsweredError[] }) => void;
  refused: (error: AtriumError) => void;
  complete: () => void;
}

export interface WireOptions {
  url: string;
  /** Undefined: the platform's own. */
  webSocket: unknown;
  credentials: Record<string, string>;
  /** Milliseconds between two questions whether the service is there; half of it is the time for the answer. */
  heartbeat: number;
  onOpen: () => void;
  /** Comes exactly once. */
  onLost: (code: number) => void;
  /** The service was asked whether it is there. */
  onBeat: () => void;
}

const CONNECTING_TAKES_AT_MOST = 15_000;

/** One WebSocket from its beginning to its end; whoever wants another makes another wire. */
export class Wire {
  readonly #client: Client;
  readonly #options: WireOptions;
  #socket: { readyState: number; send: (text: string) => void } | undefined;
  #isLost = false;
  #hasTold = false;
  #beat: ReturnType<typeof setInterval> | undefined;
  #patience: ReturnType<typeof setTimeout> | undefined;

  constructor(options: WireOptions) {
    this.#options = options;
    const { url, webSocket, credentials } = options;
    this.#patience = setTimeout(() => this.#client.terminate(), CONNECTING_TAKES_AT_MOST);
    this.#client = createClient({
      url,
      webSocketImpl: webSocket,
      connectionParams: credentials,
      lazy: false,
      onNonLazyError: () => {}, // `closed` tells
      retryAttempts: 0, // it can't go on from the last cursor
      on: {
        connected: (socket) => this.#opened(socket as { readyState: number; send: (text: string) => void }),
        message: () => this.#heard(),
        closed: (event) => this.#lost((event as { code?: number }).code ?? 1006),
      },
    });
  }

  get isOpen(): boolean {
    return this.#socket !== undefined && !this.#isLost;
  }

  /** Whether anything was ever heard of an operation: it was good for something. */
  get hasTold(): boolean {
    return this.#hasTold;
  }

  /** Begins an operation. @returns ends it */
  run(query: string, variables: Values, sink: Sink): () => void {
    const tell = (act: () => void) => {
      if (!this.#isLost) act();
    };
    return this.#client.subscribe<Values, unknown>(
      { query, variables },
      {
        next: (payload) =>
          tell(() => {
            this.#hasTold = true;
            sink.next(payload as Parameters<Sink['next']>[0]);
          }),
        error: (error) =>
          tell(() => {
            if (Array.isArray(error)) sink.refused(AtriumError.answered(error));
          }),
        complete: () => tell(() => sink.complete()),
      },
    );
  }

  /** Asks whether the service is there; gives the socket up when it does not answer. */
  check(): void {
    if (!this.isOpen || this.#patience !== undefined) return;
    this.#patience = setTimeout(() => this.#client.terminate(), this.#options.heartbeat / 2);
    this.#socket!.send('{"type":"ping"}');
    this.#options.onBeat();
  }

  close(): void {
    if (this.isOpen) this.#lost(1000);
    else this.#client.terminate(); // the library would wait for the connection to come about
  }

  #opened(socket: { readyState: number; send: (text: string) => void }): void {
    this.#socket = socket;
    this.#heard();
    this.#beat = setInterval(() => this.check(), this.#options.heartbeat);
    this.#options.onOpen();
  }

  #heard(): void {
    if (!this.#socket) return; // still connecting
    clearTimeout(this.#patience);
    this.#patience = undefined;
  }

  #lost(code: number): void {
    if (this.#isLost) return;
    this.#isLost = true;
    clearInterval(this.#beat);
    clearTimeout(this.#patience);
    // Before its operations hear of the end, so that the library does not begin them again.
    Promise.resolve(this.#client.dispose()).catch(() => {});
    this.#options.onLost(code);
  }
}
