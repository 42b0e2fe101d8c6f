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

const SLOW = `query ($hours: Int!) {
  slowShapes(hours: $hours) { transport route operation requests averageMs maxMs lastAt }
}`;

describe('slowShapes', () => {
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
    expect((await execute(SLOW, { hours: 1 }, developer)).slowShapes).toEqual([
      {
        transport: 'GRAPHQL',
        route: '/graphql',
        operation: 'Feed',
        requests: 1,
        averageMs: 9_000,
        maxMs: 9_000,
        lastAt: ago(SECOND).toISOString(),
      },
      {
        transport: 'REST',
        route: '/users.json',
        operation: null,
        requests: 2,
        averageMs: 2_000,
        maxMs: 3_000,
        lastAt: ago(2 * SECOND).toISOString(),
      },
      expect.objectContaining({ operation: 'dialogs me', requests: 1 }),
    ]);
    const { slowShapes } = await execute(SLOW, { hours: 3 }, developer);
    expect(slowShapes[0]).toMatchObject({ route: '/users.json', requests: 3, maxMs: 60_000 });
  });

  test.each([0, 745])('for %i hours is refused', async (hours) => {
    expect(errorIn(await graphql(SLOW, { hours }, developer))).toEqual({
      message: 'hours must be between 1 and 744',
      code: 'BAD_USER_INPUT',
    });
  });

  test('is for developers, and without an application for owners of all', async () => {
    for (const role of ['support', 'viewer'] as const) {
      const answer = await graphql(SLOW, { hours: 1 }, await signedInAdministrator(role));
      expect(errorIn(answer)).toMatchObject({ code: 'FORBIDDEN' });
    }
    expect(errorIn(await graphql(SLOW, { hours: 1 }, withoutApplication(developer)))).toMatchObject({
      code: 'FORBIDDEN',
    });
    const owner = withoutApplication(await signedInAdministrator({ applicationId: null, role: 'owner' }));
    expect((await graphql(SLOW, { hours: 1 }, owner)).data).toEqual({ slowShapes: [] });
  });
});
