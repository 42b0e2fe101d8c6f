import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

interface Pair {
  client: Socket;
  service: Socket;
}

/** A network between a client and the service, with all that goes wrong in one. */
export class Meddler {
  readonly #server: Server;
  readonly #pairs = new Set<Pair>();
  /** Where the service is; another from the next connection on. */
  target: string;
  /** Cuts each new connection behind so many bytes of the service. */
  cutBehind: (() => number) | undefined;
  /** The service gets what is sent to it, and so many of its next answers are lost with their connection. */
  answersToLose = 0;
  /** Nothing comes through, and nothing is closed. */
  isSilent = false;
  /** Connections there ever were. */
  connections = 0;
  cuts = 0;
  /** First lines of the requests, and of each connection's upgrade. */
  readonly asked: string[] = [];

  private constructor(server: Server, target: string) {
    this.#server = server;
    this.target = target;
  }

  static async before(target: string): Promise<Meddler> {
    const server = createServer((client) => meddler.#connect(client)).listen(0, '127.0.0.1');
    const meddler = new Meddler(server, target);
    await once(server, 'listening');
    return meddler;
  }

  get url(): string {
    const { port } = this.#server.address() as { port: number };
    return `http://127.0.0.1:${port}`;
  }

  /** Cuts all connections. */
  cut(): void {
    for (const pair of [...this.#pairs]) this.#end(pair);
  }

  async close(): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #connect(client: Socket): void {
    this.connections++;
    const { hostname, port } = new URL(this.target);
    const service = connect(Number(port), hostname);
    const pair = { client, service };
    this.#pairs.add(pair);
    let left = this.cutBehind?.() ?? Number.POSITIVE_INFINITY;
    client.on('data', (bytes) => {
      const [line] = bytes.toString('latin1').split('\r\n', 1);
      if (line?.includes(' HTTP/1.1')) this.asked.push(line);
      if (!this.isSilent) service.write(bytes);
    });
    service.on('data', (bytes) => {
      if (this.isSilent) return;
      if (this.answersToLose > 0) {
        this.answersToLose--;
        this.#end(pair);
        return;
      }
      client.write(bytes.subarray(0, left));
      left -= bytes.length;
      if (left > 0) return;
      this.cuts++;
      this.#end(pair);
    });
    for (const socket of [client, service]) {
      socket.on('error', () => {}); // `close` follows
      socket.on('close', () => this.#end(pair));
    }
  }

  #end(pair: Pair): void {
    this.#pairs.delete(pair);
    pair.client.destroy();
    pair.service.destroy();
  }
}
