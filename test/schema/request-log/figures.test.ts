import { beforeAll, describe, expect, test } from 'vitest';
import { storeFigures, trimFigures } from '../../../src/administration/request-log/figures.ts';
import { db } from '../../../src/db/client.ts';
import { DAY, HOUR } from '../../../src/lib/time.ts';
import { RequestCounts } from '../../../src/platform/observability/request-counts.ts';
import { hourOf } from '../../../src/platform/observability/request-log.ts';
import { APPLICATION, clock, running, useApp } from '../../support/app/app.ts';
import { createTenant } from '../../support/app/other-apps.ts';
import { until } from '../../support/app/until.ts';
import { graphql } from '../../support/clients/graphql.ts';
import { connect } from '../../support/clients/websocket.ts';
import {
  errorIn,
  signedInAdministrator,
  type TestAdministrator,
  withoutApplication,
} from '../../support/fixtures/administrators.ts';
import { execute } from '../../support/fixtures/chat.ts';
import { loggedRequest, request, storePending } from '../../support/fixtures/request-log.ts';
import { apiKey, createUser } from '../../support/fixtures/users.ts';

useApp({ requestLogSlowMs: 1 });

const FIGURES = `query ($hours: Int!) {
  requestFigures(hours: $hours) { succeeded refused failed medianMs p95Ms hours { hour succeeded refused failed } }
}`;

describe('requestFigures', () => {
  let viewer: TestAdministrator;
  const figures = async (hours = 1) => (await execute(FIGURES, { hours }, viewer)).requestFigures;
  const counted = async (expected: object) => {
    await until(async () => {
      await storePending();
      const { succeeded, refused, failed } = await figures();
      return JSON.stringify({ succeeded, refused, failed }) === JSON.stringify(expected);
    });
  };

  beforeAll(async () => {
    viewer = await signedInAdministrator('viewer');
  });

  test('count requests of every transport by outcome, and those of the console not at all', async () => {
    const alice = await createUser();
    await storePending();
    await db.requestFigure.deleteMany({});
    await request('/session.json', { as: alice });
    await request(`/users/${2 ** 31 - 1}.json`, { as: alice });
    await request('/graphql', { as: alice, json: { query: '{ me { id } }' } });
    await request('/graphql', { as: apiKey, json: { query: '{ nothing }' } });
    const socket = await connect(alice);
    await socket.run('{ me { id } }');
    await socket.run('{ message(id: "0123456789abcdef01234567") { id } }');
    await socket.close();
    await counted({ succeeded: 3, refused: 3, failed: 0 });
    expect(await figures()).toMatchObject({ medianMs: expect.any(Number), p95Ms: expect.any(Number) });
  });

  test('of the requested hours are listed, also those without requests', async () => {
    const first = hourOf(running.now());
    clock.advance(2 * HOUR);
    viewer = await signedInAdministrator('viewer');
    const { hours, ...sums } = await figures(3);
    expect(hours.map(({ hour }: { hour: string }) => Date.parse(hour) - first.getTime())).toEqual([0, HOUR, 2 * HOUR]);
    expect(hours[0]).toMatchObject({ succeeded: 3, refused: 3, failed: 0 });
    expect(sums).toMatchObject({ succeeded: 3, refused: 3 });
    expect(await figures()).toMatchObject({ succeeded: 0, refused: 0, failed: 0, medianMs: null, p95Ms: null });
  });

  test('give the median and the 95th percentile with an error of at most a fifth', async () => {
    const counts = new RequestCounts();
    const of = { applicationId: APPLICATION.id, hour: hourOf(running.now()) };
    for (let ms = 1; ms <= 1_000; ms++) counts.add({ ...of, status: ms > 990 ? 503 : 200, ms });
    counts.add({ ...of, status: 200, ms: undefined });
    await storeFigures(counts.take());
    const { medianMs, p95Ms, ...sums } = await figures();
    expect(sums).toMatchObject({ succeeded: 991, refused: 0, failed: 10 });
    expect(medianMs).toBeGreaterThanOrEqual(500);
    expect(medianMs).toBeLessThanOrEqual(600);
    expect(p95Ms).toBeGreaterThanOrEqual(950);
    expect(p95Ms).toBeLessThanOrEqual(1_140);
  });

  test('of several processes are added up, and unknown applications have none', async () => {
    const hour = hourOf(running.now());
    const before = await figures();
    const processes = Array.from({ length: 4 }, () => new RequestCounts());
    for (const counts of processes) {
      for (const applicationId of [APPLICATION.id, 1_000_001]) {
        for (let ms = 1; ms < 2_000; ms += 10) counts.add({ applicationId, hour, status: 200, ms });
      }
    }
    await Promise.all(processes.map((counts) => storeFigures(counts.take())));
    expect((await figures()).succeeded).toBe(before.succeeded + 800);
    expect(await db.requestFigure.count({ where: { applicationId: 1_000_001 } })).toBe(0);
  });

  test('that could not be stored are kept', () => {
    const counts = new RequestCounts();
    const of = { applicationId: APPLICATION.id, hour: hourOf(running.now()), ms: 5 };
    counts.add({ ...of, status: 200 });
    const taken = counts.take();
    counts.add({ ...of, status: 404 });
    counts.putBack(taken);
    expect(counts.take()).toMatchObject([{ succeeded: 1, refused: 1, failed: 0 }]);
    expect(counts.take()).toEqual([]);
  });

  test('that can no longer be read are removed', async () => {
    await trimFigures(new Date(running.now().getTime() + 31 * DAY));
    expect((await figures()).succeeded).toBeGreaterThan(0);
    await trimFigures(new Date(running.now().getTime() + 33 * DAY));
    expect((await figures()).succeeded).toBe(0);
  });

  test('are of the own application, and without an application for owners of all', async () => {
    const other = await createTenant(1);
    const counts = new RequestCounts();
    counts.add({ applicationId: other.applicationId, hour: hourOf(running.now()), status: 200, ms: 1 });
    await storeFigures(counts.take());
    expect((await figures()).succeeded).toBe(0);
    expect(errorIn(await graphql(FIGURES, { hours: 1 }, withoutApplication(viewer)))).toMatchObject({
      code: 'FORBIDDEN',
    });
    const owner = withoutApplication(await signedInAdministrator({ applicationId: null, role: 'owner' }));
    expect((await graphql(FIGURES, { hours: 1 }, owner)).errors).toBeUndefined();
  });

  test.each([0, 745])('for %i hours are refused', async (hours) => {
    expect(errorIn(await graphql(FIGURES, { hours }, viewer))).toEqual({
      message: 'hours must be between 1 and 744',
      code: 'BAD_USER_INPUT',
    });
  });
});

describe('a slow list of records', () => {
  const QUERY = `query ($className: String!, $filter: JSON, $orderBy: RecordOrder) {
    records(className: $className, filter: $filter, orderBy: $orderBy) { edges { node { id } } }
  }`;
  let developer: TestAdministrator;

  beforeAll(async () => {
    developer = await signedInAdministrator('developer');
    const fields = [
      { name: 'done', type: 'BOOLEAN' },
      { name: 'due', type: 'DATE' },
      { name: 'title', type: 'STRING', index: true },
    ];
    const define = 'mutation ($input: CreateClassInput!) { createClass(input: $input) { name } }';
    await execute(define, { input: { name: 'Task', fields } }, apiKey);
    const create = 'mutation ($r: [NewRecordInput!]!) { createRecords(className: "Task", records: $r) { id } }';
    await execute(create, { r: Array.from({ length: 50 }, () => ({ fields: { done: false } })) }, apiKey);
  });

  test.each<[name: string, listing: object, missingIndex: string[]]>([
    ['an order', { orderBy: { field: 'due', direction: 'ASC' } }, ['due']],
    [
      'a filter and an order',
      { filter: { done: { eq: true } }, orderBy: { field: 'due', direction: 'ASC' } },
      ['done', 'due'],
    ],
    ['an order that has an index', { orderBy: { field: 'title', direction: 'ASC' } }, []],
  ])('is logged with its class and the index that it lacks for %s', async (_name, listing, missingIndex) => {
    const variables = { className: 'Task', ...listing };
    const id = await request('/graphql', { as: apiKey, json: { query: QUERY, variables } });
    expect(await loggedRequest(id, developer)).toMatchObject({ className: 'Task', missingIndex });
  });

  test('is logged with its class over REST and over a socket', async () => {
    const id = await request('/data/Task.json?sort_asc=due', { as: apiKey });
    expect(await loggedRequest(id, developer)).toMatchObject({ className: 'Task', missingIndex: ['due'] });
    const socket = await connect(await createUser());
    await socket.run(
      'query OverSocket { records(className: "Task", orderBy: { field: "due", direction: ASC }) { edges { node { id } } } }',
    );
    await socket.close();
    const found = async () => {
      await storePending();
      return db.loggedRequest.findFirst({ where: { applicationId: APPLICATION.id, operation: 'OverSocket' } });
    };
    await until(async () => (await found()) !== null);
    expect(await found()).toMatchObject({ className: 'Task', missingIndex: ['due'] });
  });
});
