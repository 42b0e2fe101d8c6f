import { readFileSync, statfsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { db } from '../../../src/db/client.ts';
import { sweep } from '../../../src/jobs/sweep.ts';
import { sweepFiles } from '../../../src/jobs/sweep-files.ts';
import { HOUR, MINUTE } from '../../../src/lib/time.ts';
import { TABLES_OF_APPLICATION } from '../../../src/resolvers/applications/tables.ts';
import { APPLICATION, clock, running, useApp } from '../../support/app/app.ts';
import { createTenant } from '../../support/app/other-apps.ts';
import { until } from '../../support/app/until.ts';
import { graphql } from '../../support/clients/graphql.ts';
import { connect } from '../../support/clients/websocket.ts';
import {
  errorIn,
  inConsole,
  signedInAdministrator,
  withoutApplication,
} from '../../support/fixtures/administrators.ts';
import { createBlob, storeBlob } from '../../support/fixtures/blobs.ts';
import { createDialog, send } from '../../support/fixtures/chat.ts';
import { RETENTION } from '../../support/fixtures/retention.ts';
import { apiKey, createUser, createUsers, openSession } from '../../support/fixtures/users.ts';

useApp();

const OF_ALL = { applicationId: null, role: 'owner' } as const;

test('applications are listed as far as the caller has a role in them', async () => {
  const other = await createTenant(0);
  const some = withoutApplication(await signedInAdministrator('viewer'));
  const all = withoutApplication(await signedInAdministrator({ applicationId: null, role: 'viewer' }));
  const ids = async (as: typeof some) =>
    (await graphql('{ applications { id name } }', {}, as)).data.applications.map(({ id }: { id: number }) => id);
  expect(await ids(some)).toEqual([APPLICATION.id]);
  expect(await ids(all)).toEqual([APPLICATION.id, other.applicationId].sort((a, b) => a - b));
});

test('a created application can be used at once', async () => {
  const owner = withoutApplication(await signedInAdministrator(OF_ALL));
  const create =
    'mutation ($name: String!) { createApplication(name: $name) { applicationId authKey authSecret apiKey } }';
  const { data } = await graphql(create, { name: 'second' }, owner);
  const as = { headers: { Authorization: `ApiKey ${data.createApplication.apiKey}` } };
  expect((await graphql('{ application { id name } }', {}, as)).data.application).toEqual({
    id: data.createApplication.applicationId,
    name: 'second',
  });
  expect(errorIn(await graphql(create, { name: ' ' }, owner))).toEqual({
    message: "Name can't be blank",
    code: 'UNPROCESSABLE',
  });
});

test('a rotated secret replaces the old one', async () => {
  const owner = await signedInAdministrator('owner');
  const { data } = await graphql('mutation { rotateApplicationSecret }', {}, owner);
  await expect(openSession()).rejects.toThrow('Unexpected signature');
  const { authSecret } = await db.application.findUniqueOrThrow({ where: { id: APPLICATION.id } });
  expect(authSecret).toBe(data.rotateApplicationSecret);
  await db.application.update({ where: { id: APPLICATION.id }, data: { authSecret: APPLICATION.authSecret } });
  expect((await openSession()).token).toMatch(/^[0-9a-f]{40}$/);
});

describe('figures', () => {
  const STATS = `query ($hours: Int!) { applicationStats(hours: $hours) {
    users usersOnline files fileBytes pushesDelivered pushesFailed hours { hour messages reactions recordChanges }
  } }`;
  const stats = async (hours = 2) => (await graphql(STATS, { hours }, apiKey)).data.applicationStats;

  test('count each event once, however often the sweep runs', async () => {
    const [alice, bob] = await createUsers(2);
    const dialogId = await createDialog(alice!, [alice!, bob!]);
    await send(alice!, dialogId, 'one');
    await send(bob!, dialogId, 'two');
    const expected = { messages: 2, reactions: 0, recordChanges: 0 };
    expect((await stats()).hours.at(-1)).toMatchObject(expected);
    clock.advance(5 * MINUTE);
    await Promise.all([1, 2, 3].map(() => sweep(running.now(), RETENTION)));
    expect((await stats()).hours.at(-1)).toMatchObject(expected);
    clock.advance(HOUR);
    await send(alice!, dialogId, 'three');
    clock.advance(5 * MINUTE);
    await sweep(running.now(), RETENTION);
    const { hours } = await stats();
    expect(hours.map(({ messages }: { messages: number }) => messages)).toEqual([2, 1]);
  });

  test('count an event that was created earlier than its predecessor', async () => {
    const total = async () => {
      const { hours } = (await stats(24)) as { hours: { messages: number }[] };
      return hours.reduce((sum, { messages }) => sum + messages, 0);
    };
    const [alice, bob] = await createUsers(2);
    const dialogId = await createDialog(alice!, [alice!, bob!]);
    await send(alice!, dialogId, 'first');
    await db.$executeRaw`
      UPDATE events_outbox SET created_at = created_at + interval '1 minute'
      WHERE position = (SELECT max(position) FROM events_outbox WHERE kind = 'messageSent')`;
    await send(bob!, dialogId, 'second');
    const counted = await total();
    clock.advance(2 * MINUTE + 1_000);
    await sweep(running.now(), RETENTION);
    expect(await total()).toBe(counted);
    clock.advance(2 * MINUTE);
    await sweep(running.now(), RETENTION);
    expect(await total()).toBe(counted);
  });

  test('count users, and those with an open socket once', async () => {
    const alice = await createUser();
    const sockets = [await connect(alice), await connect(alice)];
    expect(await stats()).toMatchObject({ users: await db.user.count(), usersOnline: 1 });
    for (const socket of sockets) await socket.close();
    await until(async () => (await stats()).usersOnline === 0);
  });

  test('count files and the bytes of completed uploads, until the files are deleted', async () => {
    const alice = await createUser();
    const bytes = async () => {
      const service = withoutApplication(await signedInAdministrator('viewer'));
      const { fileBytes } = (await graphql('{ serviceStatus { fileBytes } }', {}, service)).data.serviceStatus;
      const { files, fileBytes: own } = await stats();
      return { files, own, service: fileBytes };
    };
    const first = await storeBlob(alice, 'hello');
    await storeBlob(alice, 'hello, world');
    await createBlob(alice);
    expect(await bytes()).toEqual({ files: 3, own: 17, service: 17 });
    await graphql('mutation ($id: Int!) { deleteBlob(id: $id) }', { id: first.id }, apiKey);
    expect(await bytes()).toEqual({ files: 2, own: 12, service: 12 });
  });

  test.each([0, -1, 745])('figures for %i hours are refused', async (hours) => {
    expect(errorIn(await graphql(STATS, { hours }, apiKey))).toEqual({
      message: 'hours must be between 1 and 744',
      code: 'BAD_USER_INPUT',
    });
  });

  test('serviceStatus returns versions and sizes', async () => {
    const viewer = withoutApplication(await signedInAdministrator('viewer'));
    const { data } = await graphql(
      `{ serviceStatus {
        version nodeVersion postgresVersion startedAt databaseBytes diskFreeBytes diskTotalBytes waitingPushJobs
        chat { streams }
      } }`,
      {},
      viewer,
    );
    expect(data.serviceStatus).toMatchObject({
      version: JSON.parse(readFileSync('package.json', 'utf8')).version,
      nodeVersion: process.versions.node,
      waitingPushJobs: expect.any(Number),
      chat: null, // off in the tests
    });
    expect(data.serviceStatus.databaseBytes).toBeGreaterThan(1_000_000);
    const { bavail, blocks, bsize } = statfsSync(running.dataDir);
    expect(data.serviceStatus.diskTotalBytes).toBe(blocks * bsize);
    // Other processes write at the same time.
    expect(data.serviceStatus.diskFreeBytes / (bavail * bsize)).toBeCloseTo(1, 0);
  });
});

describe('a deleted application', () => {
  test('ends all access at once, and its rows and files are removed', async () => {
    const owner = await signedInAdministrator(OF_ALL);
    const create = 'mutation { createApplication(name: "short-lived") { applicationId apiKey } }';
    const { applicationId, apiKey: key } = (await graphql(create, {}, withoutApplication(owner))).data
      .createApplication;
    const as = { headers: { Authorization: `ApiKey ${key}` } };
    await graphql(
      'mutation { createClass(input: { name: "Note", fields: [{ name: "text", type: STRING }] }) { name } }',
      {},
      as,
    );
    const { createUser: user } = (
      await graphql('mutation { createUser(input: { login: "alice", password: "password-1" }) { id } }', {}, as)
    ).data;
    const alice = { headers: { ...as.headers, 'On-Behalf-Of': String(user.id) } };
    await graphql('mutation { createNote(input: { text: "x" }) { id } }', {}, alice);
    const dialogId = await createDialog(alice, [{ id: user.id }]);
    await send(alice, dialogId, 'hello');
    const socket = await connect(as);

    const inIt = inConsole(owner.cookie, applicationId);
    expect((await graphql('mutation { deleteApplication }', {}, inIt)).data).toEqual({ deleteApplication: true });
    expect(await socket.closed).toMatchObject({ code: 4403 });
    expect(errorIn(await graphql('{ application { id } }', {}, as))).toMatchObject({ code: 'UNAUTHENTICATED' });
    expect(errorIn(await graphql('{ application { id } }', {}, inIt))).toMatchObject({ code: 'NOT_FOUND' });

    const remaining = async () => {
      await sweep(running.now(), RETENTION);
      return db.application.count({ where: { id: applicationId } });
    };
    expect(await remaining()).toBe(1); // requests in progress may still insert rows
    clock.advance(6 * MINUTE);
    expect(await remaining()).toBe(0);
    for (const table of TABLES_OF_APPLICATION) {
      const rows = await db.$queryRawUnsafe<unknown[]>(
        `SELECT FROM "${table}" WHERE application_id = ${applicationId}`,
      );
      expect([table, rows.length]).toEqual([table, 0]);
    }
    await sweepFiles(running.now(), running.app.services.storage);
    expect(await db.unclaimedFile.count({ where: { applicationId } })).toBe(0);
  });

  test('refuses its open sessions before its rows are removed', async () => {
    const other = await createTenant(1);
    const { token } = await openSession();
    await db.application.update({ where: { id: APPLICATION.id }, data: { importId: 'deleted' } });
    try {
      expect(errorIn(await graphql('{ session { id } }', {}, { headers: { 'SVC-Token': token } }))).toEqual({
        message: 'Required session does not exist',
        code: 'UNAUTHENTICATED',
      });
    } finally {
      await db.application.update({ where: { id: APPLICATION.id }, data: { importId: null } });
    }
    expect((await graphql('{ application { id } }', {}, other.key)).errors).toBeUndefined();
  });
});

test('the tables of an application are all tables with its id, except those that outlive it', async () => {
  const rows = await db.$queryRaw<{ name: string }[]>`
    SELECT table_name AS name FROM information_schema.columns
    WHERE table_schema = 'public' AND column_name = 'application_id'`;
  const outlive = ['audit_chains', 'audit_entries', 'events_outbox', 'unclaimed_files'];
  expect(rows.map(({ name }) => name).sort()).toEqual([...TABLES_OF_APPLICATION, ...outlive].sort());
});
