import type { ServerResponse } from 'node:http';

export class Health {
  readonly #isDatabaseThere: () => Promise<boolean>;
  isServing = false;

  /** @param isDatabaseThere must resolve within a bounded time */
  constructor(isDatabaseThere: () => Promise<boolean>) {
    this.#isDatabaseThere = isDatabaseThere;
  }

  async answer(path: '/healthz' | '/readyz', response: ServerResponse): Promise<void> {
    const isHealthy = path === '/healthz' || (this.isServing && (await this.#isDatabaseThere()) && this.isServing);
    response.writeHead(isHealthy ? 200 : 503, { 'Content-Type': 'text/plain', 'Cache-Control': 'no-store' });
    response.end(isHealthy ? 'ok\n' : 'not ready\n');
  }
}
