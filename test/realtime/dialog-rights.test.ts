import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { App } from '../../src/server/lifecycle.ts';
import { running, useApp } from '../support/app.ts';
import { ask, createDialog, MESSAGE_SENT, type QuickUser, quickUsers, send } from '../support/chat.ts';
import { throughGraphQL, throughRest } from '../support/doors.ts';
import { Bell, DIALOG_EVENTS, eventsOf, whileMessagesAreHeld } from '../support/live.ts';
import { startAnother } from '../support/other-apps.ts';
import { closeSockets, listen, until } from '../support/sockets.ts';
import { streamEvents } from '../support/sse.ts';
import { apiKey, type Caller, createUser } from '../support/users.ts';

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

/** A subscription to one dialog: what it has told, and its end in good order. */
interface Opened {
  told: () => string[];
  completed: Promise<unknown>;
}

async function open(field: string, dialogId: string, as: Caller, app: App): Promise<Opened[]> {
  const { socket, heard } = await listen(subscriptionTo(field), { dialogId }, as, app);
  const before = app.services.hub.watchCount;
  const stream = await streamEvents(subscriptionTo(field), { dialogId }, as, app);
  await until(() => app.services.hub.watchCount > before);
  return [
    {
      told: () => heard().map((payload) => payload[field].__typename),
      completed: socket.find(({ type }) => type === 'complete'),
    },
    { told: () => stream.results.map(({ data }) => data[field].__typename), completed: stream.ended },
  ];
}

async function stage() {
  const [alice, bob, carol, ringer] = (await quickUsers(4)) as [QuickUser, QuickUser, QuickUser, QuickUser];
  return { alice, bob, carol, dialogId: await createDialog(alice, [bob, carol]), bell: await Bell.hung(ringer) };
}

type Stage = Awaited<ReturnType<typeof stage>>;

const LOSSES: [name: string, lose: (stage: Stage) => Promise<unknown>][] = [
  ['leaves by deleting the dialog', ({ bob, dialogId }) => throughRest.deleteDialog(bob, dialogId)],
  ['leaves by an update', ({ bob, dialogId }) => throughGraphQL.update(bob, dialogId, { leave: [bob] })],
  ['is removed by the owner', ({ alice, bob, dialogId }) => throughRest.update(alice, dialogId, { leave: [bob] })],
  ['is removed by an API key', ({ bob, dialogId }) => throughGraphQL.update(apiKey, dialogId, { leave: [bob] })],
  ['has it destroyed by the owner', ({ alice, dialogId }) => throughRest.deleteDialog(alice, dialogId, true)],
];

describe.each(LOSSES)('an occupant who %s', (name, lose) => {
  test('has each subscription to it completed, on every process; one to all dialogs goes on without it', async () => {
    const staged = await stage();
    const { alice, bob, carol, dialogId, bell } = staged;
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
    const [heardByCarol] = await bell.heardBy(ofCarol);
    if (!isDestroyed) expect(heardByCarol!.map((event) => event.message?.text)).toContain('after');
    for (const events of await bell.heardBy(...ofAll)) {
      expect(events).toMatchObject([
        { __typename: 'DialogRemoved', dialogId, removal: isDestroyed ? 'DESTROYED' : 'LEFT' },
        { __typename: 'MessageSent', dialogId: other },
      ]);
    }
    const told = ofDialog.map((one) => one.told());
    const quarter = FIELDS.flatMap((field) => Array(4).fill(field === 'dialogEvents' ? ['DialogRemoved'] : []));
    expect(told).toEqual(quarter);
    const code = isDestroyed ? 'NOT_FOUND' : 'FORBIDDEN';
    await expect(listen(MESSAGE_SENT, { dialogId }, bob)).rejects.toMatchObject([{ extensions: { code } }]);
  });

  test('gets nothing more of it with an old cursor', async () => {
    const staged = await stage();
    const { alice, bob, dialogId, bell } = staged;
    const since = (await ask('{ changes { cursor } }', {}, bob)).changes.cursor;
    const id = await send(alice, dialogId, 'before');
    await throughRest.react(alice, id, 'like');
    await lose(staged);
    for (const app of [running.app, second]) {
      const resumed = [
        await listen(DIALOG_EVENTS, { since }, bob, app),
        await listen(MESSAGE_SENT, { since }, bob, app),
      ];
      const [events] = await bell.heardBy(resumed[0]!);
      expect(events!.map((event) => event.__typename)).toEqual(['DialogRemoved']);
      await resumed[1]!.atLeast(1);
      expect(resumed[1]!.heard().every((event) => event.messageSent.dialogId !== dialogId)).toBe(true);
    }
    const refused = listen(DIALOG_EVENTS, { since, dialogId }, bob);
    await expect(refused).rejects.toMatchObject([
      { extensions: { code: expect.stringMatching(/FORBIDDEN|NOT_FOUND/) } },
    ]);
  });
});

describe('subscriptions of others', () => {
  test('to a public group end for everybody once it is destroyed, and for API keys', async () => {
    const { alice, bob, dialogId } = await stage();
    const lobby = await createDialog(alice, [], 'PUBLIC_GROUP');
    const opened: Opened[] = [];
    for (const app of [running.app, second]) {
      for (const as of [alice, bob, apiKey]) opened.push(...(await open('messageSent', lobby, as, app)));
      opened.push(...(await open('messageSent', dialogId, apiKey, app)));
    }
    for (const id of [lobby, dialogId]) await throughRest.deleteDialog(alice, id, true);
    await Promise.all(opened.map(({ completed }) => completed));
  });

  test('to a private dialog go on for who hides it, since the next message shows it again', async () => {
    const { alice, bob } = await stage();
    const dialogId = await throughRest.createPrivate(alice, bob);
    const heard = [
      await listen(DIALOG_EVENTS, { dialogId }, bob),
      await listen(DIALOG_EVENTS, { dialogId }, bob, second),
    ];
    const stream = await streamEvents(DIALOG_EVENTS, { dialogId }, bob);
    await until(() => running.app.services.hub.watchCount === 2);
    await throughRest.deleteDialog(bob, dialogId);
    await send(alice, dialogId, 'It is back');
    const expected = [{ removal: 'HIDDEN' }, { message: { text: 'It is back' } }];
    for (const one of heard) {
      await one.atLeast(2);
      expect(eventsOf(one)).toMatchObject(expected);
    }
    await until(() => stream.results.length === 2);
    expect(stream.results.map(({ data }) => data.dialogEvents)).toMatchObject(expected);
    stream.abort();
  });

  test('who comes back hears what is said from then on', async () => {
    const { alice, bob, dialogId, bell } = await stage();
    const ofAll = await listen(DIALOG_EVENTS, {}, bob);
    await throughRest.update(alice, dialogId, { leave: [bob] });
    await send(alice, dialogId, 'meanwhile');
    await throughRest.update(alice, dialogId, { join: [bob] });
    const ofDialog = await listen(DIALOG_EVENTS, { dialogId }, bob);
    await send(alice, dialogId, 'welcome');
    const [events] = await bell.heardBy(ofAll);
    expect(events!.map((event) => event.message?.text ?? event.__typename)).toEqual([
      'DialogRemoved',
      'DialogChanged',
      'welcome',
    ]);
    await ofDialog.atLeast(1);
    expect(eventsOf(ofDialog)).toMatchObject([{ message: { text: 'welcome' } }]);
  });
});

describe('an event that is on its way', () => {
  /** `first` is the one whose answer the other shares. */
  test.each(['bob', 'carol'] as const)(
    'is not told to who is removed meanwhile, when %s listens first',
    async (first) => {
      const { alice, bob, carol, dialogId } = await stage();
      const users = first === 'bob' ? [bob, carol] : [carol, bob];
      const heard = new Map<QuickUser, Awaited<ReturnType<typeof listen>>[]>();
      for (const user of users) {
        heard.set(user, [await listen(MESSAGE_SENT, { dialogId }, user), await listen(MESSAGE_SENT, {}, user)]);
      }
      const { hub } = running.app.services;
      const id = await send(alice, dialogId, 'before');
      for (const one of [...heard.values()].flat()) await one.atLeast(1);
      const { removals } = hub;
      await whileMessagesAreHeld({ dialogId, messageId: id }, async (query) => {
        await throughGraphQL.update(alice, dialogId, { leave: [bob] });
        await until(() => hub.removals > removals);
        // Were it read for somebody else, it would show what is none of Bob's business any more.
        await query('UPDATE messages SET text = $2 WHERE id = $1', [id, 'after']);
      });
      for (const one of heard.get(carol)!) await one.atLeast(2);
      const [ofDialog, ofAll] = heard.get(bob)!;
      await ofDialog!.socket.find(({ type }) => type === 'complete');
      await send(alice, await createDialog(alice, [bob]), 'elsewhere');
      await ofAll!.atLeast(2);
      const textsOf = (one = ofAll) => one!.heard().map(({ messageSent }) => messageSent.message.text);
      expect([textsOf(ofDialog), textsOf()]).toEqual([['before'], ['before', 'elsewhere']]);
      expect(textsOf(heard.get(carol)![0])).toEqual(['before', 'after']);
    },
  );

  test('is not told on a stream whose session ends meanwhile', async () => {
    const [alice, bob] = [await createUser(), await createUser()];
    const dialogId = await createDialog(alice, [bob]);
    const stream = await streamEvents(MESSAGE_SENT, { dialogId }, bob);
    const socket = await listen(MESSAGE_SENT, { dialogId }, bob);
    await until(() => running.app.services.hub.watchCount === 2);
    const id = await send(alice, dialogId, 'before');
    await until(() => stream.results.length === 1 && socket.heard().length === 1);
    await whileMessagesAreHeld({ dialogId, messageId: id, times: 20 }, async () => {
      await ask('mutation { deleteSession }', {}, bob);
      await until(() => running.app.services.hub.watchCount === 0);
    });
    await stream.ended;
    expect((await socket.socket.closed).code).toBe(4403);
    expect([stream.results.length, socket.heard().length]).toEqual([1, 1]);
  });
});

describe('who is removed while they join', () => {
  test.each(['before it was taken in', 'once it was taken in'])('gets no subscription: %s', async (moment) => {
    const { alice, bob, carol, dialogId } = await stage();
    const { hub } = running.app.services;
    const witness = await listen(DIALOG_EVENTS, { dialogId }, carol);
    const { watch } = hub;
    const removed = async () => {
      const { removals } = hub;
      await throughGraphQL.update(alice, dialogId, { leave: [bob] });
      await until(() => hub.removals > removals);
    };
    hub.watch = async (...args) => {
      hub.watch = watch;
      if (moment.startsWith('before')) await removed();
      const taken = await watch.apply(hub, args);
      if (moment.startsWith('once')) await removed();
      return taken;
    };
    // Until it is looked at again the watch is there for a moment, so the refusal may come behind it.
    const end = await listen(DIALOG_EVENTS, { dialogId }, bob).then(
      async ({ socket }) => (await socket.find(({ type, payload }) => payload?.errors || type === 'complete')).payload,
      (errors) => ({ errors }),
    );
    if (moment.startsWith('before')) expect(end.errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
    await send(alice, dialogId, 'after');
    await until(() => witness.heard().some(({ dialogEvents }) => dialogEvents.__typename === 'MessageSent'));
    expect(hub.watchCount).toBe(1);
  });
});
