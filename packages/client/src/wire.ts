import type { Values } from './documents.ts';
import { type AnsweredError, AtriumError } from './errors.ts';
import { type Client, createClient } from './graphql-ws.ts';

/** None is called after the socket is lost. */
export interface Sink {
  next: (payload: { data?: Values | null; errors?: readonly AnsweredError[] }) => void;
  refused: (error: AtriumError) => void;
  complete: () => void;
}

export interface WireOptions {
  url: string;
  /** Undefined: the global `WebSocket`. */
  webSocket: unknown;
  credentials: Record<string, string>;
  /** Milliseconds between pings; the pong must arrive within half of it. */
  heartbeat: number;
  onOpen: () => void;
  onLost: (code: number) => void;
  onBeat: () => void;
}

const CONNECT_TIMEOUT_MS = 15_000;

/** One WebSocket connection; it never reconnects. */
export class Wire {
  readonly #client: Client;
  readonly #options: WireOptions;
  #socket: { readyState: number; send: (text: string) => void } | undefined;
  #isLost = false;
  #hasTold = false;
  #beat: ReturnType<typeof setInterval> | undefined;
  #timeout: ReturnType<typeof setTimeout> | undefined;

  constructor(options: WireOptions) {
    this.#options = options;
    const { url, webSocket, credentials } = options;
    this.#timeout = setTimeout(() => this.#client.terminate(), CONNECT_TIMEOUT_MS);
    this.#client = createClient({
      url,
      webSocketImpl: webSocket,
      connectionParams: credentials,
      lazy: false,
      onNonLazyError: () => {}, // `closed` reports it
      retryAttempts: 0, // retries of the library cannot resume from a cursor
      on: {
        connected: (socket) => this.#opened(socket as { readyState: number; send: (text: string) => void }),
        message: () => this.#clearTimeout(),
        closed: (event) => this.#lost((event as { code?: number }).code ?? 1006),
      },
    });
  }

  get isOpen(): boolean {
    return this.#socket !== undefined && !this.#isLost;
  }

  get hasTold(): boolean {
    return this.#hasTold;
  }

  /** @returns a function that stops the operation */
  run(query: string, variables: Values, sink: Sink): () => void {
    const unlessLost = (act: () => void) => {
      if (!this.#isLost) act();
    };
    return this.#client.subscribe<Values, unknown>(
      { query, variables },
      {
        next: (payload) =>
          unlessLost(() => {
            this.#hasTold = true;
            sink.next(payload as Parameters<Sink['next']>[0]);
          }),
        error: (error) =>
          unlessLost(() => {
            if (Array.isArray(error)) sink.refused(AtriumError.answered(error));
          }),
        complete: () => unlessLost(() => sink.complete()),
      },
    );
  }

  check(): void {
    if (!this.isOpen || this.#timeout !== undefined) return;
    this.#timeout = setTimeout(() => this.#client.terminate(), this.#options.heartbeat / 2);
    this.#socket!.send('{"type":"ping"}');
    this.#options.onBeat();
  }

  close(): void {
    if (this.isOpen) this.#lost(1000);
    else this.#client.terminate(); // `dispose` would wait for the connection to open
  }

  #opened(socket: { readyState: number; send: (text: string) => void }): void {
    this.#socket = socket;
    this.#clearTimeout();
    this.#beat = setInterval(() => this.check(), this.#options.heartbeat);
    this.#options.onOpen();
  }

  #clearTimeout(): void {
    if (!this.#socket) return; // still connecting
    clearTimeout(this.#timeout);
    this.#timeout = undefined;
  }

  #lost(code: number): void {
    if (this.#isLost) return;
    this.#isLost = true;
    clearInterval(this.#beat);
    clearTimeout(this.#timeout);
    // Dispose first, so that the library does not restart the operations.
    Promise.resolve(this.#client.dispose()).catch(() => {});
    this.#options.onLost(code);
  }
}
