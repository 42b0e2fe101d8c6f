import { beforeAll, describe, expect, test } from 'vitest';
import { db } from '../../../src/db/client.ts';
import { HOUR, SECOND } from '../../../src/lib/time.ts';
import { running, useApp } from '../../support/app/app.ts';
import { createTenant } from '../../support/app/other-apps.ts';
import { graphql } from '../../support/clients/graphql.ts';
import {
  errorIn,
  signedInAdministrator,
  type TestAdministrator,
  withoutApplication,
} from '../../support/fixtures/administrators.ts';
import { execute } from '../../support/fixtures/chat.ts';
import { slowRequest } from '../../support/fixtures/request-log.ts';

useApp();

const SHAPES = `query ($hours: Int!, $filter: RequestLogFilter) {
  requestShapes(hours: $hours, filter: $filter) { transport route operation className missingIndex requests averageMs maxMs lastAt }
}`;

describe('requestShapes', () => {
  let developer: TestAdministrator;
  const ago = (milliseconds: number) => new Date(running.now().getTime() - milliseconds);

  beforeAll(async () => {
    developer = await signedInAdministrator('developer');
    const users = { transport: 'rest', route: '/users.json' } as const;
    const named = { transport: 'graphql', route: '/graphql', operation: 'Feed', fields: ['dialogs'] } as const;
    const other = await createTenant(1);
    await db.loggedRequest.createMany({
      data: [
        slowRequest(1, { ...users, durationMs: 1_000, at: ago(3 * SECOND) }),
        slowRequest(2, { ...users, durationMs: 3_000, at: ago(2 * SECOND) }),
        slowRequest(3, { ...named, durationMs: 9_000, at: ago(SECOND) }),
        slowRequest(4, { ...named, operation: null, fields: ['dialogs', 'me'], durationMs: 2_000, at: ago(SECOND) }),
        slowRequest(5, { ...users, durationMs: 60_000, at: ago(2 * HOUR) }),
        slowRequest(6, { ...users, durationMs: 500, isSlow: false, status: 500, at: ago(SECOND) }),
        { ...slowRequest(7, { ...users, durationMs: 60_000, at: ago(SECOND) }), applicationId: other.applicationId },
      ],
    });
  });

  test('groups slow requests of the period, those that took the most time in total first', async () => {
    expect((await execute(SHAPES, { hours: 1, filter: { slowOnly: true } }, developer)).requestShapes).toEqual([
      {
        transport: 'GRAPHQL',
        route: '/graphql',
        operation: 'Feed',
        className: null,
        missingIndex: [],
        requests: 1,
        averageMs: 9_000,
        maxMs: 9_000,
        lastAt: ago(SECOND).toISOString(),
      },
      {
        transport: 'REST',
        route: '/users.json',
        operation: null,
        className: null,
        missingIndex: [],
        requests: 2,
        averageMs: 2_000,
        maxMs: 3_000,
        lastAt: ago(2 * SECOND).toISOString(),
      },
      expect.objectContaining({ operation: 'dialogs me', requests: 1 }),
    ]);
    const { requestShapes } = await execute(SHAPES, { hours: 3, filter: { slowOnly: true } }, developer);
    expect(requestShapes[0]).toMatchObject({ route: '/users.json', requests: 3, maxMs: 60_000 });
  });

  test('counts failed requests of the period, the most frequent ones first', async () => {
    const at = ago(4 * HOUR);
    const failed = { isSlow: false, status: 404, durationMs: 3, at } as const;
    await db.loggedRequest.createMany({
      data: [
        slowRequest(8, { ...failed, route: '/blobs/:id.json' }),
        slowRequest(9, { ...failed, route: '/blobs/:id.json' }),
        slowRequest(10, { ...failed, route: '/users.json', durationMs: 90 }),
      ],
    });
    const { requestShapes } = await execute(
      SHAPES,
      { hours: 5, filter: { minStatus: 400, maxStatus: 499 } },
      developer,
    );
    expect(requestShapes).toMatchObject([
      { route: '/blobs/:id.json', requests: 2 },
      { route: '/users.json', requests: 1 },
    ]);
  });

  test('separates the lists of one operation by class and missing index', async () => {
    const at = ago(7 * HOUR);
    const list = { transport: 'graphql', route: '/graphql', operation: 'Board', fields: ['records'], at } as const;
    await db.loggedRequest.createMany({
      data: [
        slowRequest(11, { ...list, className: 'Task', missingIndex: ['done', 'due'], durationMs: 9_000 }),
        slowRequest(12, { ...list, className: 'Task', missingIndex: ['done', 'due'] }),
        slowRequest(13, { ...list, className: 'Note' }),
      ],
    });
    const { requestShapes } = await execute(
      SHAPES,
      { hours: 8, filter: { slowOnly: true, contains: 'Board' } },
      developer,
    );
    expect(requestShapes).toMatchObject([
      { operation: 'Board', className: 'Task', missingIndex: ['done', 'due'], requests: 2 },
      { operation: 'Board', className: 'Note', missingIndex: [], requests: 1 },
    ]);
  });

  test.each([0, 745])('for %i hours is refused', async (hours) => {
    expect(errorIn(await graphql(SHAPES, { hours }, developer))).toEqual({
      message: 'hours must be between 1 and 744',
      code: 'BAD_USER_INPUT',
    });
  });

  test('is for developers, and without an application for owners of all', async () => {
    for (const role of ['support', 'viewer'] as const) {
      const answer = await graphql(SHAPES, { hours: 1 }, await signedInAdministrator(role));
      expect(errorIn(answer)).toMatchObject({ code: 'FORBIDDEN' });
    }
    expect(errorIn(await graphql(SHAPES, { hours: 1 }, withoutApplication(developer)))).toMatchObject({
      code: 'FORBIDDEN',
    });
    const owner = withoutApplication(await signedInAdministrator({ applicationId: null, role: 'owner' }));
    expect((await graphql(SHAPES, { hours: 1 }, owner)).data).toEqual({ requestShapes: [] });
  });
});
