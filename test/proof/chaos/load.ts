import { expect } from 'vitest';
import { findDifferences } from '../../support/app/integrity.ts';
import type { Service } from '../../support/app/service.ts';
import { until } from '../../support/app/until.ts';
import { Random } from '../../support/fixtures/random.ts';
import {
  expectedOf,
  expectReceivedOnce,
  expectStoredOnce,
  faultsIn,
  hasReceivedAll,
  notifiedEvents,
} from './assertions.ts';
import { createChaosFixture, dialogsOf } from './fixture.ts';
import { Listener } from './listener.ts';
import { Writer } from './writer.ts';

export interface Load {
  random: Random;
  /** A writer or listener has failed. */
  isOver: () => boolean;
  /** Waits until the service acknowledges another message. @returns after how many milliseconds */
  nextAcknowledged: () => Promise<number>;
  /** From now on, a request that fails twice fails the test. */
  repeatOnce: () => void;
}

/**
 * Writes and listens while `disturb` runs. Then verifies that every acknowledged message is stored once, and that every
 * listener has received every event once and in order.
 */
export async function underLoad(
  services: Service[],
  seed: number,
  disturb: (load: Load) => Promise<void>,
): Promise<void> {
  const random = new Random(seed);
  const set = await createChaosFixture(random, { users: 8, dialogs: 4 });
  const urls = () => services.map(({ url }) => url);
  const listeners = Array.from({ length: 9 }, (_, nth) => {
    const user = random.pick(set.users);
    const dialogId = nth % 2 ? random.pick(dialogsOf(set, user)) : undefined;
    const via = (['socket', 'stream', 'polls'] as const)[nth % 3]!;
    return new Listener(
      { user, dialogId, via, withMessages: nth % 2 === 0, since: set.since },
      urls,
      new Random(seed + nth),
    );
  });
  const writers = Array.from({ length: 6 }, (_, nth) => {
    const user = random.pick(set.users);
    return new Writer(user, dialogsOf(set, user), urls, new Random(seed + 100 + nth), nth);
  });
  const listening = listeners.map((listener) => listener.listen());
  let isOver = false;
  const writing = Promise.all(writers.map((writer) => writer.writeUntil(() => isOver)));
  writing.catch(() => {
    isOver = true;
  });

  const acknowledged = () => writers.reduce((sum, writer) => sum + writer.acknowledged.length, 0);
  await disturb({
    random,
    isOver: () => isOver,
    nextAcknowledged: async () => {
      const [begunAt, before] = [performance.now(), acknowledged()];
      await until(() => isOver || acknowledged() > before);
      return Math.round(performance.now() - begunAt);
    },
    repeatOnce: () => {
      for (const writer of writers) writer.repeatsOnce = true;
    },
  });
  isOver = true;
  await writing;

  const last = set.dialogs.map(({ id, users }) => new Writer(users[0]!, [id], urls, random, `last ${id}`));
  for (const [nth, writer] of last.entries()) await writer.send(set.dialogs[nth]!.id);
  const notified = await notifiedEvents(set.since);
  await until(() => listeners.every((one) => hasReceivedAll(one, notified, set)));
  for (const listener of listeners) listener.stop();
  await Promise.all(listening);

  await expectStoredOnce([...writers, ...last].flatMap((writer) => writer.acknowledged));
  for (const listener of listeners) expectReceivedOnce(listener, expectedOf(listener, notified, set));
  expect(await findDifferences()).toEqual([]);
  expect(services.flatMap(({ output }) => faultsIn(output()))).toEqual([]);
}
