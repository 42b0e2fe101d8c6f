import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Logger, pino } from 'pino';
import { afterAll, beforeAll } from 'vitest';
import { connectDatabase, db } from '../../../src/db/client.ts';
import { DiskStorage } from '../../../src/gateways/disk-storage.ts';
import { createIdentityVerifiers } from '../../../src/gateways/identity.ts';
import { createMailer } from '../../../src/gateways/mailer.ts';
import { createModelClient } from '../../../src/gateways/model.ts';
import { createPushGateways } from '../../../src/gateways/push/index.ts';
import type { Storage } from '../../../src/gateways/storage.ts';
import type { Clock } from '../../../src/realtime/presence.ts';
import { type ApplicationCredentials, bootstrapApplication } from '../../../src/resolvers/applications/create.ts';
import { Encrypter } from '../../../src/server/encryption/encrypter.ts';
import { type App, startApp } from '../../../src/server/lifecycle.ts';
import type { Limit, LimitName } from '../../../src/server/limits/definitions.ts';
import { TestClock } from './clock.ts';
import { createDatabase, type TestDatabase } from './database.ts';

/** The moment at which the wire samples of real clients were taken; the clock of every test stands there at first. */
export const SAMPLE_TIME = new Date(1_795_196_819_000);

/** The clock of the service; each test file starts at `SAMPLE_TIME`. */
export const clock = new TestClock(SAMPLE_TIME.getTime());

/** The application that the wire samples speak to. */
export const APPLICATION = { id: 92, name: 'test', authKey: 'AUTHKEY', authSecret: 'secret', apiKey: 'KEY' };

/** Who the mails come from. */
export const SENDER = { name: 'Atrium', address: 'no-reply@example.org' };

/** Seals the secrets of all test apps. */
export const ENCRYPTER = new Encrypter(Buffer.alloc(32, 7));

/** What a test file works with; ready once its `beforeAll` hooks have run. */
export interface TestApp {
  app: App;
  url: string;
  database: TestDatabase;
  /** Its mails are in `mail`, unless they go to a server; its files are in `files`. */
  dataDir: string;
  credentials: ApplicationCredentials;
  now: () => Date;
}

export let running: TestApp;

export interface TestSettings {
  tokenHeaders?: string[];
  sessionMinutes?: number;
  publicUrl?: string;
  resetPageUrl?: string;
  /** Switches rate limits on, with these where they are not those of the contract. */
  limits?: Partial<Record<LimitName, Limit>>;
  trustProxy?: number;
  /** Counts in the database, as with `DATABASE_URL`. */
  countsInDatabase?: boolean;
  redisUrl?: string;
  /** Where files lie; default: on the disk. */
  storage?: () => Promise<Storage>;
  /** Where mails go; else they are written to `dataDir`. */
  smtpUrl?: string;
  /** Whether pushes to browsers may go to private networks, as those of the tests do; default true. */
  allowsPrivate?: boolean;
  /** How long models may be silent, in milliseconds. */
  modelSilence?: number;
  /** Of who is online, for apps that `startAnother` starts. */
  presenceClock?: Clock;
  /** Milliseconds after which clients that have stopped are cut off. */
  stalledAfter?: number;
  /** Hears what is logged; default: nobody. */
  log?: Logger;
  /** Another database than one on the server that all tests share. */
  database?: () => Promise<TestDatabase>;
}

/** Starts the service on a database of its own before the tests of a file, and stops it after them. */
export function useApp(settings: TestSettings = {}): void {
  beforeAll(async () => {
    running = await startTestApp(settings);
  });
  afterAll(async () => {
    await running.app.stop();
    await db.$disconnect();
    await running.database.drop();
    await rm(running.dataDir, { recursive: true });
  });
}

async function startTestApp(settings: TestSettings): Promise<TestApp> {
  const { tokenHeaders = ['SVC-Token'], sessionMinutes = 120, publicUrl, resetPageUrl } = settings;
  const database = await (settings.database ?? createDatabase)();
  const dataDir = await mkdtemp(join(tmpdir(), 'atrium-data-'));
  clock.reset();
  const now = clock.date;
  await connectDatabase(database.config);
  const credentials = await bootstrapApplication(APPLICATION, now());
  const log = settings.log ?? pino({ level: process.env.LOG_LEVEL ?? 'silent' });
  const mailer = createMailer({ smtpUrl: settings.smtpUrl, from: SENDER, dataDir, now });
  const app = await startApp({
    config: {
      host: '127.0.0.1',
      port: 0,
      publicUrl,
      resetPageUrl,
      tokenHeaders,
      sessionMinutes,
      eventRetentionHours: 24,
      pushLogDays: 30,
      ...limitConfig(settings),
    },
    limits: settings.limits,
    stalledAfter: settings.stalledAfter,
    database: database.config,
    now,
    log,
    identities: createIdentityVerifiers({ now, log }),
    storage: (await settings.storage?.()) ?? new DiskStorage(join(dataDir, 'files')),
    mailer,
    models: createModelClient({ silence: settings.modelSilence }),
    pushGateways: createPushGateways({ now, mailer, allowsPrivate: settings.allowsPrivate ?? true }),
    encrypter: ENCRYPTER,
  });
  return {
    app,
    url: app.url,
    database,
    dataDir,
    credentials: credentials!,
    now,
  };
}

/** What the configuration says of rate limits. */
export function limitConfig({ limits, trustProxy = 0, countsInDatabase, redisUrl }: TestSettings) {
  const databaseUrl = countsInDatabase ? 'postgres://of-the-test' : undefined;
  return { rateLimit: limits !== undefined, trustProxy, redisUrl, databaseUrl };
}
