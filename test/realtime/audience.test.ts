import { expect, test } from 'vitest';
import { db } from '../../src/db/client.ts';
import type { StreamRow } from '../../src/realtime/outbox-reader.ts';
import { RecipientResolver } from '../../src/realtime/recipients.ts';
import { APPLICATION, useApp } from '../support/app/app.ts';
import { graphql, subscribe } from '../support/clients/graphql.ts';
import { createUsers, type TestUser } from '../support/fixtures/users.ts';

useApp();

async function createGroup(owner: TestUser, others: TestUser[]): Promise<string> {
  const { data } = await graphql(
    'mutation ($ids: [Int!]) { createDialog(input: { type: GROUP, name: "g", occupantIds: $ids }) { id } }',
    { ids: others.map((other) => other.id) },
    owner,
  );
  return data.createDialog.id;
}

async function rowOf(dialogId: string): Promise<StreamRow> {
  const dialog = await db.dialog.findUniqueOrThrow({
    where: { applicationId_id: { applicationId: APPLICATION.id, id: dialogId } },
  });
  return {
    position: 1n,
    applicationId: APPLICATION.id,
    kind: 'messageSent',
    dialogId,
    subjectId: '',
    userId: null,
    name: null,
    detail: null,
    audienceIds: null,
    classKey: null,
    dialogType: dialog.type,
    memberVersion: dialog.memberVersion,
  };
}

test('RecipientResolver knows the occupants for every row of a batch that exceeds its cache', async () => {
  const [alice, bob] = await createUsers(2);
  const rows = await Promise.all([0, 1, 2, 3].map(async () => rowOf(await createGroup(alice, [bob]))));
  const audience = new RecipientResolver(2);
  await audience.of([rows[0]!, rows[1]!]);

  const knowing = await audience.of([rows[0]!, rows[2]!, rows[3]!, rows[1]!]);
  for (const row of rows) expect(knowing(row)).toEqual(new Set([alice.id, bob.id]));
  expect(await audience.confine(rows, { viewer: asViewer(bob), kind: 'messageSent', dialogId: undefined })).toEqual(
    rows,
  );
});

test('a subscriber who keeps up receives a burst above the queue limit in order', async () => {
  const [alice, bob] = await createUsers(2);
  const dialogId = await createGroup(alice, [bob]);
  const receivedEvents = await subscribe('subscription { messageSent { message { text sender { login } } } }', {}, bob);
  const total = 1_500;
  const send =
    'mutation ($dialogId: ID!, $text: String!) { sendMessage(input: { dialogId: $dialogId, text: $text }) { id } }';
  const received: string[] = [];
  const reading = (async () => {
    while (received.length < total) received.push((await receivedEvents.next()).messageSent.message.text);
  })();
  for (let sent = 0; sent < total; sent += 20) {
    const turn = Array.from({ length: 20 }, (_, index) => graphql(send, { dialogId, text: `${sent + index}` }, alice));
    await Promise.all(turn);
  }
  await reading;
  expect(received.toSorted((a, b) => Number(a) - Number(b))).toEqual(
    Array.from({ length: total }, (_, index) => `${index}`),
  );
  const stored = await db.message.findMany({ where: { dialogId }, orderBy: { seq: 'asc' }, select: { text: true } });
  expect(received).toEqual(stored.map((message) => message.text));
  await receivedEvents.close();
});

function asViewer(user: TestUser) {
  return { kind: 'user' as const, applicationId: APPLICATION.id, catalogueVersion: 0, userId: user.id };
}
