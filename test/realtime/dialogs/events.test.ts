import { afterEach, describe, expect, test } from 'vitest';
import { useApp } from '../../support/app/app.ts';
import { createTenant } from '../../support/app/other-apps.ts';
import { sql } from '../../support/app/sql.ts';
import {
  type ChatTransport,
  throughGraphQL,
  throughRest,
  throughWebSocket,
} from '../../support/clients/chat-transports.ts';
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
  ['WebSocket', throughWebSocket],
])('dialog events of actions over %s', (_name, transport) => {
  test('a sent or edited message notifies the occupants and the API key', async () => {
    const { alice, dialogId, eventsDuring } = await createListeners();
    let id = '';
    const sent = await eventsDuring(async () => {
      id = await transport.send(alice, dialogId, 'Hi');
    });
    const event = { dialogId, message: { id, text: 'Hi' } };
    expectReceived(sent, toEach([...ALL], [{ __typename: 'MessageSent', ...event }]));
    const edited = await eventsDuring(() => transport.edit(alice, [id], 'Hello'));
    const message = { id, text: 'Hello' };
    expectReceived(edited, toEach([...ALL], [{ __typename: 'MessageEdited', dialogId, message }]));
  });

  test('a deletion for all notifies the occupants; a deletion for oneself notifies only the own devices', async () => {
    const { alice, bob, dialogId, eventsDuring } = await createListeners();
    const ids = [await transport.send(alice, dialogId, '1'), await transport.send(alice, dialogId, '2')];
    const deleted = { __typename: 'MessagesDeleted', dialogId, deletedIds: ids };
    const hidden = await eventsDuring(() => transport.deleteMessages(bob, ids));
    expectReceived(hidden, toEach(['bob', 'otherDevice'], [{ ...deleted, forAll: false, deletedBy: bob.id }]));
    const forAll = await eventsDuring(() => transport.deleteMessages(alice, ids, true));
    expectReceived(forAll, toEach([...ALL], [{ ...deleted, forAll: true, deletedBy: alice.id }]));
  });

  test('a deletion by the API key notifies the occupants and the API key', async () => {
    const { alice, dialogId, eventsDuring } = await createListeners();
    const id = await transport.send(alice, dialogId, '1');
    const deleted = { __typename: 'MessagesDeleted', dialogId, deletedIds: [id], forAll: true, deletedBy: null };
    expectReceived(await eventsDuring(() => transport.deleteMessages(apiKey, [id], true)), toEach([...ALL], [deleted]));
  });

  test('marking and unmarking one, several or all messages notifies the occupants', async () => {
    const { alice, bob, dialogId, eventsDuring } = await createListeners();
    const ids: string[] = [];
    for (const text of ['1', '2', '3']) ids.push(await transport.send(alice, dialogId, text));
    const marked = { __typename: 'MessagesMarked', dialogId, userId: bob.id, read: null, delivered: null };
    const steps: [() => Promise<unknown>, object][] = [
      [() => transport.mark(bob, [ids[1]!], { read: true }), { messageIds: [ids[1]], read: true }],
      // The event contains only messages whose mark changed.
      [
        () => transport.mark(bob, [ids[2]!, ids[1]!, ids[0]!], { read: true }),
        { messageIds: [ids[0], ids[2]], read: true },
      ],
      [() => transport.mark(bob, [ids[0]!], { delivered: true }), { messageIds: [ids[0]], delivered: true }],
      [() => transport.mark(bob, [ids[0]!], { read: false }), { messageIds: [ids[0]], read: false }],
      [() => transport.markDialog(bob, dialogId, { read: true }), { messageIds: null, read: true }],
      [
        () => transport.markDialog(bob, dialogId, { read: false, delivered: true }),
        { messageIds: null, read: false, delivered: true },
      ],
    ];
    for (const [act, change] of steps)
      expectReceived(await eventsDuring(act), toEach([...ALL], [{ ...marked, ...change }]));
  });

  test('adding, removing or exchanging a reaction notifies the occupants', async () => {
    const { alice, bob, dialogId, eventsDuring } = await createListeners();
    const messageId = await transport.send(alice, dialogId, 'Hi');
    const like = { dialogId, messageId, userId: bob.id, name: 'like' };
    const added = await eventsDuring(() => transport.react(bob, messageId, 'like'));
    expectReceived(added, toEach([...ALL], [{ __typename: 'ReactionAdded', ...like }]));
    const exchanged = await eventsDuring(() => transport.changeReactions(bob, messageId, 'wow', 'like'));
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
    const removed = await eventsDuring(() => transport.unreact(bob, messageId, 'wow'));
    expectReceived(removed, toEach([...ALL], [{ __typename: 'ReactionRemoved', ...wow }]));
  });

  test('a dialog created by name or by a first message notifies its occupants', async () => {
    const { alice, bob, mallory, eventsDuring } = await createListeners();
    let id = '';
    const created = await eventsDuring(async () => {
      id = await transport.createGroup(alice, 'New', [bob]);
    });
    const group = { id, name: 'New', userId: alice.id, occupantIds: [alice.id, bob.id], adminIds: [] };
    const changed = { __typename: 'DialogChanged', dialogId: id, dialog: group };
    expectReceived(created, toEach(['alice', 'bob', 'otherDevice', 'key'], [changed]));

    let message = '';
    const written = await eventsDuring(async () => {
      message = await transport.sendTo(mallory, bob, 'Psst');
    });
    expect(written.alice).toEqual([]);
    expect(written.carol).toEqual([]);
    for (const notified of [written.mallory, written.bob, written.otherDevice, written.key]) {
      expect(notified).toMatchObject([
        { __typename: 'DialogChanged', dialog: { userId: mallory.id, occupantIds: [bob.id, mallory.id] } },
        { __typename: 'MessageSent', message: { id: message, text: 'Psst' } },
      ]);
    }
  });

  test('changes of name, occupants, admins or owner notify the occupants and those who left', async () => {
    const { alice, bob, carol, mallory, dialogId, eventsDuring } = await createListeners();
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
    const renamed = await eventsDuring(() => transport.update(alice, dialogId, { name: 'Renamed' }));
    expectReceived(renamed, toEach([...ALL], changed({ name: 'Renamed' })));

    const joined = await eventsDuring(() => transport.update(alice, dialogId, { join: [mallory] }));
    const all = changed({ occupantIds: [alice.id, bob.id, carol.id, mallory.id] });
    expectReceived(joined, toEach([...ALL, 'mallory'], all));

    const promoted = await eventsDuring(() => transport.update(alice, dialogId, { admins: [carol] }));
    expectReceived(promoted, toEach([...ALL, 'mallory'], changed({ adminIds: [carol.id] })));
    const demoted = await eventsDuring(() => transport.update(alice, dialogId, { noAdmins: [carol] }));
    expectReceived(demoted, toEach([...ALL, 'mallory'], changed({ adminIds: [] })));

    const removed = await eventsDuring(() => transport.update(alice, dialogId, { leave: [mallory] }));
    const rest = changed({ occupantIds: [alice.id, bob.id, carol.id] });
    expectReceived(removed, { ...toEach([...ALL], rest), mallory: left });

    const gone = await eventsDuring(() => transport.deleteDialog(carol, dialogId));
    const two = changed({ occupantIds: [alice.id, bob.id] });
    expectReceived(gone, { ...toEach(['alice', 'bob', 'otherDevice', 'key'], two), carol: left });

    const handedOver = await eventsDuring(() => transport.update(alice, dialogId, { leave: [alice] }));
    const own = changed({ userId: bob.id, occupantIds: [bob.id] });
    expectReceived(handedOver, { ...toEach(['bob', 'otherDevice', 'key'], own), alice: left });

    // No occupant remains, so only the API key learns of the deletion.
    const last = await eventsDuring(() => transport.deleteDialog(bob, dialogId));
    const destroyed = [{ __typename: 'DialogRemoved', dialogId, removal: 'DESTROYED' }];
    expectReceived(last, { ...toEach(['bob', 'otherDevice'], left), key: destroyed });
  });

  test('hiding a private dialog and showing it again notifies all devices of that user', async () => {
    const { alice, bob, eventsDuring } = await createListeners();
    const dialogId = await transport.createPrivate(alice, bob);
    const hidden = await eventsDuring(() => transport.deleteDialog(bob, dialogId));
    const removal = { __typename: 'DialogRemoved', dialogId, removal: 'HIDDEN' };
    expectReceived(hidden, toEach(['bob', 'otherDevice'], [removal]));
    const shown = await eventsDuring(() => transport.createPrivate(bob, alice));
    const occupantIds = [alice.id, bob.id];
    for (const notified of [shown.bob, shown.otherDevice]) {
      expect(notified).toMatchObject([{ __typename: 'DialogChanged', dialogId, dialog: { occupantIds } }]);
    }
    expectReceived(shown, { bob: shown.bob, otherDevice: shown.otherDevice });
  });

  test('the deletion of a dialog notifies all users who could read it', async () => {
    const { alice, mallory, dialogId, eventsDuring } = await createListeners();
    const destroyed = (id: string) => [{ __typename: 'DialogRemoved', dialogId: id, removal: 'DESTROYED' }];
    const group = await eventsDuring(() => transport.deleteDialog(alice, dialogId, true));
    expectReceived(group, toEach([...ALL], destroyed(dialogId)));
    const lobby = await createDialog(mallory, [], 'PUBLIC_GROUP');
    const open = await eventsDuring(() => transport.deleteDialog(mallory, lobby, true));
    expectReceived(open, toEach([...ALL, 'mallory'], destroyed(lobby)));
  });

  test('calls that change nothing publish no events', async () => {
    const { alice, bob, carol, mallory, dialogId, eventsDuring } = await createListeners();
    const [pair, hidden] = [await transport.createPrivate(alice, bob), await transport.createPrivate(carol, alice)];
    const id = await transport.send(alice, dialogId, 'Hi');
    await transport.react(bob, id, 'like');
    await transport.mark(bob, [id], { read: true });
    await transport.markDialog(carol, dialogId, { read: true, delivered: true });
    await transport.update(alice, dialogId, { admins: [carol] });
    await transport.deleteDialog(carol, hidden);
    await transport.deleteDialog(bob, pair);
    await transport.send(alice, pair, 'It is back');
    const notified = await eventsDuring(async () => {
      await transport.react(bob, id, 'like');
      await transport.mark(bob, [id], { read: true });
      await transport.mark(bob, [id], { delivered: false });
      await transport.mark(alice, [id], { read: true });
      await transport.markDialog(carol, dialogId, { read: true });
      await transport.markDialog(carol, dialogId, { read: true, delivered: true });
      await transport.update(alice, dialogId, { join: [bob], admins: [carol], noAdmins: [bob] });
      await transport.update(alice, dialogId, { leave: [mallory] });
      expect(await transport.createPrivate(bob, alice)).toBe(pair);
      await transport.deleteDialog(carol, hidden);
    });
    expectReceived(notified, {});
  });

  test('rejected calls publish no events, even if parts of them were allowed', async () => {
    const { alice, bob, carol, mallory, dialogId, eventsDuring } = await createListeners();
    const [own, foreign] = [
      await transport.send(bob, dialogId, 'own'),
      await transport.send(alice, dialogId, 'foreign'),
    ];
    const refused: (() => Promise<unknown>)[] = [
      () => transport.send(mallory, dialogId, 'x'),
      () => transport.send(bob, dialogId, ''),
      () => transport.edit(bob, [own, foreign], 'x'),
      () => transport.mark(mallory, [own], { read: true }),
      () => transport.markDialog(mallory, dialogId, { read: true }),
      () => transport.markDialog(apiKey, dialogId, { read: true }),
      () => transport.react(mallory, own, 'like'),
      () => transport.unreact(bob, own, 'like'),
      () => transport.changeReactions(bob, own, 'wow', 'like'),
      () => transport.createGroup(alice, ' ', [bob]),
      () => transport.update(bob, dialogId, { name: 'x', join: [mallory], leave: [carol] }),
      () => transport.update(mallory, dialogId, { join: [mallory] }),
      () => transport.deleteDialog(bob, dialogId, true),
      () => transport.deleteDialog(mallory, dialogId),
      () => transport.deleteMessages(apiKey, [own]),
    ];
    const notified = await eventsDuring(async () => {
      for (const call of refused) await expect(call(), String(call)).rejects.toThrow();
      // Messages that may not be deleted are skipped; the call itself succeeds.
      await transport.deleteMessages(bob, [foreign], true);
      await transport.deleteMessages(mallory, [own]);
    });
    expectReceived(notified, {});
  });
});

test('subscriptions to one dialog and to all dialogs receive the same events in the same order', async () => {
  const { alice, bob, carol, mallory, dialogId } = await createListeners();
  const [ofAll, ofDialog] = [await listen(DIALOG_EVENTS, {}, bob), await listen(DIALOG_EVENTS, { dialogId }, bob)];
  const other = await createDialog(alice, [bob]);
  // Events show the state at delivery, which could differ between the two subscriptions, so wait for both.
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
  // Messages deleted before delivery are skipped; the others have the order of the outbox.
  const rows = await sql<{ position: string }>(
    'SELECT position::text FROM events_outbox WHERE dialog_id = $1 ORDER BY position',
    [dialogId],
  );
  const positions = rows.map(({ position }) => position);
  const cursors = inDialog.map((event) => event.cursor);
  expect(positions.filter((position) => cursors.includes(position))).toEqual(cursors);
  expect(cursors).toContain(positions.at(-1));
});

test('a message retried with the same key is published once', async () => {
  const { alice, dialogId, eventsDuring } = await createListeners();
  const send = () =>
    execute(
      'mutation ($input: SendMessageInput!) { sendMessage(input: $input) { id } }',
      { input: { dialogId, text: 'once', clientId: 'k' } },
      alice,
    );
  const notified = await eventsDuring(() => Promise.all([send(), send(), send()]));
  for (const name of ALL)
    expect(notified[name]).toMatchObject([{ __typename: 'MessageSent', message: { text: 'once' } }]);
});

test('reading a page publishes its new messages as read and delivered, once', async () => {
  const { alice, bob, dialogId, eventsDuring } = await createListeners();
  const ids = [await throughRest.send(alice, dialogId, '1'), await throughRest.send(alice, dialogId, '2')];
  const notified = await eventsDuring(async () => {
    for (let times = 0; times < 2; times++) await rest('GET', `/chat/Message?chat_dialog_id=${dialogId}`, { as: bob });
  });
  const marked = { __typename: 'MessagesMarked', dialogId, userId: bob.id, messageIds: ids, read: true };
  expectReceived(notified, toEach([...ALL], [{ ...marked, delivered: true }]));
});

test('the deletion of a user notifies others of removed reactions and of dialogs with a new owner', async () => {
  const { alice, bob, carol, dialogId, eventsDuring } = await createListeners();
  const messageId = await throughRest.send(bob, dialogId, 'Hi');
  await throughRest.react(alice, messageId, 'like');
  const notified = await eventsDuring(() => rest('DELETE', `/users/${alice.id}.json`, { as: onBehalfOf(alice) }));
  const dialog = { id: dialogId, name: 'A dialog', userId: bob.id, occupantIds: [bob.id, carol.id], adminIds: [] };
  for (const name of ['bob', 'otherDevice', 'carol', 'key'] as const) {
    const ofDialog = notified[name].filter((event) => event.dialogId === dialogId);
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

test('other applications receive no events', async () => {
  const { alice, dialogId } = await createListeners();
  const other = await createTenant(1);
  const sentinel = await Sentinel.create(other.users[0]!);
  const strangers = [await listen(DIALOG_EVENTS, {}, other.users[0]!), await listen(DIALOG_EVENTS, {}, other.key)];
  const own = await listen(DIALOG_EVENTS, {}, alice);
  const lobby = await createDialog(alice, [], 'PUBLIC_GROUP');
  const id = await throughRest.send(alice, dialogId, 'secret');
  await throughRest.react(alice, id, 'like');
  await until(() => eventsOf(own).length >= 3);
  await throughRest.deleteDialog(alice, lobby, true);
  await throughRest.deleteDialog(alice, dialogId, true);
  await until(() => eventsOf(own).length >= 5);
  expect(await sentinel.receivedBy(...strangers)).toEqual([[], []]);
});
