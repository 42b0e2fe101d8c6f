import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request as outgoing, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { buffer } from 'node:stream/consumers';

const PROBE_EVERY = 300;

const IDEMPOTENT = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE']);

interface Backend {
  url: URL;
  agent: Agent;
  isReady: boolean;
  probedAt: number;
  probe: Promise<void> | undefined;
  served: number;
}

/**
 * A load balancer for processes of the service: HTTP with keep-alive, and WebSockets. It follows `/readyz`, alternates,
 * and retries only like proxies do: if it could not connect, or if the method is idempotent.
 */
export class Balancer {
  /** Responses with a status of 500 or more, of the processes or of the balancer itself. */
  readonly failures: string[] = [];
  readonly #backends: Backend[] = [];
  readonly #server = createServer((request, response) => void this.#forward(request, response));
  readonly #tunnels = new Set<Duplex>();
  #turn = 0;

  static async start(): Promise<Balancer> {
    const balancer = new Balancer();
    balancer.#server.on('upgrade', (request, socket, head) => void balancer.#tunnel(request, socket, head));
    balancer.#server.listen(0, '127.0.0.1');
    await once(balancer.#server, 'listening');
    return balancer;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  add(url: string): void {
    const agent = new Agent({ keepAlive: true });
    this.#backends.push({ url: new URL(url), agent, isReady: false, probedAt: 0, probe: undefined, served: 0 });
  }

  served(url: string): number {
    return this.#backends.find((one) => one.url.href === new URL(url).href)!.served;
  }

  async stop(): Promise<void> {
    for (const socket of this.#tunnels) socket.destroy();
    for (const { agent } of this.#backends) agent.destroy();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request);
    const tried = new Set<Backend>();
    for (;;) {
      const backend = await this.#pick(tried);
      if (!backend) return this.#refuse(request, response, 503, 'no process is ready');
      tried.add(backend);
      try {
        const answer = await pass(backend, request, body);
        if (answer.statusCode! >= 500) this.failures.push(`${request.method} ${request.url}: ${answer.statusCode}`);
        const { connection: _, ...headers } = answer.headers;
        response.writeHead(answer.statusCode!, headers);
        response.on('close', () => answer.destroy());
        answer.on('error', () => response.destroy());
        answer.pipe(response);
        return;
      } catch (error) {
        const wasSent = (error as NodeJS.ErrnoException).syscall !== 'connect';
        if (wasSent && !IDEMPOTENT.has(request.method!)) return this.#refuse(request, response, 502, String(error));
      }
    }
  }

  #refuse({ method, url }: IncomingMessage, response: ServerResponse, status: number, reason: string): void {
    this.failures.push(`${method} ${url}: ${status}, ${reason}`);
    response.writeHead(status).end();
  }

  async #tunnel(request: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    const tried = new Set<Backend>();
    let upstream: Socket | undefined;
    while (!upstream) {
      const backend = await this.#pick(tried);
      if (!backend) {
        this.failures.push(`WebSocket ${request.url}: no process is ready`);
        client.destroy();
        return;
      }
      tried.add(backend);
      upstream = await reach(backend);
    }
    const lines = request.rawHeaders.map((text, nth) => (nth % 2 ? `${text}\r\n` : `${text}: `));
    upstream.write(`GET ${request.url} HTTP/1.1\r\n${lines.join('')}\r\n`);
    upstream.write(head);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      this.#tunnels.add(from);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        this.#tunnels.delete(from);
        to.destroy();
      });
      from.pipe(to);
    }
  }

  async #pick(tried: ReadonlySet<Backend>): Promise<Backend | undefined> {
    await Promise.all(this.#backends.map((backend) => probe(backend)));
    const ready = this.#backends.filter((backend) => backend.isReady && !tried.has(backend));
    const chosen = ready[this.#turn++ % ready.length];
    if (chosen) chosen.served++;
    return chosen;
  }
}

function probe(backend: Backend): Promise<void> {
  if (performance.now() - backend.probedAt < PROBE_EVERY) return Promise.resolve();
  backend.probe ??= ask(backend).finally(() => {
    backend.probe = undefined;
  });
  return backend.probe;
}

async function ask(backend: Backend): Promise<void> {
  const begin = performance.now();
  const response = await fetch(new URL('/readyz', backend.url)).catch(() => undefined);
  await response?.text();
  backend.isReady = response?.status === 200;
  backend.probedAt = begin;
}

function pass({ url, agent }: Backend, request: IncomingMessage, body: Buffer): Promise<IncomingMessage> {
  const { connection: _, 'transfer-encoding': __, ...headers } = request.headers;
  // Undefined once a client has disconnected; all clients are on this machine.
  const { remoteAddress = '127.0.0.1' } = request.socket;
  return new Promise((resolve, reject) => {
    outgoing(new URL(request.url!, url), {
      agent,
      method: request.method,
      headers: { ...headers, 'content-length': body.length, 'x-forwarded-for': remoteAddress },
    })
      .on('response', resolve)
      .on('error', reject)
      .end(body);
  });
}

async function reach({ url }: Backend): Promise<Socket | undefined> {
  const socket = connect(Number(url.port), url.hostname);
  try {
    await once(socket, 'connect');
    return socket;
  } catch {
    return undefined;
  }
}
