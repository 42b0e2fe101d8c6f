import { afterEach, describe, expect, test } from 'vitest';
import { running, useApp } from '../support/app/app.ts';
import { sql } from '../support/app/sql.ts';
import { throughGraphQL, throughRest } from '../support/clients/chat-transports.ts';
import { DIALOG_EVENTS, eventsOf, Sentinel, whileMessagesAreLocked } from '../support/clients/live.ts';
import { streamEvents } from '../support/clients/sse.ts';
import { closeSockets, listen, until } from '../support/clients/websocket.ts';
import { createDialog, execute, MESSAGE_SENT, type QuickUser, quickUsers, send } from '../support/fixtures/chat.ts';

useApp();

afterEach(() => closeSockets());

async function cast() {
  const [alice, bob, carol] = (await quickUsers(3)) as [QuickUser, QuickUser, QuickUser];
  return {
    alice,
    bob,
    carol,
    dialogId: await createDialog(alice, [bob, carol]),
    sentinel: await Sentinel.create(alice),
  };
}

async function present(as: QuickUser): Promise<string> {
  return (await execute('{ changes { cursor } }', {}, as)).changes.cursor;
}

const textsOf = (events: { message?: { text: string } }[]) => events.map((event) => event.message?.text);

describe('objects that are gone before delivery', () => {
  test('a message deleted before delivery is not published', async () => {
    const { alice, bob, dialogId } = await cast();
    const received = await listen(DIALOG_EVENTS, {}, bob);
    const stream = await streamEvents(DIALOG_EVENTS, { dialogId }, bob);
    await until(() => running.app.services.hub.subscriptionCount === 2);
    const id = await send(alice, dialogId, 'soon gone');
    await received.atLeast(1);
    await until(() => stream.results.length === 1);
    await whileMessagesAreLocked({ dialogId, messageId: id }, (query) =>
      query('DELETE FROM messages WHERE id = $1', [id]),
    );
    await send(alice, dialogId, 'next');
    await received.atLeast(2);
    await until(() => stream.results.length === 2);
    expect(textsOf(eventsOf(received))).toEqual(['soon gone', 'next']);
    expect(textsOf(stream.results.map(({ data }) => data.dialogEvents))).toEqual(['soon gone', 'next']);
    stream.abort();
  });

  test('a resuming subscriber receives only the removals of messages and dialogs that are gone', async () => {
    const { alice, bob, dialogId, sentinel } = await cast();
    const since = await present(bob);
    const pair = await throughRest.createPrivate(bob, alice);
    await throughRest.deleteDialog(bob, pair);
    await throughRest.createPrivate(bob, alice);
    const id = await send(alice, dialogId, 'gone');
    await throughRest.edit(alice, [id], 'edited');
    await throughRest.deleteMessages(alice, [id], true);
    await throughRest.deleteDialog(bob, pair, true);
    const back = await listen(DIALOG_EVENTS, { since }, bob);
    const [events] = await sentinel.receivedBy(back);
    expect(events).toEqual([
      { __typename: 'DialogRemoved', dialogId: pair, removal: 'HIDDEN' },
      { __typename: 'MessagesDeleted', dialogId, deletedIds: [id], forAll: true, deletedBy: alice.id },
      { __typename: 'DialogRemoved', dialogId: pair, removal: 'DESTROYED' },
    ]);
  });

  test('a result shared with an earlier subscriber is not reused after the message was deleted', async () => {
    const { alice, bob, carol, dialogId, sentinel } = await cast();
    const since = await present(bob);
    const live = await listen(DIALOG_EVENTS, { dialogId }, alice);
    const id = await send(alice, dialogId, 'gone');
    await live.atLeast(1);
    const early = await listen(MESSAGE_SENT, { dialogId, since }, bob);
    await early.atLeast(1);
    await throughRest.deleteMessages(alice, [id], true);
    await live.atLeast(2);
    const late = await listen(MESSAGE_SENT, { dialogId, since }, carol);
    await send(alice, dialogId, 'kept');
    await late.atLeast(1);
    expect(late.payloads().map(({ messageSent }) => messageSent.message.text)).toEqual(['kept']);
    expect(await sentinel.receivedBy()).toEqual([]);
  });

  test('edits of messages that a user deleted for themselves are not delivered to that user', async () => {
    const { alice, bob, carol, dialogId, sentinel } = await cast();
    const lobby = await createDialog(alice, [], 'PUBLIC_GROUP');
    const ids = [await send(alice, dialogId, 'hidden'), await send(alice, lobby, 'hidden')];
    const since = await present(bob);
    await throughRest.deleteMessages(bob, ids);
    // All subscribers share one execution, and the first of them may see the message.
    const document = `subscription ($since: String) { dialogEvents(since: $since) { __typename dialogId
      ... on MessageSent { message { text } } ... on MessageEdited { message { text } } } }`;
    const open = async (as: QuickUser, variables = {}) => listen(document, variables, as);
    const live = [await open(alice), await open(carol), await open(bob), await open(alice)];
    await throughRest.edit(alice, ids, 'edited');
    const edited = ['edited', 'edited'];
    expect((await sentinel.receivedBy(...live)).map(textsOf)).toEqual([edited, edited, [], edited]);

    const [ofCarol] = await sentinel.receivedBy(await open(carol, { since }));
    const [ofBob] = await sentinel.receivedBy(await open(bob, { since }));
    expect(textsOf(ofCarol!)).toEqual(edited);
    expect(ofBob!.map((event) => event.__typename)).toEqual(['MessagesDeleted', 'MessagesDeleted']);
  });
});

describe('a failing resolver', () => {
  const document = `subscription ($dialogId: ID) { dialogEvents(dialogId: $dialogId) { __typename
    ... on MessageSent { message { text reactions { name count } } } } }`;

  test('a failing resolver affects only its own event, reveals no details, and the stream continues', async () => {
    const { alice, bob, carol, dialogId } = await cast();
    const received = [await listen(document, {}, bob), await listen(document, {}, carol)];
    const stream = await streamEvents(document, { dialogId }, bob);
    await until(() => running.app.services.hub.subscriptionCount === 3);
    await sql('ALTER TABLE reactions RENAME TO reactions_away');
    try {
      await send(alice, dialogId, 'fails');
      for (const one of received) await one.atLeast(1);
      await until(() => stream.results.length === 1);
    } finally {
      await sql('ALTER TABLE reactions_away RENAME TO reactions');
    }
    await throughGraphQL.send(alice, dialogId, 'works');
    for (const one of received) await one.atLeast(2);
    await until(() => stream.results.length === 2);
    const masked = { message: 'Internal server error', extensions: { code: 'INTERNAL_SERVER_ERROR' } };
    const works = { dialogEvents: { __typename: 'MessageSent', message: { text: 'works', reactions: [] } } };
    for (const one of received) expect(one.payloads()).toMatchObject([{ errors: [masked] }, works]);
    expect(stream.results).toMatchObject([{ errors: [masked] }, { data: works }]);
    expect(JSON.stringify([received[0]!.payloads(), stream.results])).not.toMatch(
      /relation|reactions_away|prisma|SELECT/i,
    );
    stream.abort();
  });
});
