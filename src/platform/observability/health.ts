import type { ServerResponse } from 'node:http';

export type DatabaseState = 'writable' | 'read-only' | 'unavailable';

export class Health {
  readonly #stateOfDatabase: () => Promise<DatabaseState>;
  isServing = false;

  /** @param stateOfDatabase must resolve within a bounded time */
  constructor(stateOfDatabase: () => Promise<DatabaseState>) {
    this.#stateOfDatabase = stateOfDatabase;
  }

  async answer(path: '/healthz' | '/readyz', response: ServerResponse): Promise<void> {
    const text = path === '/healthz' ? 'ok' : await this.readiness();
    response.writeHead(text === 'ok' ? 200 : 503, { 'Content-Type': 'text/plain', 'Cache-Control': 'no-store' });
    response.end(`${text}\n`);
  }

  /** @returns `ok`, or why the service is not ready */
  async readiness(): Promise<string> {
    const state = this.isServing ? await this.#stateOfDatabase() : 'unavailable';
    if (!this.isServing || state === 'unavailable') return 'not ready';
    return state === 'read-only' ? 'not ready: the database is read-only' : 'ok';
  }
}
