import type { ServerResponse } from 'node:http';

/** `/healthz`: the process lives. `/readyz`: it serves, and the database answers. */
export class Health {
  readonly #isDatabaseThere: () => Promise<boolean>;
  /** Whether the service takes requests in: not while it starts or stops. */
  isServing = false;

  /** @param isDatabaseThere answers in a bounded time, whatever the database does */
  constructor(isDatabaseThere: () => Promise<boolean>) {
    this.#isDatabaseThere = isDatabaseThere;
  }

  async answer(path: '/healthz' | '/readyz', response: ServerResponse): Promise<void> {
    const isFine = path === '/healthz' || (this.isServing && (await this.#isDatabaseThere()) && this.isServing);
    response.writeHead(isFine ? 200 : 503, { 'Content-Type': 'text/plain', 'Cache-Control': 'no-store' });
    response.end(isFine ? 'ok\n' : 'not ready\n');
  }
}
