import type { ServerResponse } from 'node:http';

export class Health {
  readonly #stateOfDatabase: () => Promise<'writable' | 'read-only' | 'unavailable'>;
  isServing = false;

  /** @param stateOfDatabase must resolve within a bounded time */
  constructor(stateOfDatabase: () => Promise<'writable' | 'read-only' | 'unavailable'>) {
    this.#stateOfDatabase = stateOfDatabase;
  }

  async answer(path: '/healthz' | '/readyz', response: ServerResponse): Promise<void> {
    const text = path === '/healthz' ? 'ok' : await this.#readiness();
    response.writeHead(text === 'ok' ? 200 : 503, { 'Content-Type': 'text/plain', 'Cache-Control': 'no-store' });
    response.end(`${text}\n`);
  }

  async #readiness(): Promise<string> {
    const state = this.isServing ? await this.#stateOfDatabase() : 'unavailable';
    if (!this.isServing || state === 'unavailable') return 'not ready';
    return state === 'read-only' ? 'not ready: the database is read-only' : 'ok';
  }
}
