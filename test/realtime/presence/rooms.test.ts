import { afterEach, describe, expect, test } from 'vitest';
import type { RoomChange } from '../../../src/realtime/rooms.ts';
import { APPLICATION, running, useApp } from '../../support/app/app.ts';
import { TestClock } from '../../support/app/clock.ts';
import { startAnother } from '../../support/app/other-apps.ts';
import { closeSockets, listen, until } from '../../support/clients/websocket.ts';
import { createDialog, errorOf, execute, type QuickUser, quickUsers } from '../../support/fixtures/chat.ts';
import { apiKey, type Caller } from '../../support/fixtures/users.ts';

useApp();

afterEach(() => closeSockets());

const applicationId = APPLICATION.id;
const JOINED = 'query ($id: ID!) { dialog(id: $id) { joinedUserIds } }';
const joinedIn = async (id: string, as: Caller) => (await execute(JOINED, { id }, as)).dialog.joinedUserIds;

describe('rooms', () => {
  test('the users who have joined are the same in every process, each once', async () => {
    const another = await startAnother();
    const [here, there] = [running.app.services.rooms, another.services.rooms];
    const [alice, bob] = (await quickUsers(2)) as [QuickUser, QuickUser];
    const dialogId = await createDialog(alice, [bob]);
    const changes: RoomChange[] = [];
    const stop = there.onChange((change) => changes.push(change));
    const of = ({ id: userId }: QuickUser, resource: string) => ({ applicationId, userId, resource });

    const disconnect = here.connect(of(alice, 'phone'));
    const leaves = [here.join(dialogId, of(alice, 'phone')), there.join(dialogId, of(alice, 'web é"'))];
    await until(() => there.resources({ applicationId, userId: alice.id }).includes('phone'));
    await until(
      () => here.joined(applicationId, dialogId).length === 1 && there.joined(applicationId, dialogId).length === 1,
    );
    here.join(dialogId, of(bob, 'phone'));
    await until(() => there.isJoined(applicationId, dialogId, bob.id));
    expect(await joinedIn(dialogId, alice)).toEqual([alice.id, bob.id].sort((a, b) => a - b));
    expect(await joinedIn(dialogId, apiKey)).toHaveLength(2);

    leaves[0]!();
    leaves[0]!();
    disconnect();
    await until(() => there.resources({ applicationId, userId: alice.id }).length === 0);
    expect(there.isJoined(applicationId, dialogId, alice.id)).toBe(true);
    leaves[1]!();
    await until(() => !here.isJoined(applicationId, dialogId, alice.id));
    expect(await joinedIn(dialogId, bob)).toEqual([bob.id]);
    const ofAlice = changes.filter(({ userId }) => userId === alice.id);
    expect(ofAlice.filter((change) => 'dialogId' in change)).toEqual([
      { applicationId, userId: alice.id, dialogId, isJoined: true },
      { applicationId, userId: alice.id, dialogId, isJoined: false },
    ]);
    expect(ofAlice.filter((change) => 'resource' in change)).toEqual([
      { ...of(alice, 'phone'), isAvailable: true },
      { ...of(alice, 'phone'), isAvailable: false },
    ]);
    stop();
    await another.stop();
    await until(() => here.joined(applicationId, dialogId).length === 1);
  });

  test('the users of a process leave when it stops, or 20 seconds after it was killed', async () => {
    const clock = new TestClock();
    const observer = await startAnother({ liveClock: clock });
    const { rooms } = observer.services;
    const silent = await startAnother({ liveClock: new TestClock() });
    const stopping = await startAnother();
    const [dialogId, userId] = ['d'.repeat(24), 7];
    silent.services.rooms.join(dialogId, { applicationId, userId, resource: 'phone' });
    stopping.services.rooms.join(dialogId, { applicationId, userId: 8, resource: 'phone' });
    await until(() => rooms.joined(applicationId, dialogId).length === 2);
    await stopping.stop();
    await until(() => rooms.joined(applicationId, dialogId).length === 1);
    clock.advance(20_000);
    expect(rooms.joined(applicationId, dialogId)).toEqual([userId]);
    clock.advance(5_000);
    expect(rooms.joined(applicationId, dialogId)).toEqual([]);
    await Promise.all([observer.stop(), silent.stop()]);
  });

  test('a process that starts later knows thousands of joins', async () => {
    const { rooms } = running.app.services;
    const dialogIds = Array.from({ length: 2_000 }, (_, nth) => String(nth).padStart(24, '0'));
    const leaves = dialogIds.map((id) => rooms.join(id, { applicationId, userId: 9, resource: 'x'.repeat(255) }));
    const late = await startAnother();
    await until(() => dialogIds.every((id) => late.services.rooms.isJoined(applicationId, id, 9)));
    for (const leave of leaves) leave();
    await until(() => !dialogIds.some((id) => late.services.rooms.isJoined(applicationId, id, 9)));
    await late.stop();
  });

  test('outsiders do not see who has joined', async () => {
    const [alice, bob, carol] = (await quickUsers(3)) as [QuickUser, QuickUser, QuickUser];
    const id = await createDialog(alice, [bob]);
    expect(await errorOf(JOINED, { id }, carol)).toMatchObject({ code: 'FORBIDDEN' });
  });
});

describe('removals', () => {
  const EVENTS = 'subscription { dialogEvents { ... on DialogRemoved { dialogId removal initiatorId } } }';

  test('a removal names the user who acted, and none for an API key', async () => {
    const [alice, bob] = (await quickUsers(2)) as [QuickUser, QuickUser];
    const received = await listen(EVENTS, {}, bob);
    const remove = (id: string, as: Caller) =>
      execute(`mutation { updateDialog(id: "${id}", input: { removeOccupantIds: [${bob.id}] }) { id } }`, {}, as);
    const destroy = (id: string, as: Caller) => execute(`mutation { deleteDialog(id: "${id}", force: true) }`, {}, as);
    const leave = (id: string) => execute(`mutation { deleteDialog(id: "${id}", force: false) }`, {}, bob);
    const expected: [string, string, number | null][] = [];
    for (const [act, as, removal, initiatorId] of [
      [remove, alice, 'LEFT', alice.id],
      [remove, apiKey, 'LEFT', null],
      [leave, bob, 'LEFT', bob.id],
      [destroy, alice, 'DESTROYED', alice.id],
      [destroy, apiKey, 'DESTROYED', null],
    ] as const) {
      const id = await createDialog(alice, [bob]);
      await act(id, as);
      expected.push([id, removal, initiatorId]);
    }
    const removals = () => received.payloads().flatMap(({ dialogEvents: one }) => (one.removal ? [one] : []));
    await until(() => removals().length === expected.length);
    expect(removals().map((one) => [one.dialogId, one.removal, one.initiatorId])).toEqual(expected);
  });
});
