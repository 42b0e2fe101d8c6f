import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { App } from '../../../src/server/lifecycle.ts';
import { running, useApp } from '../../support/app/app.ts';
import { startAnother } from '../../support/app/other-apps.ts';
import { throughGraphQL, throughRest } from '../../support/clients/chat-transports.ts';
import { DIALOG_EVENTS, eventsOf, Sentinel, whileMessagesAreLocked } from '../../support/clients/live.ts';
import { streamEvents } from '../../support/clients/sse.ts';
import { closeSockets, listen, until } from '../../support/clients/websocket.ts';
import { createDialog, execute, MESSAGE_SENT, type QuickUser, quickUsers, send } from '../../support/fixtures/chat.ts';
import { apiKey, type Caller, createUser } from '../../support/fixtures/users.ts';

useApp();

let second: App;

beforeEach(async () => {
  second = await startAnother();
});

afterEach(async () => {
  await closeSockets();
  await second.stop();
});

const subscriptionTo = (field: string) =>
  `subscription ($dialogId: ID!) { ${field}(dialogId: $dialogId) { __typename } }`;
const FIELDS = ['messageSent', 'reactionAdded', 'reactionRemoved', 'dialogEvents', 'typing'];

/** A subscription to one dialog: the types of its events, and its graceful end. */
interface Opened {
  notified: () => string[];
  completed: Promise<unknown>;
}

async function open(field: string, dialogId: string, as: Caller, app: App): Promise<Opened[]> {
  const { socket, payloads: received } = await listen(subscriptionTo(field), { dialogId }, as, app);
  const before = app.services.hub.subscriptionCount;
  const stream = await streamEvents(subscriptionTo(field), { dialogId }, as, app);
  await until(() => app.services.hub.subscriptionCount > before);
  return [
    {
      notified: () => received().map((payload) => payload[field].__typename),
      completed: socket.find(({ type }) => type === 'complete'),
    },
    { notified: () => stream.results.map(({ data }) => data[field].__typename), completed: stream.ended },
  ];
}

async function cast() {
  const [alice, bob, carol, ringer] = (await quickUsers(4)) as [QuickUser, QuickUser, QuickUser, QuickUser];
  return {
    alice,
    bob,
    carol,
    dialogId: await createDialog(alice, [bob, carol]),
    sentinel: await Sentinel.create(ringer),
  };
}

type Stage = Awaited<ReturnType<typeof cast>>;

const LOSSES: [name: string, lose: (cast: Stage) => Promise<unknown>][] = [
  ['leaves by deleting the dialog', ({ bob, dialogId }) => throughRest.deleteDialog(bob, dialogId)],
  ['leaves by an update', ({ bob, dialogId }) => throughGraphQL.update(bob, dialogId, { leave: [bob] })],
  ['is removed by the owner', ({ alice, bob, dialogId }) => throughRest.update(alice, dialogId, { leave: [bob] })],
  ['is removed by an API key', ({ bob, dialogId }) => throughGraphQL.update(apiKey, dialogId, { leave: [bob] })],
  ['has it destroyed by the owner', ({ alice, dialogId }) => throughRest.deleteDialog(alice, dialogId, true)],
];

describe.each(LOSSES)('an occupant who %s', (name, lose) => {
  test('their subscriptions to the dialog complete on every process; those to all dialogs continue without it', async () => {
    const staged = await cast();
    const { alice, bob, carol, dialogId, sentinel } = staged;
    const other = await createDialog(alice, [bob]);
    const ofDialog: Opened[] = [];
    for (const field of FIELDS) {
      for (const app of [running.app, second]) ofDialog.push(...(await open(field, dialogId, bob, app)));
    }
    const ofAll = [await listen(DIALOG_EVENTS, {}, bob), await listen(DIALOG_EVENTS, {}, bob, second)];
    const ofCarol = await listen(DIALOG_EVENTS, {}, carol);
    await lose(staged);
    await Promise.all(ofDialog.map(({ completed }) => completed));

    const isDestroyed = name.includes('destroyed');
    if (!isDestroyed) await throughRest.react(alice, await send(alice, dialogId, 'after'), 'like');
    await send(alice, other, 'elsewhere');
    const [receivedByCarol] = await sentinel.receivedBy(ofCarol);
    if (!isDestroyed) expect(receivedByCarol!.map((event) => event.message?.text)).toContain('after');
    for (const events of await sentinel.receivedBy(...ofAll)) {
      expect(events).toMatchObject([
        { __typename: 'DialogRemoved', dialogId, removal: isDestroyed ? 'DESTROYED' : 'LEFT' },
        { __typename: 'MessageSent', dialogId: other },
      ]);
    }
    const notified = ofDialog.map((one) => one.notified());
    const quarter = FIELDS.flatMap((field) => Array(4).fill(field === 'dialogEvents' ? ['DialogRemoved'] : []));
    expect(notified).toEqual(quarter);
    const code = isDestroyed ? 'NOT_FOUND' : 'FORBIDDEN';
    await expect(listen(MESSAGE_SENT, { dialogId }, bob)).rejects.toMatchObject([{ extensions: { code } }]);
  });

  test('an old cursor of theirs returns no further events of the dialog', async () => {
    const staged = await cast();
    const { alice, bob, dialogId, sentinel } = staged;
    const since = (await execute('{ changes { cursor } }', {}, bob)).changes.cursor;
    const id = await send(alice, dialogId, 'before');
    await throughRest.react(alice, id, 'like');
    await lose(staged);
    for (const app of [running.app, second]) {
      const resumed = [
        await listen(DIALOG_EVENTS, { since }, bob, app),
        await listen(MESSAGE_SENT, { since }, bob, app),
      ];
      const [events] = await sentinel.receivedBy(resumed[0]!);
      expect(events!.map((event) => event.__typename)).toEqual(['DialogRemoved']);
      await resumed[1]!.atLeast(1);
      expect(resumed[1]!.payloads().every((event) => event.messageSent.dialogId !== dialogId)).toBe(true);
    }
    const refused = listen(DIALOG_EVENTS, { since, dialogId }, bob);
    await expect(refused).rejects.toMatchObject([
      { extensions: { code: expect.stringMatching(/FORBIDDEN|NOT_FOUND/) } },
    ]);
  });
});

describe('subscriptions of others', () => {
  test('subscriptions to a deleted dialog complete for all users and API keys', async () => {
    const { alice, bob, dialogId } = await cast();
    const lobby = await createDialog(alice, [], 'PUBLIC_GROUP');
    const opened: Opened[] = [];
    for (const app of [running.app, second]) {
      for (const as of [alice, bob, apiKey]) opened.push(...(await open('messageSent', lobby, as, app)));
      opened.push(...(await open('messageSent', dialogId, apiKey, app)));
    }
    for (const id of [lobby, dialogId]) await throughRest.deleteDialog(alice, id, true);
    await Promise.all(opened.map(({ completed }) => completed));
  });

  test('subscriptions to a hidden private dialog continue, because the next message shows it again', async () => {
    const { alice, bob } = await cast();
    const dialogId = await throughRest.createPrivate(alice, bob);
    const received = [
      await listen(DIALOG_EVENTS, { dialogId }, bob),
      await listen(DIALOG_EVENTS, { dialogId }, bob, second),
    ];
    const stream = await streamEvents(DIALOG_EVENTS, { dialogId }, bob);
    await until(() => running.app.services.hub.subscriptionCount === 2);
    await throughRest.deleteDialog(bob, dialogId);
    await send(alice, dialogId, 'It is back');
    const expected = [{ removal: 'HIDDEN' }, { message: { text: 'It is back' } }];
    for (const one of received) {
      await one.atLeast(2);
      expect(eventsOf(one)).toMatchObject(expected);
    }
    await until(() => stream.results.length === 2);
    expect(stream.results.map(({ data }) => data.dialogEvents)).toMatchObject(expected);
    stream.abort();
  });

  test('a user who rejoins a dialog receives its events from then on', async () => {
    const { alice, bob, dialogId, sentinel } = await cast();
    const ofAll = await listen(DIALOG_EVENTS, {}, bob);
    const hers = await listen(MESSAGE_SENT, { dialogId }, alice);
    await throughRest.update(alice, dialogId, { leave: [bob] });
    await send(alice, dialogId, 'meanwhile');
    await hers.atLeast(1);
    await throughRest.update(alice, dialogId, { join: [bob] });
    await ofAll.atLeast(2);
    const ofDialog = await listen(DIALOG_EVENTS, { dialogId }, bob);
    await send(alice, dialogId, 'welcome');
    const [events] = await sentinel.receivedBy(ofAll);
    expect(events!.map((event) => event.message?.text ?? event.__typename)).toEqual([
      'DialogRemoved',
      'DialogChanged',
      'welcome',
    ]);
    await ofDialog.atLeast(1);
    expect(eventsOf(ofDialog)).toMatchObject([{ message: { text: 'welcome' } }]);
  });
});

describe('an event in flight', () => {
  /** `first` executes the query whose result the other subscriber shares. */
  test.each(['bob', 'carol'] as const)(
    'an event in flight is not delivered to a user removed in the meantime, when %s subscribed first',
    async (first) => {
      const { alice, bob, carol, dialogId } = await cast();
      const users = first === 'bob' ? [bob, carol] : [carol, bob];
      const received = new Map<QuickUser, Awaited<ReturnType<typeof listen>>[]>();
      for (const user of users) {
        received.set(user, [await listen(MESSAGE_SENT, { dialogId }, user), await listen(MESSAGE_SENT, {}, user)]);
      }
      const { hub } = running.app.services;
      const id = await send(alice, dialogId, 'before');
      for (const one of [...received.values()].flat()) await one.atLeast(1);
      const { removals } = hub;
      await whileMessagesAreLocked({ dialogId, messageId: id }, async (query) => {
        // Selects no messages, which are locked.
        const leave =
          'mutation ($id: ID!, $ids: [Int!]) { updateDialog(id: $id, input: { removeOccupantIds: $ids }) { id } }';
        await execute(leave, { id: dialogId, ids: [bob.id] }, alice);
        await until(() => hub.removals > removals);
        // An execution for another subscriber after the removal would show this text to Bob.
        await query('UPDATE messages SET text = $2 WHERE id = $1', [id, 'after']);
      });
      for (const one of received.get(carol)!) await one.atLeast(2);
      const [ofDialog, ofAll] = received.get(bob)!;
      await ofDialog!.socket.find(({ type }) => type === 'complete');
      await send(alice, await createDialog(alice, [bob]), 'elsewhere');
      await ofAll!.atLeast(2);
      const textsOf = (one = ofAll) => one!.payloads().map(({ messageSent }) => messageSent.message.text);
      expect([textsOf(ofDialog), textsOf()]).toEqual([['before'], ['before', 'elsewhere']]);
      expect(textsOf(received.get(carol)![0])).toEqual(['before', 'after']);
    },
  );

  test('an event in flight is not delivered to a session that ended in the meantime', async () => {
    const [alice, bob] = [await createUser(), await createUser()];
    const dialogId = await createDialog(alice, [bob]);
    const stream = await streamEvents(MESSAGE_SENT, { dialogId }, bob);
    const socket = await listen(MESSAGE_SENT, { dialogId }, bob);
    await until(() => running.app.services.hub.subscriptionCount === 2);
    const id = await send(alice, dialogId, 'before');
    await until(() => stream.results.length === 1 && socket.payloads().length === 1);
    await whileMessagesAreLocked({ dialogId, messageId: id, times: 20 }, async () => {
      await execute('mutation { deleteSession }', {}, bob);
      await until(() => running.app.services.hub.subscriptionCount === 0);
    });
    await stream.ended;
    expect((await socket.socket.closed).code).toBe(4403);
    expect([stream.results.length, socket.payloads().length]).toEqual([1, 1]);
  });
});

describe('a user removed while subscribing', () => {
  test.each(['before it was registered', 'once it was registered'])(
    'a user removed while subscribing gets no subscription: %s',
    async (moment) => {
      const { alice, bob, carol, dialogId } = await cast();
      const { hub } = running.app.services;
      const witness = await listen(DIALOG_EVENTS, { dialogId }, carol);
      const { subscribe } = hub;
      const removed = async () => {
        const { removals } = hub;
        await throughGraphQL.update(alice, dialogId, { leave: [bob] });
        await until(() => hub.removals > removals);
      };
      hub.subscribe = async (...args) => {
        hub.subscribe = subscribe;
        if (moment.startsWith('before')) await removed();
        const taken = await subscribe.apply(hub, args);
        if (moment.startsWith('once')) await removed();
        return taken;
      };
      // The subscription exists until the rights are checked again, so the refusal may arrive after it.
      const end = await listen(DIALOG_EVENTS, { dialogId }, bob).then(
        async ({ socket }) =>
          (await socket.find(({ type, payload }) => payload?.errors || type === 'complete')).payload,
        (errors) => ({ errors }),
      );
      if (moment.startsWith('before')) expect(end.errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
      await send(alice, dialogId, 'after');
      await until(() => witness.payloads().some(({ dialogEvents }) => dialogEvents.__typename === 'MessageSent'));
      expect(hub.subscriptionCount).toBe(1);
    },
  );
});
