import type { Config } from '../config.ts';
import type { App } from '../server/lifecycle.ts';
import { createLog } from '../server/observability/log.ts';
import type { Database } from '../server/startup.ts';
import { Mount } from './mount.ts';
import { namingOptions, readOptions } from './options.ts';
import type { Atrium, AtriumCredentials, AtriumOptions } from './types.ts';

/** The connections to the database belong to the process (`src/db/client.ts`). */
let running: EmbeddedAtrium | undefined;

export class EmbeddedAtrium implements Atrium {
  readonly handler: Atrium['handler'];
  readonly upgrade: Atrium['upgrade'];
  readonly #config: Config;
  readonly #mount: Mount;
  readonly #log: AtriumOptions['log'];
  #parts: { app: App; database: Database } | undefined;
  #stopped: Promise<void> | undefined;

  /** @throws {ConfigError} an option is invalid */
  constructor(options: AtriumOptions) {
    this.#config = readOptions(options);
    this.#log = options.log;
    this.#mount = new Mount(options.basePath ?? new URL(this.#config.publicUrl!).pathname);
    this.handler = this.#mount.handler;
    this.upgrade = this.#mount.upgrade;
  }

  async start(): Promise<{ credentials: AtriumCredentials | undefined }> {
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

  async #start(): Promise<{ credentials: AtriumCredentials | undefined }> {
    const config = this.#config;
    const log = createLog(config.logLevel, this.#log && { write: (line) => void this.#log!.write(line) });
    // Loaded here, because an application may decide later whether it starts the service.
    const { startApp } = await import('../server/lifecycle.ts');
    const { createGateways } = await import('../server/create-gateways.ts');
    const { prepare } = await import('../server/prepare.ts');
    const { openDatabase } = await import('../server/startup.ts');
    const database = await openDatabase(config, { onProgress: (text) => log.info(text) });
    try {
      const { encrypter, credentials } = await prepare(config, log);
      const now = () => new Date();
      const app = await startApp({
        config,
        drainSeconds: config.drainSeconds,
        database: database.config,
        directDatabase: database.direct,
        now,
        log,
        encrypter,
        ...(await createGateways(config, { now, log })),
        entrance: this.#mount.entrance(config.publicUrl!),
      });
      this.#parts = { app, database };
      return { credentials };
    } catch (error) {
      await database.stop();
      throw error;
    }
  }

  async #stop(): Promise<void> {
    const parts = this.#parts;
    if (!parts) return;
    this.#parts = undefined;
    try {
      await parts.app.stop();
    } finally {
      await parts.database.stop();
      running = undefined;
    }
  }
}
