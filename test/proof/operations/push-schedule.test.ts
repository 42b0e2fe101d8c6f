import { expect, test } from 'vitest';
import { db } from '../../../src/db/client.ts';
import { APPLICATION, running, SAMPLE_TIME, useApp } from '../../support/app/app.ts';
import { startAnother } from '../../support/app/other-apps.ts';
import { until } from '../../support/clients/websocket.ts';
import { startApns } from '../../support/fakes/apns.ts';
import { appleToken, setUpApple, subscribeDevice } from '../../support/fixtures/pushes.ts';
import { createUser } from '../../support/fixtures/users.ts';

useApp();

test('several processes start each occurrence once', async () => {
  const apple = await startApns();
  await setUpApple(apple);
  const user = await createUser();
  await subscribeDevice(user, 'apns', { client_identification_sequence: appleToken(1) });
  const others = [await startAnother(), await startAnother()];
  const events = await db.event.createManyAndReturn({
    data: Array.from({ length: 300 }, () => ({
      applicationId: APPLICATION.id,
      userId: 0,
      eventType: 'one_shot' as const,
      environment: 'development' as const,
      channel: 'apns' as const,
      message: 'payload=e30=',
      active: true,
      dueAt: SAMPLE_TIME,
      userIds: [user.id],
      createdAt: SAMPLE_TIME,
      updatedAt: SAMPLE_TIME,
    })),
    select: { id: true },
  });
  running.app.services.pushNotifier.wake();
  const ids = events.map(({ id }) => id);
  await until(
    async () =>
      (await db.event.count({ where: { applicationId: APPLICATION.id, id: { in: ids }, active: true } })) === 0,
  );
  expect(await db.event.count({ where: { applicationId: APPLICATION.id, id: { in: ids }, occuredCount: 1 } })).toBe(
    300,
  );
  expect(
    await db.pushSend.count({
      where: { applicationId: APPLICATION.id, eventId: { in: ids }, delivered: 1, recipients: 1 },
    }),
  ).toBe(300);
  expect(apple.pushes).toHaveLength(300);
  expect(new Set(apple.pushes.map(({ headers }) => headers['apns-id'])).size).toBe(300);
  await Promise.all(others.map((other) => other.stop()));
  await apple.down();
});
