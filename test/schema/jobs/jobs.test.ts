import { beforeAll, describe, expect, test } from 'vitest';
import { db } from '../../../src/db/client.ts';
import { sweep } from '../../../src/jobs/sweep.ts';
import { DAY, MINUTE } from '../../../src/lib/time.ts';
import { APPLICATION, clock, running, useApp } from '../../support/app/app.ts';
import { createTenant, startAnother } from '../../support/app/other-apps.ts';
import { sql } from '../../support/app/sql.ts';
import { until } from '../../support/app/until.ts';
import { graphql } from '../../support/clients/graphql.ts';
import { connect, type SocketMessage } from '../../support/clients/websocket.ts';
import { lockRows } from '../../support/faults/row-lock.ts';
import {
  errorIn,
  inConsole,
  signedInAdministrator,
  type TestAdministrator,
  withoutApplication,
} from '../../support/fixtures/administrators.ts';
import { createDialog, execute, send } from '../../support/fixtures/chat.ts';
import {
  cancelJob,
  checked,
  exported,
  findJob,
  JOB_FIELDS,
  jobIn,
  startCheck,
  startExport,
} from '../../support/fixtures/jobs.ts';
import { RETENTION } from '../../support/fixtures/retention.ts';
import { createUsers, type TestUser } from '../../support/fixtures/users.ts';

useApp();

const applicationId = APPLICATION.id;

let owner: TestAdministrator;
let dialogId: string;
let alice: TestUser;
beforeAll(async () => {
  owner = await signedInAdministrator('owner');
  const [first, second] = await createUsers(2);
  alice = first!;
  dialogId = await createDialog(alice, [alice, second!]);
  await send(alice, dialogId, 'hello');
});

/** Exports and checks wait behind the lock of the messages. */
const holdMessages = () => lockRows(running.database.config, 'LOCK TABLE messages IN ACCESS EXCLUSIVE MODE');

async function storedJob(data: object) {
  const at = running.now();
  const common = { applicationId, kind: 'export', administratorId: owner.id, administratorName: 'x', createdAt: at };
  const id = Math.random().toString(16).slice(2, 14).padEnd(24, '0');
  return db.job.create({ data: { ...common, id, processId: 'gone', ...data } as never });
}

describe('startCheck', () => {
  test('reports checks without differences', async () => {
    const job = await checked(owner);
    expect(job).toMatchObject({
      kind: 'CHECK',
      state: 'SUCCEEDED',
      isRepair: false,
      error: null,
      backup: null,
      startedBy: { id: owner.id },
    });
    expect(job.check.checks.length).toBeGreaterThan(40);
    expect(job.check.differences).toEqual([]);
    expect(job.progress).toEqual({ done: job.check.checks.length, total: job.check.checks.length, step: null });
  });

  test('finds differences, and a repair corrects and records them under the name of the administrator', async () => {
    const damage = () =>
      sql('UPDATE members SET sent_count = 7 WHERE application_id = $1 AND dialog_id = $2 AND user_id = $3', [
        applicationId,
        dialogId,
        alice.id,
      ]);
    await damage();
    const found = (await checked(owner)).check;
    const [difference] = found.differences;
    expect(found.differences).toHaveLength(1);
    expect(difference).toMatchObject({ isRepaired: false });
    expect(difference.stored).toContain('7');
    const outcome = found.checks.find(({ name }: { name: string }) => name === difference.check);
    expect(outcome).toMatchObject({ differences: 1, repaired: 0, isRepairable: true });

    const repaired = await checked(owner, true);
    expect(repaired).toMatchObject({ isRepair: true, check: { differences: [{ isRepaired: true }] } });
    expect((await checked(owner)).check.differences).toEqual([]);
  });

  test('requires a confirmation only to repair', async () => {
    const administrator = await signedInAdministrator('owner');
    clock.advance(15 * MINUTE);
    expect(errorIn(await startCheck(administrator, true))).toMatchObject({ code: 'CONFIRMATION_REQUIRED' });
    expect(await checked(administrator)).toMatchObject({ state: 'SUCCEEDED' });
    owner = await signedInAdministrator('owner');
  });
});

describe('jobs', () => {
  test('an application runs one job of each kind at a time', async () => {
    const lock = await holdMessages();
    const { data } = await startExport(owner);
    const { id } = data.startExport;
    expect(errorIn(await startExport(owner))).toEqual({
      message: 'An export of this application is already waiting or running',
      code: 'UNPROCESSABLE',
    });
    const other = await createTenant(0);
    const ofOther = await signedInAdministrator({ applicationId: other.applicationId, role: 'owner' });
    const as = inConsole(ofOther.cookie, other.applicationId);
    const ofOtherJob = await startExport(as);
    expect(ofOtherJob.errors).toBeUndefined();
    await lock.release();
    expect(await jobIn(as, ofOtherJob.data.startExport.id, 'SUCCEEDED')).toMatchObject({ backup: { isStored: true } });
    expect(await jobIn(owner, id, 'SUCCEEDED')).toMatchObject({ backup: { isStored: true } });
  });

  test('a job waits while two run, and a waiting job can be canceled immediately', async () => {
    const lock = await holdMessages();
    const [first, second] = [(await startExport(owner)).data.startExport, (await startCheck(owner)).data.startCheck];
    for (const { id } of [first, second]) await jobIn(owner, id, 'RUNNING');
    const other = await createTenant(0);
    const ofOther = inConsole(
      (await signedInAdministrator({ applicationId: other.applicationId, role: 'owner' })).cookie,
      other.applicationId,
    );
    const [waiting, dropped] = [
      (await startExport(ofOther)).data.startExport,
      (await startCheck(ofOther)).data.startCheck,
    ];
    expect(waiting).toMatchObject({ state: 'QUEUED', startedAt: null });
    expect((await cancelJob(ofOther, dropped.id)).data.cancelJob).toMatchObject({ state: 'CANCELED' });
    expect(await findJob(ofOther, waiting.id)).toMatchObject({ state: 'QUEUED' });
    await lock.release();
    for (const { id } of [first, second]) await jobIn(owner, id, 'SUCCEEDED');
    await jobIn(ofOther, waiting.id, 'SUCCEEDED');
    expect(await findJob(ofOther, dropped.id)).toMatchObject({ state: 'CANCELED', startedAt: null });
  });

  test('a job that waits for a lock in the database is canceled within seconds and leaves no file', async () => {
    const lock = await holdMessages();
    const { id } = (await startExport(owner)).data.startExport;
    await jobIn(owner, id, 'RUNNING');
    expect((await cancelJob(owner, id)).data.cancelJob.cancelRequestedAt).not.toBeNull();
    const job = await jobIn(owner, id, 'CANCELED');
    expect(job).toMatchObject({ error: null, backup: null });
    await lock.release();
    expect(errorIn(await cancelJob(owner, id))).toEqual({
      message: 'The job has already ended',
      code: 'UNPROCESSABLE',
    });
  });

  test('a job whose process died is interrupted, releases its files and can be started again at once', async () => {
    const dead = await storedJob({
      state: 'running',
      partCount: 2,
      heartbeatAt: new Date(Date.now() - DAY),
    });
    const job = await exported(owner);
    expect(job.state).toBe('SUCCEEDED');
    expect(await findJob(owner, dead.id)).toMatchObject({
      state: 'INTERRUPTED',
      error: 'The process that ran the job stopped without notice. Start the job again.',
    });
    const released = await db.unclaimedFile.findMany({ where: { key: { contains: dead.id } } });
    expect(released.map(({ key }) => key).sort()).toEqual(
      [1, 2].map((part) => `backups/0000005c/${dead.id}-00000${part}`),
    );
  });

  test('a process that loses a job interrupts it and does not start it again', async () => {
    const lock = await holdMessages();
    const { id } = (await startExport(owner)).data.startExport;
    await jobIn(owner, id, 'RUNNING');
    await sql("UPDATE jobs SET state = 'interrupted', finished_at = now() WHERE id = $1", [id]);
    running.app.services.jobNotifier.changed({ applicationId, id });
    const waiting = "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()";
    await until(async () => (await sql(waiting)).length === 0);
    await lock.release();
    expect(await findJob(owner, id)).toMatchObject({ state: 'INTERRUPTED' });
  });

  test('a job is interrupted when its process stops, and other processes show it', async () => {
    const second = await startAnother();
    const lock = await holdMessages();
    const start = `mutation { startCheck(repair: false) { id } }`;
    const response = await fetch(`${second.url}/graphql`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...owner.headers, Origin: second.url },
      body: JSON.stringify({ query: start }),
    });
    const { id } = (await response.json()).data.startCheck;
    await jobIn(owner, id, 'RUNNING');
    await second.stop();
    expect(await findJob(owner, id)).toMatchObject({
      state: 'INTERRUPTED',
      error: 'The service stopped. Start the job again.',
    });
    await lock.release();
  });

  test('a job of another application or with an unknown id is not found', async () => {
    const { id } = await checked(owner);
    const other = await createTenant(0);
    const stranger = await signedInAdministrator({ applicationId: other.applicationId, role: 'owner' });
    const as = inConsole(stranger.cookie, other.applicationId);
    const notFound = { message: 'The job was not found', code: 'NOT_FOUND' };
    expect(errorIn(await graphql('query ($id: ID!) { job(id: $id) { id } }', { id }, as))).toEqual(notFound);
    expect(errorIn(await cancelJob(as, id))).toEqual(notFound);
    expect(errorIn(await cancelJob(owner, 'x'))).toEqual(notFound);
    expect((await execute('{ jobs { edges { node { id } } } }', {}, as)).jobs.edges).toEqual([]);
  });

  test('a job belongs to an application', async () => {
    expect(errorIn(await startCheck(withoutApplication(owner)))).toEqual({
      message: 'The header Application must name an application',
      code: 'BAD_USER_INPUT',
    });
  });
});

test('jobs are listed in pages, newest first, and removed after 90 days', async () => {
  const list =
    'query ($after: String) { jobs(first: 2, after: $after) { edges { node { id } } pageInfo { endCursor hasNextPage } } }';
  const ids: string[] = [];
  for (let after: string | null = null; ; ) {
    // biome-ignore lint/suspicious/noExplicitAny: the type would refer to itself
    const { edges, pageInfo }: any = (await execute(list, { after }, owner)).jobs;
    ids.push(...edges.map(({ node }: { node: { id: string } }) => node.id));
    if (!pageInfo.hasNextPage) break;
    after = pageInfo.endCursor;
  }
  expect(ids.length).toBeGreaterThan(5);
  expect(ids).toEqual([...ids].sort().reverse());
  const old = await storedJob({ state: 'failed', finishedAt: new Date(clock.now() - 91 * DAY) });
  await sweep(running.now(), RETENTION);
  expect(await db.job.findFirst({ where: { id: old.id } })).toBeNull();
});

describe('jobChanged', () => {
  test('delivers progress and end in every process, to owners only', async () => {
    const second = await startAnother();
    const { Cookie, Application } = owner.headers;
    const headers = { Cookie: Cookie!, Origin: second.url };
    const socket = await connect({ headers: { Application: Application! } }, second, headers);
    const lock = await holdMessages();
    const { id } = (await startExport(owner)).data.startExport;
    await jobIn(owner, id, 'RUNNING');
    socket.send({ id: 'live', type: 'subscribe', payload: { query: `subscription { jobChanged { ${JOB_FIELDS} } }` } });
    const stateOf = (payload: SocketMessage['payload']) => payload?.data?.jobChanged?.state;
    await socket.find(({ type, payload }) => type === 'next' && stateOf(payload) === 'RUNNING');
    await lock.release();
    const { payload } = await socket.find((message) => stateOf(message.payload) === 'SUCCEEDED');
    expect(payload.data.jobChanged).toMatchObject({ id, backup: { isStored: true } });
    await socket.close();
    await second.stop();
  });
});
