import { afterEach, describe, expect, test } from 'vitest';
import { useApp } from '../../support/app/app.ts';
import { createTenant } from '../../support/app/other-apps.ts';
import { sql } from '../../support/app/sql.ts';
import { type ChatTransport, throughGraphQL, throughRest } from '../../support/clients/chat-transports.ts';
import {
  createListeners,
  DIALOG_EVENTS,
  eventsOf,
  expectReceived,
  OCCUPANTS,
  Sentinel,
  toEach,
} from '../../support/clients/live.ts';
import { rest } from '../../support/clients/rest.ts';
import { closeSockets, listen, until } from '../../support/clients/websocket.ts';
import { createDialog, execute } from '../../support/fixtures/chat.ts';
import { apiKey, onBehalfOf } from '../../support/fixtures/users.ts';

useApp();

afterEach(() => closeSockets());

const ALL = [...OCCUPANTS, 'key'] as const;

describe.each<[string, ChatTransport]>([
  ['REST', throughRest],
  ['GraphQL', throughGraphQL],
])('what is done through %s is told to', (_name, door) => {
  test('the occupants and the API key, when a message is sent or edited', async () => {
    const { alice, dialogId, eventsDuring: toldOf } = await createListeners();
    let id = '';
    const sent = await toldOf(async () => {
      id = await door.send(alice, dialogId, 'Hi');
    });
    const event = { dialogId, message: { id, text: 'Hi' } };
    expectReceived(sent, toEach([...ALL], [{ __typename: 'MessageSent', ...event }]));
    const edited = await toldOf(() => door.edit(alice, [id], 'Hello'));
    const message = { id, text: 'Hello' };
    expectReceived(edited, toEach([...ALL], [{ __typename: 'MessageEdited', dialogId, message }]));
  });

  test('them, when messages are deleted for all; the other devices alone, when they are deleted for oneself', async () => {
    const { alice, bob, dialogId, eventsDuring: toldOf } = await createListeners();
    const ids = [await door.send(alice, dialogId, '1'), await door.send(alice, dialogId, '2')];
    const deleted = { __typename: 'MessagesDeleted', dialogId, deletedIds: ids };
    const hidden = await toldOf(() => door.deleteMessages(bob, ids));
    expectReceived(hidden, toEach(['bob', 'otherDevice'], [{ ...deleted, forAll: false, deletedBy: bob.id }]));
    const forAll = await toldOf(() => door.deleteMessages(alice, ids, true));
    expectReceived(forAll, toEach([...ALL], [{ ...deleted, forAll: true, deletedBy: alice.id }]));
  });

  test('them, when the API key alone deletes', async () => {
    const { alice, dialogId, eventsDuring: toldOf } = await createListeners();
    const id = await door.send(alice, dialogId, '1');
    const deleted = { __typename: 'MessagesDeleted', dialogId, deletedIds: [id], forAll: true, deletedBy: null };
    expectReceived(await toldOf(() => door.deleteMessages(apiKey, [id], true)), toEach([...ALL], [deleted]));
  });

  test('them, when messages are marked: one, several, all, back again', async () => {
    const { alice, bob, dialogId, eventsDuring: toldOf } = await createListeners();
    const ids: string[] = [];
    for (const text of ['1', '2', '3']) ids.push(await door.send(alice, dialogId, text));
    const marked = { __typename: 'MessagesMarked', dialogId, userId: bob.id, read: null, delivered: null };
    const steps: [() => Promise<unknown>, object][] = [
      [() => door.mark(bob, [ids[1]!], { read: true }), { messageIds: [ids[1]], read: true }],
      // Only what the mark changes is told.
      [() => door.mark(bob, [ids[2]!, ids[1]!, ids[0]!], { read: true }), { messageIds: [ids[0], ids[2]], read: true }],
      [() => door.mark(bob, [ids[0]!], { delivered: true }), { messageIds: [ids[0]], delivered: true }],
      [() => door.mark(bob, [ids[0]!], { read: false }), { messageIds: [ids[0]], read: false }],
      [() => door.markDialog(bob, dialogId, { read: true }), { messageIds: null, read: true }],
      [
        () => door.markDialog(bob, dialogId, { read: false, delivered: true }),
        { messageIds: null, read: false, delivered: true },
      ],
    ];
    for (const [act, change] of steps) expectReceived(await toldOf(act), toEach([...ALL], [{ ...marked, ...change }]));
  });

  test('them, when a reaction is added, taken back or exchanged', async () => {
    const { alice, bob, dialogId, eventsDuring: toldOf } = await createListeners();
    const messageId = await door.send(alice, dialogId, 'Hi');
    const like = { dialogId, messageId, userId: bob.id, name: 'like' };
    const added = await toldOf(() => door.react(bob, messageId, 'like'));
    expectReceived(added, toEach([...ALL], [{ __typename: 'ReactionAdded', ...like }]));
    const exchanged = await toldOf(() => door.changeReactions(bob, messageId, 'wow', 'like'));
    const wow = { ...like, name: 'wow' };
    expectReceived(
      exchanged,
      toEach(
        [...ALL],
        [
          { __typename: 'ReactionRemoved', ...like },
          { __typename: 'ReactionAdded', ...wow },
        ],
      ),
    );
    const removed = await toldOf(() => door.unreact(bob, messageId, 'wow'));
    expectReceived(removed, toEach([...ALL], [{ __typename: 'ReactionRemoved', ...wow }]));
  });

  test('its occupants, when a dialog is created, by name or by a first message', async () => {
    const { alice, bob, mallory, eventsDuring: toldOf } = await createListeners();
    let id = '';
    const created = await toldOf(async () => {
      id = await door.createGroup(alice, 'New', [bob]);
    });
    const group = { id, name: 'New', userId: alice.id, occupantIds: [alice.id, bob.id], adminIds: [] };
    const changed = { __typename: 'DialogChanged', dialogId: id, dialog: group };
    expectReceived(created, toEach(['alice', 'bob', 'otherDevice', 'key'], [changed]));

    let message = '';
    const written = await toldOf(async () => {
      message = await door.sendTo(mallory, bob, 'Psst');
    });
    expect(written.alice).toEqual([]);
    expect(written.carol).toEqual([]);
    for (const told of [written.mallory, written.bob, written.otherDevice, written.key]) {
      expect(told).toMatchObject([
        { __typename: 'DialogChanged', dialog: { userId: mallory.id, occupantIds: [bob.id, mallory.id] } },
        { __typename: 'MessageSent', message: { id: message, text: 'Psst' } },
      ]);
    }
  });

  test('its occupants of then, when a dialog changes: name, occupants, admins, owner', async () => {
    const { alice, bob, carol, mallory, dialogId, eventsDuring: toldOf } = await createListeners();
    const dialog = {
      id: dialogId,
      name: 'A dialog',
      userId: alice.id,
      occupantIds: [alice.id, bob.id, carol.id],
      adminIds: [] as number[],
    };
    const changed = (difference: Partial<typeof dialog>) => [
      { __typename: 'DialogChanged', dialogId, dialog: Object.assign(dialog, difference) },
    ];
    const left = [{ __typename: 'DialogRemoved', dialogId, removal: 'LEFT' }];
    const renamed = await toldOf(() => door.update(alice, dialogId, { name: 'Renamed' }));
    expectReceived(renamed, toEach([...ALL], changed({ name: 'Renamed' })));

    const joined = await toldOf(() => door.update(alice, dialogId, { join: [mallory] }));
    const all = changed({ occupantIds: [alice.id, bob.id, carol.id, mallory.id] });
    expectReceived(joined, toEach([...ALL, 'mallory'], all));

    const promoted = await toldOf(() => door.update(alice, dialogId, { admins: [carol] }));
    expectReceived(promoted, toEach([...ALL, 'mallory'], changed({ adminIds: [carol.id] })));
    const demoted = await toldOf(() => door.update(alice, dialogId, { noAdmins: [carol] }));
    expectReceived(demoted, toEach([...ALL, 'mallory'], changed({ adminIds: [] })));

    const removed = await toldOf(() => door.update(alice, dialogId, { leave: [mallory] }));
    const rest = changed({ occupantIds: [alice.id, bob.id, carol.id] });
    expectReceived(removed, { ...toEach([...ALL], rest), mallory: left });

    const gone = await toldOf(() => door.deleteDialog(carol, dialogId));
    const two = changed({ occupantIds: [alice.id, bob.id] });
    expectReceived(gone, { ...toEach(['alice', 'bob', 'otherDevice', 'key'], two), carol: left });

    const handedOver = await toldOf(() => door.update(alice, dialogId, { leave: [alice] }));
    const own = changed({ userId: bob.id, occupantIds: [bob.id] });
    expectReceived(handedOver, { ...toEach(['bob', 'otherDevice', 'key'], own), alice: left });

    // Nobody is left to know of it but the key.
    const last = await toldOf(() => door.deleteDialog(bob, dialogId));
    const destroyed = [{ __typename: 'DialogRemoved', dialogId, removal: 'DESTROYED' }];
    expectReceived(last, { ...toEach(['bob', 'otherDevice'], left), key: destroyed });
  });

  test('the one who hides a private dialog and has it shown again, on all their devices', async () => {
    const { alice, bob, eventsDuring: toldOf } = await createListeners();
    const dialogId = await door.createPrivate(alice, bob);
    const hidden = await toldOf(() => door.deleteDialog(bob, dialogId));
    const removal = { __typename: 'DialogRemoved', dialogId, removal: 'HIDDEN' };
    expectReceived(hidden, toEach(['bob', 'otherDevice'], [removal]));
    const shown = await toldOf(() => door.createPrivate(bob, alice));
    const occupantIds = [alice.id, bob.id];
    for (const told of [shown.bob, shown.otherDevice]) {
      expect(told).toMatchObject([{ __typename: 'DialogChanged', dialogId, dialog: { occupantIds } }]);
    }
    expectReceived(shown, { bob: shown.bob, otherDevice: shown.otherDevice });
  });

  test('all who knew it, when a dialog is destroyed', async () => {
    const { alice, mallory, dialogId, eventsDuring: toldOf } = await createListeners();
    const destroyed = (id: string) => [{ __typename: 'DialogRemoved', dialogId: id, removal: 'DESTROYED' }];
    const group = await toldOf(() => door.deleteDialog(alice, dialogId, true));
    expectReceived(group, toEach([...ALL], destroyed(dialogId)));
    const lobby = await createDialog(mallory, [], 'PUBLIC_GROUP');
    const open = await toldOf(() => door.deleteDialog(mallory, lobby, true));
    expectReceived(open, toEach([...ALL, 'mallory'], destroyed(lobby)));
  });

  test('nobody, when nothing changes', async () => {
    const { alice, bob, carol, mallory, dialogId, eventsDuring: toldOf } = await createListeners();
    const [pair, hidden] = [await door.createPrivate(alice, bob), await door.createPrivate(carol, alice)];
    const id = await door.send(alice, dialogId, 'Hi');
    await door.react(bob, id, 'like');
    await door.mark(bob, [id], { read: true });
    await door.markDialog(carol, dialogId, { read: true, delivered: true });
    await door.update(alice, dialogId, { admins: [carol] });
    await door.deleteDialog(carol, hidden);
    await door.deleteDialog(bob, pair);
    await door.send(alice, pair, 'It is back');
    const told = await toldOf(async () => {
      await door.react(bob, id, 'like');
      await door.mark(bob, [id], { read: true });
      await door.mark(bob, [id], { delivered: false });
      await door.mark(alice, [id], { read: true });
      await door.markDialog(carol, dialogId, { read: true });
      await door.markDialog(carol, dialogId, { read: true, delivered: true });
      await door.update(alice, dialogId, { join: [bob], admins: [carol], noAdmins: [bob] });
      await door.update(alice, dialogId, { leave: [mallory] });
      expect(await door.createPrivate(bob, alice)).toBe(pair);
      await door.deleteDialog(carol, hidden);
    });
    expectReceived(told, {});
  });

  test('nobody, when the call is refused, however much of it was allowed', async () => {
    const { alice, bob, carol, mallory, dialogId, eventsDuring: toldOf } = await createListeners();
    const [own, foreign] = [await door.send(bob, dialogId, 'own'), await door.send(alice, dialogId, 'foreign')];
    const refused: (() => Promise<unknown>)[] = [
      () => door.send(mallory, dialogId, 'x'),
      () => door.send(bob, dialogId, ''),
      () => door.edit(bob, [own, foreign], 'x'),
      () => door.mark(mallory, [own], { read: true }),
      () => door.markDialog(mallory, dialogId, { read: true }),
      () => door.markDialog(apiKey, dialogId, { read: true }),
      () => door.react(mallory, own, 'like'),
      () => door.unreact(bob, own, 'like'),
      () => door.changeReactions(bob, own, 'wow', 'like'),
      () => door.createGroup(alice, ' ', [bob]),
      () => door.update(bob, dialogId, { name: 'x', join: [mallory], leave: [carol] }),
      () => door.update(mallory, dialogId, { join: [mallory] }),
      () => door.deleteDialog(bob, dialogId, true),
      () => door.deleteDialog(mallory, dialogId),
      () => door.deleteMessages(apiKey, [own]),
    ];
    const told = await toldOf(async () => {
      for (const call of refused) await expect(call(), String(call)).rejects.toThrow();
      // What may not be deleted stays; the call itself is none that is refused.
      await door.deleteMessages(bob, [foreign], true);
      await door.deleteMessages(mallory, [own]);
    });
    expectReceived(told, {});
  });
});

test('the same is told to whoever listens to one dialog, in the order in which it happened there', async () => {
  const { alice, bob, carol, mallory, dialogId } = await createListeners();
  const [ofAll, ofDialog] = [await listen(DIALOG_EVENTS, {}, bob), await listen(DIALOG_EVENTS, { dialogId }, bob)];
  const other = await createDialog(alice, [bob]);
  // What is told is as it is at that moment, which is another for each of the two: so both hear it before it changes.
  const bothHear = async (id: string) => {
    for (const one of [ofAll, ofDialog]) await until(() => eventsOf(one).some((event) => event.message?.id === id));
  };
  const ids = await Promise.all([alice, bob, carol].map((as) => throughRest.send(as, dialogId, 'Hi')));
  for (const id of ids) await bothHear(id);
  await Promise.all([
    ...ids.flatMap((id) => [alice, bob, carol].map((as) => throughGraphQL.react(as, id, 'like'))),
    ...[alice, bob, carol].map((as) => throughRest.mark(as, ids, { read: true })),
    ...ids.map((id) => throughRest.send(carol, other, id).catch(() => {})),
    throughRest.edit(alice, [ids[0]!], 'Hello'),
    throughRest.update(alice, dialogId, { join: [mallory] }),
    throughRest.send(alice, other, 'elsewhere'),
  ]);
  await bothHear(await throughRest.send(alice, dialogId, 'before the deletion'));
  await throughRest.deleteMessages(alice, ids, true);
  await bothHear(await throughRest.send(alice, dialogId, 'the last one'));
  const inDialog = eventsOf(ofAll).filter((event) => event.dialogId === dialogId);
  expect(eventsOf(ofDialog)).toEqual(inDialog);
  // What is deleted by the time it is told is left out, whatever is left has its place in the stream.
  const rows = await sql<{ position: string }>(
    'SELECT position::text FROM events_outbox WHERE dialog_id = $1 ORDER BY position',
    [dialogId],
  );
  const positions = rows.map(({ position }) => position);
  const cursors = inDialog.map((event) => event.cursor);
  expect(positions.filter((position) => cursors.includes(position))).toEqual(cursors);
  expect(cursors).toContain(positions.at(-1));
});

test('a message that is sent again with the same key is told of once', async () => {
  const { alice, dialogId, eventsDuring: toldOf } = await createListeners();
  const send = () =>
    execute(
      'mutation ($input: SendMessageInput!) { sendMessage(input: $input) { id } }',
      { input: { dialogId, text: 'once', clientId: 'k' } },
      alice,
    );
  const told = await toldOf(() => Promise.all([send(), send(), send()]));
  for (const name of ALL) expect(told[name]).toMatchObject([{ __typename: 'MessageSent', message: { text: 'once' } }]);
});

test('who reads a page is told to have read and got what is new on it, once', async () => {
  const { alice, bob, dialogId, eventsDuring: toldOf } = await createListeners();
  const ids = [await throughRest.send(alice, dialogId, '1'), await throughRest.send(alice, dialogId, '2')];
  const told = await toldOf(async () => {
    for (let times = 0; times < 2; times++) await rest('GET', `/chat/Message?chat_dialog_id=${dialogId}`, { as: bob });
  });
  const marked = { __typename: 'MessagesMarked', dialogId, userId: bob.id, messageIds: ids, read: true };
  expectReceived(told, toEach([...ALL], [{ ...marked, delivered: true }]));
});

test('the others are told when a user is deleted: their reactions go, and dialogs go to somebody else', async () => {
  const { alice, bob, carol, dialogId, eventsDuring: toldOf } = await createListeners();
  const messageId = await throughRest.send(bob, dialogId, 'Hi');
  await throughRest.react(alice, messageId, 'like');
  const told = await toldOf(() => rest('DELETE', `/users/${alice.id}.json`, { as: onBehalfOf(alice) }));
  const dialog = { id: dialogId, name: 'A dialog', userId: bob.id, occupantIds: [bob.id, carol.id], adminIds: [] };
  for (const name of ['bob', 'otherDevice', 'carol', 'key'] as const) {
    const ofDialog = told[name].filter((event) => event.dialogId === dialogId);
    expect(ofDialog).toContainEqual({ __typename: 'DialogChanged', dialogId, dialog });
    expect(ofDialog).toContainEqual({
      __typename: 'ReactionRemoved',
      dialogId,
      messageId,
      userId: alice.id,
      name: 'like',
    });
    expect(ofDialog).toHaveLength(2);
  }
});

test('other applications are told nothing', async () => {
  const { alice, dialogId } = await createListeners();
  const other = await createTenant(1);
  const sentinel = await Sentinel.create(other.users[0]!);
  const strangers = [await listen(DIALOG_EVENTS, {}, other.users[0]!), await listen(DIALOG_EVENTS, {}, other.key)];
  const own = await listen(DIALOG_EVENTS, {}, alice);
  const lobby = await createDialog(alice, [], 'PUBLIC_GROUP');
  const id = await throughRest.send(alice, dialogId, 'secret');
  await throughRest.react(alice, id, 'like');
  await throughRest.deleteDialog(alice, lobby, true);
  await throughRest.deleteDialog(alice, dialogId, true);
  await until(() => eventsOf(own).length >= 5);
  expect(await sentinel.receivedBy(...strangers)).toEqual([[], []]);
});
