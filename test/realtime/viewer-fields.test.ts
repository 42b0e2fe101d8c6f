import { afterEach, expect, test } from 'vitest';
import { clock, running, useApp } from '../support/app/app.ts';
import { throughRest } from '../support/clients/chat-transports.ts';
import { eventsOf, type ReceivedEvent } from '../support/clients/live.ts';
import { closeSockets, type LiveSubscription, listen } from '../support/clients/websocket.ts';
import { createDialog, send } from '../support/fixtures/chat.ts';
import { apiKey, type Caller, createUser } from '../support/fixtures/users.ts';

useApp();

afterEach(() => closeSockets());

/** Selects one field, which alone decides whether results can be shared. */
function documentFor(field: string): string {
  const isOfMessage = field.includes('eactions');
  return `subscription ($dialogId: ID) { dialogEvents(dialogId: $dialogId) { __typename ...Changed
    ... on MessageEdited { message { id ${isOfMessage ? field : ''} } } } }
    fragment Changed on DialogChanged { dialog { id ${isOfMessage ? '' : field} } }`;
}

async function receivedBy(
  callers: Caller[],
  { dialogId, field, act }: { dialogId?: string; field: string; act: () => Promise<unknown> },
): Promise<ReceivedEvent[]> {
  const received: LiveSubscription[] = [];
  for (const as of callers) received.push(await listen(documentFor(field), { dialogId }, as));
  await act();
  const events: ReceivedEvent[] = [];
  for (const one of received) {
    await one.atLeast(1);
    events.push(eventsOf(one)[0]);
    await one.close();
  }
  return events;
}

test('each occupant sees a group with their own unread count and last visible message', async () => {
  const [alice, bob, carol] = [await createUser(), await createUser(), await createUser()];
  const dialogId = await createDialog(alice, [bob, carol]);
  const first = await send(alice, dialogId, 'first');
  clock.advance(5_000);
  const last = await send(bob, dialogId, 'last');
  await throughRest.mark(alice, [last], { read: true });
  await throughRest.deleteMessages(carol, [last]);
  const sentAt = Math.floor(running.now().getTime() / 1000);
  const expected = {
    unreadMessagesCount: [0, 1, 1, 0],
    lastMessage: ['last', 'last', 'first', 'last'],
    lastMessageId: [last, last, first, last],
    lastMessageUserId: [bob.id, bob.id, alice.id, bob.id],
    lastMessageDateSent: [sentAt, sentAt, sentAt - 5, sentAt],
  };
  for (const [field, values] of Object.entries(expected)) {
    const act = () => throughRest.update(alice, dialogId, { name: field });
    const events = await receivedBy([alice, bob, carol, apiKey], { dialogId, field, act });
    expect(events.map(({ dialog }) => dialog[field])).toEqual(values);
  }
});

test('each user sees a private dialog under the name of the other', async () => {
  const [alice, bob] = [await createUser({ full_name: 'Alice' }), await createUser({ full_name: 'Bob' })];
  const act = () => throughRest.createPrivate(alice, bob);
  const events = await receivedBy([alice, bob, apiKey], { field: 'name', act });
  expect(events.map(({ dialog }) => dialog.name)).toEqual(['Bob', 'Alice', 'Bob']);
});

test('each user sees their own reactions', async () => {
  const [alice, bob] = [await createUser(), await createUser()];
  const dialogId = await createDialog(alice, [bob]);
  const id = await send(alice, dialogId, 'Hi');
  await throughRest.react(alice, id, 'like');
  await throughRest.react(bob, id, 'like');
  await throughRest.react(bob, id, 'wow');
  const act = () => throughRest.edit(alice, [id], 'Hello');
  const callers = [alice, bob, apiKey];
  const own = await receivedBy(callers, { dialogId, field: 'ownReactions', act });
  expect(own.map(({ message }) => message.ownReactions)).toEqual([['like'], ['like', 'wow'], []]);
  const reactions = (like: boolean, wow: boolean) => [
    { name: 'like', count: 2, own: like },
    { name: 'wow', count: 1, own: wow },
  ];
  const all = await receivedBy(callers, { dialogId, field: 'reactions { name count own }', act });
  expect(all.map(({ message }) => message.reactions)).toEqual([
    reactions(true, false),
    reactions(true, true),
    reactions(false, false),
  ]);
});
