import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { pino } from 'pino';
import { db } from '../../../src/db/client.ts';
import { allShards } from '../../../src/db/shards.ts';
import { DiskStorage } from '../../../src/gateways/disk-storage.ts';
import { createIdentityVerifiers } from '../../../src/gateways/identity.ts';
import { createMailer } from '../../../src/gateways/mailer.ts';
import { createModelClient } from '../../../src/gateways/model.ts';
import { createPushGateways } from '../../../src/gateways/push/index.ts';
import { TokenVerifier } from '../../../src/gateways/token-verifier.ts';
import { hashSecret } from '../../../src/lib/tokens.ts';
import { nextId } from '../../../src/resolvers/applications/create.ts';
import { type App, startApp } from '../../../src/server/lifecycle.ts';
import type { Caller } from '../fixtures/users.ts';
import { APPLICATION, configOf, ENCRYPTER, otherApps, running, SENDER, type TestSettings } from './app.ts';

/** Starts another server on the same database and clock, like a second process. The test must stop it. */
export async function startAnother(settings: TestSettings = {}): Promise<App> {
  const log = pino({ level: process.env.LOG_LEVEL ?? 'silent' });
  const mailer = createMailer({ smtpUrl: undefined, from: SENDER, dataDir: running.dataDir, now: running.now });
  const app = await startApp({
    config: configOf(settings, running.dataDir),
    limits: settings.limits,
    liveClock: settings.liveClock,
    database: running.database.shards?.[0] ?? running.database.config,
    otherDatabases: running.database.shards?.slice(1) ?? [],
    now: running.now,
    log,
    identities: createIdentityVerifiers({ now: running.now, log }),
    tokens: new TokenVerifier({ now: running.now, allowsPrivate: true }),
    storage: new DiskStorage(join(running.dataDir, 'files')),
    mailer,
    models: createModelClient({ silence: settings.modelSilence }),
    pushGateways: createPushGateways({ now: running.now, mailer, allowsPrivate: true }),
    encrypter: ENCRYPTER,
  });
  const other: App = {
    ...app,
    stop: () => {
      otherApps.delete(other);
      return app.stop();
    },
  };
  otherApps.add(other);
  return other;
}

export interface Tenant {
  applicationId: number;
  key: Caller;
  users: (Caller & { id: number })[];
}

/** With several databases: of an application in that of the tests, which they also read directly. */
async function idBesideTests(): Promise<number> {
  const id = await nextId();
  const count = allShards().length;
  return id + ((((APPLICATION.id - id) % count) + count) % count);
}

/** Again if a concurrent fixture took the id first, as the service does. */
async function insertApplication(facts: { name: string; createdAt: Date; updatedAt: Date }): Promise<number> {
  const [stored] = await db.application.createManyAndReturn({
    data: [{ id: await idBesideTests(), authKey: randomUUID(), authSecret: randomUUID(), ...facts }],
    skipDuplicates: true,
    select: { id: true },
  });
  return stored?.id ?? insertApplication(facts);
}

export async function createTenant(userCount: number): Promise<Tenant> {
  const at = running.now();
  const secret = randomUUID();
  const applicationId = await insertApplication({ name: 'other', createdAt: at, updatedAt: at });
  await db.apiKey.create({
    data: { applicationId, name: 'first', keyHash: hashSecret(secret), createdAt: at },
  });
  const key: Caller = { headers: { Authorization: `ApiKey ${secret}` } };
  return { applicationId, key, users: await insertUsers(applicationId, userCount, key) };
}

/** Inserts users without passwords who call with the API key, which is cheap. */
export async function insertUsers(
  applicationId: number,
  count: number,
  key: Caller,
): Promise<(Caller & { id: number })[]> {
  const at = running.now();
  const rows = await db.user.createManyAndReturn({
    data: Array.from({ length: count }, () => ({
      applicationId,
      login: `quick-${randomUUID()}`.slice(0, 40),
      createdAt: at,
      updatedAt: at,
    })),
    select: { id: true },
  });
  return rows.map(({ id }) => ({ id, headers: { ...key.headers, 'On-Behalf-Of': String(id) } }));
}
