import type { Config } from '../config.ts';
import { createLog } from '../platform/observability/log.ts';
import type { App } from '../server/lifecycle.ts';
import { Mount } from './mount.ts';
import { namingOptions, readOptions } from './options.ts';
import type { Atrium, AtriumCredentials, AtriumOptions, Mounted, Started } from './types.ts';

/** The connections to the database belong to the process (`src/db/client.ts`). */
let running: EmbeddedAtrium | undefined;

export class EmbeddedAtrium implements Atrium {
  readonly handler: Atrium['handler'];
  readonly upgrade: Atrium['upgrade'];
  readonly #config: Config;
  readonly #mount: Mount;
  readonly #console: Mount | undefined;
  readonly #log: AtriumOptions['log'];
  #app: App | undefined;
  #stopped: Promise<void> | undefined;

  /** @throws {ConfigError} an option is invalid */
  constructor(options: AtriumOptions) {
    this.#config = readOptions(options);
    this.#log = options.log;
    this.#mount = new Mount(options.basePath ?? new URL(this.#config.publicUrl!).pathname);
    if (options.console === 'separate') this.#console = new Mount('');
    this.handler = this.#mount.handler;
    this.upgrade = this.#mount.upgrade;
  }

  get console(): Mounted {
    if (!this.#console)
      throw new Error("Set the option `console: 'separate'` to serve the console by a handler of its own");
    return this.#console;
  }

  async start(): Promise<Started> {
    if (running) throw new Error('A process can run one Atrium at a time; stop the other one first');
    running = this;
    this.#stopped = undefined;
    try {
      return await this.#start();
    } catch (error) {
      running = undefined;
      throw namingOptions(error);
    }
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #start(): Promise<Started> {
    const config = this.#config;
    const log = createLog(config.logLevel, this.#log && { write: (line) => void this.#log!.write(line) });
    // Loaded here, because an application may decide later whether it starts the service.
    const { serve } = await import('../server/serve.ts');
    const { openServer } = await import('../server/database-server.ts');
    const server = await openServer(config, { onProgress: (text) => log.info(text) });
    let credentials: AtriumCredentials | undefined;
    this.#app = await serve(server, {
      config,
      log,
      entrances: {
        main: this.#mount.entrance(config.publicUrl!),
        console: this.#console?.entrance(config.consoleOrigin!),
      },
      onFirstApplication: (created) => {
        credentials = created;
      },
    });
    return { credentials, consoleUrl: config.isConsoleOn ? this.#app.services.consoleUrl() : undefined };
  }

  async #stop(): Promise<void> {
    const app = this.#app;
    if (!app) return;
    this.#app = undefined;
    try {
      await app.stop();
    } finally {
      running = undefined;
    }
  }
}
