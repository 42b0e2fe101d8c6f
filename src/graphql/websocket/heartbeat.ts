import type { WebSocket } from 'ws';
import { SECOND } from '../../lib/time.ts';

/** How often each socket is asked whether it is there. Who has not answered by the next time is gone. */
const PING_INTERVAL_MS = 12 * SECOND;

/** Sockets are asked in so many turns, so that no moment has to ask all of them. */
const TURNS = 12;

/** One clock for all sockets: a timer and a closure for each of ten thousand would cost more than asking them. */
export class Heartbeat {
  readonly #turns = Array.from({ length: TURNS }, () => new Set<WebSocket>());
  readonly #silent = new Set<WebSocket>();
  readonly #timer: NodeJS.Timeout;
  #turn = 0;
  #newcomers = 0;

  constructor(askEvery = PING_INTERVAL_MS) {
    this.#timer = setInterval(() => this.#ask(), askEvery / TURNS).unref();
  }

  add(socket: WebSocket): void {
    const turn = this.#turns[this.#newcomers++ % TURNS]!;
    turn.add(socket);
    socket.on('pong', () => this.#silent.delete(socket));
    socket.once('close', () => {
      turn.delete(socket);
      this.#silent.delete(socket);
    });
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #ask(): void {
    for (const socket of this.#turns[this.#turn]!) {
      if (this.#silent.has(socket)) {
        socket.terminate();
      } else {
        this.#silent.add(socket);
        socket.ping(); // to one that is closing nothing is sent, so it has until the next time
      }
    }
    this.#turn = (this.#turn + 1) % TURNS;
  }
}
