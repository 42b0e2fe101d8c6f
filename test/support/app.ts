import { pino } from 'pino';
import { afterAll, beforeAll } from 'vitest';
import { type App, createApp } from '../../src/app.ts';
import { connectDatabase, db } from '../../src/db/client.ts';
import { type ApplicationCredentials, bootstrapApplication } from '../../src/resolvers/applications.ts';
import { createDatabase, type TestDatabase } from './database.ts';

/** The moment at which the wire samples of real clients were taken; the clock of every test stands there at first. */
export const SAMPLE_TIME = new Date(1_795_196_819_000);

/** The application that the wire samples speak to. */
export const APPLICATION = { id: 92, name: 'test', authKey: 'AUTHKEY', authSecret: 'secret', apiKey: 'KEY' };

/** What a test file works with; ready once its `beforeAll` hooks have run. */
export interface TestApp {
  app: App;
  url: string;
  database: TestDatabase;
  credentials: ApplicationCredentials;
  /** Moves the server's clock. */
  setTime: (time: Date) => void;
  now: () => Date;
}

export let running: TestApp;

export interface TestSettings {
  tokenHeaders?: string[];
  sessionMinutes?: number;
}

/** Starts the service on a database of its own before the tests of a file, and stops it after them. */
export function useApp(settings: TestSettings = {}): void {
  beforeAll(async () => {
    running = await startApp(settings);
  });
  afterAll(async () => {
    await running.app.stop();
    await db.$disconnect();
    await running.database.drop();
  });
}

async function startApp({ tokenHeaders = ['SVC-Token'], sessionMinutes = 120 }: TestSettings): Promise<TestApp> {
  const database = await createDatabase();
  let time = SAMPLE_TIME;
  const now = () => time;
  await connectDatabase(database.config);
  const credentials = await bootstrapApplication(APPLICATION, now());
  const app = await createApp({
    config: {
      host: '127.0.0.1',
      port: 0,
      publicUrl: undefined,
      tokenHeaders,
      sessionMinutes,
      eventRetentionHours: 24,
    },
    database: database.config,
    now,
    log: pino({ level: process.env.LOG_LEVEL ?? 'silent' }),
  });
  return {
    app,
    url: app.url,
    database,
    credentials: credentials!,
    now,
    setTime: (moment) => {
      time = moment;
    },
  };
}
