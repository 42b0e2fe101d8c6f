import { WebSocket } from 'ws';
import type { QuickUser } from '../../support/fixtures/chat.ts';
import { pause, type Random } from '../../support/fixtures/random.ts';
import { REQUEST_TIMEOUT_MS } from './worker.ts';

export interface Heard {
  position: bigint;
  dialogId: string;
  kind: string;
}

export interface ListenerOptions {
  user: QuickUser;
  /** Undefined for all dialogs of the user. */
  dialogId: string | undefined;
  via: 'socket' | 'stream' | 'polls';
  /** Selects message fields, which the service reads per event; events of deleted messages are then skipped. */
  withMessages: boolean;
  since: string;
}

// biome-ignore lint/suspicious/noExplicitAny: results of every shape
type Result = any;

type Connection = (variables: object, onResult: (result: Result) => boolean, until: Promise<void>) => Promise<void>;

/**
 * A subscriber that connects to random processes, disconnects at random, and resumes from its last cursor. `received` is
 * what an app would show.
 */
export class Listener {
  readonly options: ListenerOptions;
  readonly received: Heard[] = [];
  readonly faults: string[] = [];
  connections = 0;
  #cursor: string;
  #isOver = false;
  #drop = () => {};
  readonly #urls: () => string[];
  readonly #random: Random;

  constructor(options: ListenerOptions, urls: () => string[], random: Random) {
    this.options = options;
    this.#cursor = options.since;
    this.#urls = urls;
    this.#random = random;
  }

  async listen(): Promise<void> {
    const connect: Connection = { socket: this.#overSocket, stream: this.#overStream, polls: this.#byPolls }[
      this.options.via
    ].bind(this);
    while (!this.#isOver) {
      this.connections++;
      let timer: NodeJS.Timeout | undefined;
      const dropped = new Promise<void>((resolve) => {
        this.#drop = resolve;
        timer = setTimeout(resolve, this.#random.between(100, 4_000));
      });
      const { dialogId } = this.options;
      await connect({ dialogId, since: this.#cursor }, (result) => this.#take(result), dropped).catch(() => {});
      clearTimeout(timer);
      await pause(this.#random.between(0, 300));
    }
  }

  stop(): void {
    this.#isOver = true;
    this.#drop();
  }

  #take({ data, errors }: Result): boolean {
    if (errors) {
      // Subscribing and polling may fail while the database is unavailable; an event without its content would be lost.
      const isRefused = data === undefined || this.options.via === 'polls';
      if (!isRefused || errors[0].message !== 'Service unavailable') {
        this.faults.push(JSON.stringify({ data, errors }));
      }
      return false;
    }
    const { events, cursor } = data.changes ?? { events: [data.dialogEvents], cursor: data.dialogEvents.cursor };
    for (const event of events) {
      this.received.push({ position: BigInt(event.cursor), dialogId: event.dialogId, kind: event.__typename });
    }
    this.#cursor = cursor;
    return true;
  }

  get #fields(): string {
    const messages = '... on MessageSent { message { id text } } ... on MessageEdited { message { id text } }';
    return `{ __typename cursor dialogId ${this.options.withMessages ? messages : ''} }`;
  }

  get #subscription(): string {
    return `subscription ($dialogId: ID, $since: String) {
      dialogEvents(dialogId: $dialogId, since: $since) ${this.#fields} }`;
  }

  async #overSocket(variables: object, onResult: (result: Result) => boolean, until: Promise<void>): Promise<void> {
    const url = `${this.#random.pick(this.#urls()).replace('http', 'ws')}/graphql`;
    const isPolite = this.#random.chance(0.5);
    const socket = new WebSocket(url, 'graphql-transport-ws');
    const ended = new Promise<void>((resolve) => socket.on('close', () => resolve()));
    let isListening = true;
    const end = () => {
      isListening = false;
      if (isPolite && socket.readyState === WebSocket.OPEN) socket.close();
      else socket.terminate();
    };
    socket.on('error', () => {});
    socket.on('open', () =>
      socket.send(JSON.stringify({ type: 'connection_init', payload: this.options.user.headers })),
    );
    socket.on('message', (text) => {
      if (!isListening) return;
      const message = JSON.parse(String(text));
      if (message.type === 'connection_ack') {
        socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: { query: this.#subscription, variables } }));
      } else if (message.type === 'next') {
        if (!onResult(message.payload)) end();
      } else if (message.type === 'error') {
        onResult({ errors: message.payload });
        end();
      } else if (message.type === 'complete') {
        end();
      }
    });
    void until.then(end);
    await ended;
  }

  async #overStream(variables: object, onResult: (result: Result) => boolean, until: Promise<void>): Promise<void> {
    const aborted = new AbortController();
    void until.then(() => aborted.abort());
    const response = await this.#post(this.#subscription, variables, 'text/event-stream', aborted.signal);
    // The body of a connection that is cut while it is aborted may never end.
    const dropped = until.then(() => ({ value: undefined, done: true }));
    const reader = response.body!.getReader();
    const decoder = new TextDecoder();
    let text = '';
    for (;;) {
      const { value, done } = await Promise.race([reader.read(), dropped]);
      if (done) return;
      const events = (text + decoder.decode(value, { stream: true })).split('\n\n');
      text = events.pop()!;
      for (const event of events) {
        const data = event.includes('event: next') && /^data: (.+)$/m.exec(event)?.[1];
        if (data && !aborted.signal.aborted && !onResult(JSON.parse(data))) aborted.abort();
      }
    }
  }

  async #byPolls(variables: object, onResult: (result: Result) => boolean, until: Promise<void>): Promise<void> {
    let isOver = false;
    void until.then(() => {
      isOver = true;
    });
    const query = `query ($dialogId: ID, $since: String, $first: Int!) {
      changes(dialogId: $dialogId, since: $since, first: $first) { cursor hasMore events ${this.#fields} } }`;
    while (!isOver) {
      const page = { ...variables, since: this.#cursor, first: this.#random.between(1, 100) };
      const response = await this.#post(query, page, 'application/json');
      if (!onResult(await response.json())) return;
      await pause(this.#random.between(0, 200));
    }
  }

  #post(query: string, variables: object, accept: string, signal?: AbortSignal): Promise<Response> {
    return fetch(`${this.#random.pick(this.#urls())}/graphql`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: accept, ...this.options.user.headers },
      body: JSON.stringify({ query, variables }),
      signal: signal ?? AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
  }
}
