import { randomUUID } from 'node:crypto';
import type { WebSocket } from 'ws';
import { SECOND } from '../../lib/time.ts';

/**
 * Ping interval per socket. A socket without a pong before the next ping is terminated. The pong must repeat the data of
 * the ping, because a client could send pongs without reading.
 */
const PING_INTERVAL_MS = 12 * SECOND;

/** Sockets are pinged in this many groups, so that the load is spread. */
const TURNS = 12;

/** One shared timer, because timers for ten thousand sockets would cost more than the pings. */
export class Heartbeat {
  readonly #turns = Array.from({ length: TURNS }, () => new Set<WebSocket>());
  /** The data of unanswered pings. */
  readonly #silent = new Map<WebSocket, string>();
  readonly #timer: NodeJS.Timeout;
  #turn = 0;
  #newcomers = 0;

  /** A listener that all sockets share. */
  readonly #answered: (this: WebSocket, data: Buffer) => void;

  constructor(askEvery = PING_INTERVAL_MS) {
    this.#timer = setInterval(() => this.#ask(), askEvery / TURNS).unref();
    const silent = this.#silent;
    this.#answered = function (data) {
      if (silent.get(this) === data.toString()) silent.delete(this);
    };
  }

  add(socket: WebSocket): void {
    this.#turns[this.#newcomers++ % TURNS]!.add(socket);
    socket.on('pong', this.#answered);
  }

  /** Call it when the socket has closed. */
  remove(socket: WebSocket): void {
    this.#silent.delete(socket);
    for (const turn of this.#turns) turn.delete(socket);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #ask(): void {
    for (const socket of this.#turns[this.#turn]!) {
      if (this.#silent.has(socket)) {
        socket.terminate();
      } else {
        const data = randomUUID();
        this.#silent.set(socket, data);
        socket.ping(data); // not sent to a closing socket, which therefore has until the next ping
      }
    }
    this.#turn = (this.#turn + 1) % TURNS;
  }
}
