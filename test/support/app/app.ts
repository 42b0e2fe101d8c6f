import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Logger, pino } from 'pino';
import { afterAll, beforeAll, expect } from 'vitest';
import { type Config, readConfig, type XmppConfig } from '../../../src/config.ts';
import { connectDatabase, db } from '../../../src/db/client.ts';
import { DiskStorage } from '../../../src/gateways/disk-storage.ts';
import { createIdentityVerifiers } from '../../../src/gateways/identity.ts';
import { createMailer } from '../../../src/gateways/mailer.ts';
import { createModelClient } from '../../../src/gateways/model.ts';
import { createPushGateways } from '../../../src/gateways/push/index.ts';
import type { Storage } from '../../../src/gateways/storage.ts';
import { TokenVerifier } from '../../../src/gateways/token-verifier.ts';
import { Encrypter } from '../../../src/platform/encryption/encrypter.ts';
import type { Limit, LimitName } from '../../../src/platform/limits/definitions.ts';
import type { Clock } from '../../../src/realtime/clock.ts';
import { type ApplicationCredentials, bootstrapApplication } from '../../../src/resolvers/applications/create.ts';
import { type App, startApp } from '../../../src/server/lifecycle.ts';
import { TestClock } from './clock.ts';
import { createDatabase, type TestDatabase } from './database.ts';
import './password-cost.ts';

/** The time of the wire samples of real clients. */
export const SAMPLE_TIME = new Date(1_795_196_819_000);

export const XMPP: XmppConfig = {
  websocketPort: undefined,
  isWebsocketTls: true,
  tcpPort: undefined,
  certificate: undefined,
};

/** The clock of the service; each test file starts at `SAMPLE_TIME`. */
export const clock = new TestClock(SAMPLE_TIME.getTime());

export const APPLICATION = { id: 92, name: 'test', authKey: 'AUTHKEY', authSecret: 'secret', apiKey: 'KEY' };

export const SENDER = { name: 'Atrium', address: 'no-reply@example.org' };

export const ENCRYPTER = new Encrypter(Buffer.alloc(32, 7));

/** The running service of a test file; set once its `beforeAll` hooks have run. */
export interface TestApp {
  app: App;
  url: string;
  database: TestDatabase;
  /** Contains `mail`, unless mails go to a server, and `files`. */
  dataDir: string;
  credentials: ApplicationCredentials;
  now: () => Date;
}

export let running: TestApp;

/** Those of `startAnother` that run. */
export const otherApps = new Set<App>();

export interface TestSettings {
  tokenHeaders?: string[];
  sessionMinutes?: number;
  publicUrl?: string;
  resetPageUrl?: string;
  chatDomain?: string;
  /** Default: off. */
  xmpp?: Partial<XmppConfig>;
  /** Default: true. */
  isConsoleOn?: boolean;
  consoleOrigin?: string;
  consolePort?: number;
  /** Enables rate limits; overrides those of the contract. */
  limits?: Partial<Record<LimitName, Limit>>;
  trustProxy?: number;
  /** Counts rate limits in the database, as with `DATABASE_URL`. */
  countsInDatabase?: boolean;
  redisUrl?: string;
  storage?: () => Promise<Storage>;
  smtpUrl?: string;
  /** Whether pushes to browsers may use private networks, like those of the tests; default true. */
  allowsPrivate?: boolean;
  /** Timeout of silent models in milliseconds. */
  modelSilence?: number;
  /** Clock of presence, for apps that `startAnother` starts. */
  liveClock?: Clock;
  /** Milliseconds after which stalled clients are cut off. */
  stalledAfter?: number;
  log?: Logger;
  /** Milliseconds from which requests count as slow; default: 1000. */
  requestLogSlowMs?: number;
  database?: () => Promise<TestDatabase>;
}

export function useApp(settings: TestSettings = {}): void {
  beforeAll(async () => {
    running = await startTestApp(settings);
  });
  afterAll(async () => {
    const left = [...otherApps];
    for (const app of left) await app.stop();
    await running.app.stop();
    await db.$disconnect();
    await running.database.drop();
    await rm(running.dataDir, { recursive: true });
    // The timers of a forgotten app would run on the database and the clock of later files.
    expect(left.length, 'apps that no test stopped').toBe(0);
  });
}

async function startTestApp(settings: TestSettings): Promise<TestApp> {
  const database = await (settings.database ?? createDatabase)();
  const dataDir = await mkdtemp(join(tmpdir(), 'atrium-data-'));
  clock.reset();
  const now = clock.date;
  const [first = database.config, ...others] = database.shards ?? [];
  await connectDatabase(first, ...others);
  const credentials = await bootstrapApplication(APPLICATION, now());
  const log = settings.log ?? pino({ level: process.env.LOG_LEVEL ?? 'silent' });
  const mailer = createMailer({ smtpUrl: settings.smtpUrl, from: SENDER, dataDir, now });
  const app = await startApp({
    config: configOf(settings, dataDir),
    limits: settings.limits,
    stalledAfter: settings.stalledAfter,
    database: database.shards?.[0] ?? database.config,
    otherDatabases: database.shards?.slice(1) ?? [],
    now,
    log,
    identities: createIdentityVerifiers({ now, log }),
    tokens: new TokenVerifier({ now, allowsPrivate: true }),
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

/** The documented defaults, except of what a test sets. */
export function configOf(settings: TestSettings, dataDir: string): Config {
  const { limits, trustProxy = 0, countsInDatabase, tokenHeaders, sessionMinutes } = settings;
  const defaults = readConfig({ PORT: '0', DATA_DIR: dataDir });
  return {
    ...defaults,
    publicUrl: settings.publicUrl,
    resetPageUrl: settings.resetPageUrl,
    chatDomain: settings.chatDomain,
    xmpp: settings.xmpp && { ...XMPP, ...settings.xmpp },
    isConsoleOn: settings.isConsoleOn ?? true,
    consoleOrigin: settings.consoleOrigin,
    consolePort: settings.consolePort,
    tokenHeaders: tokenHeaders ?? defaults.tokenHeaders,
    sessionMinutes: sessionMinutes ?? defaults.sessionMinutes,
    requestLogSlowMs: settings.requestLogSlowMs ?? Number.POSITIVE_INFINITY,
    rateLimit: limits !== undefined,
    trustProxy,
    redisUrl: settings.redisUrl,
    databaseUrl: countsInDatabase ? 'postgres://of-the-test' : undefined,
  };
}
