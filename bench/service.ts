import { fileURLToPath } from 'node:url';
import type { Cleanup } from './cleanup.ts';
import { type Started, startNode } from './processes.ts';

export const APPLICATION = { id: 1, authKey: 'bench-key', authSecret: 'bench-secret', apiKey: 'bench-api-key' };

export interface ServiceHome {
  databaseUrl: string;
  dataDir: string;
}

export function startService({ databaseUrl, dataDir }: ServiceHome, cleanup: Cleanup, nodeArgs: string[] = []) {
  return startNode([...nodeArgs, '--env-file=production.env', 'dist/main.js'], {
    env: {
      PORT: '0',
      LOG_LEVEL: 'warn',
      RATE_LIMIT: 'off',
      DATABASE_URL: databaseUrl,
      DATA_DIR: dataDir,
      BOOTSTRAP_APPLICATION_ID: String(APPLICATION.id),
      BOOTSTRAP_AUTH_KEY: APPLICATION.authKey,
      BOOTSTRAP_AUTH_SECRET: APPLICATION.authSecret,
      BOOTSTRAP_API_KEY: APPLICATION.apiKey,
    },
    cleanup,
  });
}

export interface Statement {
  text: string;
  values: unknown[];
}

/** A second service that reports its statements; not measured. */
export class Recorder {
  readonly url: string;
  readonly stop: () => Promise<void>;
  readonly #statements: Statement[] = [];

  constructor({ url, child, stop }: Started) {
    this.url = url;
    this.stop = stop;
    child.on('message', (told) => {
      const statement = told as Statement;
      if (!BACKGROUND.test(statement.text)) this.#statements.push(statement);
    });
  }

  static async start(home: ServiceHome, cleanup: Cleanup): Promise<Recorder> {
    const hook = fileURLToPath(new URL('./record-statements.ts', import.meta.url));
    return new Recorder(await startService(home, cleanup, ['--import', 'tsx', '--import', hook]));
  }

  async during(request: () => Promise<unknown>): Promise<Statement[]> {
    await pause(QUIET_AFTER_MS);
    this.#statements.length = 0;
    await request();
    await pause(LAST_MESSAGES_MS);
    return this.#statements.slice();
  }
}

const BACKGROUND =
  /WITH touched AS|SELECT pg_notify|FROM events_outbox|pg_snapshot_xmin|pg_current_xact_id|pgboss|push_cursor|push_deliveries|due_at/;

/** Background work of earlier requests is done after this time. */
const QUIET_AFTER_MS = 1_500;
const LAST_MESSAGES_MS = 200;

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
