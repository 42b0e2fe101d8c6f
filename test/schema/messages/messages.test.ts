import { describe, expect, test } from 'vitest';
import { clock, running, useApp } from '../../support/app/app.ts';
import { sql, statementsOf } from '../../support/app/sql.ts';
import { walk } from '../../support/clients/pages.ts';
import {
  createDialog,
  errorOf,
  execute,
  type QuickUser,
  quickUsers,
  send,
  sendMany,
} from '../../support/fixtures/chat.ts';
import { apiKey } from '../../support/fixtures/users.ts';

useApp();

const MESSAGE = `id dialogId text senderId sender { id } recipientId dateSent attachments customFields readIds deliveredIds
  read reactions { name } ownReactions createdAt updatedAt`;
const SEND = `mutation ($input: SendMessageInput!) { sendMessage(input: $input) { ${MESSAGE} } }`;

async function group(count: number): Promise<[QuickUser[], string]> {
  const users = await quickUsers(count);
  return [users, await createDialog(users[0]!, users.slice(1))];
}

describe('sendMessage', () => {
  test('sendMessage stores a message that its sender has read', async () => {
    const [[alice], dialogId] = await group(2);
    const input = {
      dialogId,
      text: 'hi ',
      attachments: [
        { type: 'image', id: 5, 'content-type': 'image/png' },
        { url: 'https://x.io/1', type: 'video' },
      ],
      customFields: { urgent: true, nested: { list: [1, null, 'x'] } },
    };
    const { sendMessage } = await execute(SEND, { input }, alice!);
    expect(sendMessage).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{24}$/),
      dialogId,
      text: 'hi',
      senderId: alice!.id,
      sender: { id: alice!.id },
      recipientId: 0,
      dateSent: Math.floor(running.now().getTime() / 1000),
      attachments: [
        { type: 'image', id: '5', 'content-type': 'image/png' },
        { url: 'https://x.io/1', type: 'video' },
      ],
      customFields: input.customFields,
      readIds: [alice!.id],
      deliveredIds: [alice!.id],
      read: false,
      reactions: [],
      ownReactions: [],
      createdAt: running.now().toISOString(),
      updatedAt: running.now().toISOString(),
    });
    expect(
      (await execute(`query ($id: ID!) { message(id: $id) { ${MESSAGE} } }`, { id: sendMessage.id }, alice!)).message,
    ).toEqual(sendMessage);
  });

  test('sendMessage accepts the sample of the contract', async () => {
    const [[alice], dialogId] = await group(2);
    const { sendMessage } = await execute(
      `mutation { sendMessage(input: { dialogId: "${dialogId}", text: "hi", customFields: { urgent: true } }) {
        id text senderId dateSent readIds customFields } }`,
      {},
      alice!,
    );
    expect(sendMessage).toMatchObject({ text: 'hi', readIds: [alice!.id], customFields: { urgent: true } });
  });

  test('sendMessage finds or creates the private dialog with a recipient, once for concurrent calls', async () => {
    const [alice, bob] = await quickUsers(2);
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, nth) => {
        const [from, to] = nth % 2 === 0 ? [alice!, bob!] : [bob!, alice!];
        return execute(SEND, { input: { recipientId: to.id, text: `hi ${nth}` } }, from);
      }),
    );
    expect(new Set(answers.map(({ sendMessage }) => sendMessage.dialogId)).size).toBe(1);
    for (const { sendMessage } of answers) {
      expect([alice!.id, bob!.id].sort((a, b) => a - b)).toEqual(
        [sendMessage.senderId, sendMessage.recipientId].sort((a, b) => a - b),
      );
    }
  });

  test('a message of a private dialog is read when the other user has read it', async () => {
    const [alice, bob] = await quickUsers(2);
    const { sendMessage } = await execute(SEND, { input: { recipientId: bob!.id, text: 'hi' } }, alice!);
    const shown = async () =>
      (await execute('query ($id: ID!) { message(id: $id) { read readIds } }', { id: sendMessage.id }, alice!)).message;
    expect(await shown()).toEqual({ read: false, readIds: [alice!.id] });
    await execute('mutation ($id: ID!) { readMessages(dialogId: $id) { skip } }', { id: sendMessage.dialogId }, bob!);
    expect(await shown()).toEqual({ read: true, readIds: [alice!.id, bob!.id] });
  });

  test('messages of a public group have no readers or counts, and all users may write', async () => {
    const [alice, bob] = await quickUsers(2);
    const dialogId = await createDialog(alice!, [], 'PUBLIC_GROUP');
    const { sendMessage } = await execute(SEND, { input: { dialogId, text: 'hi all' } }, bob!);
    expect(sendMessage).toMatchObject({ recipientId: 0, readIds: [], deliveredIds: [], read: false });
    const { readMessages } = await execute(
      'mutation ($id: ID!) { readMessages(dialogId: $id) { items { readIds } } }',
      { id: dialogId },
      alice!,
    );
    expect(readMessages.items).toEqual([{ readIds: [] }]);
    expect(await sql('SELECT 1 FROM message_marks WHERE dialog_id = $1', [dialogId])).toEqual([]);
  });

  test.each<[string, object, string]>([
    ['nothing', {}, "Message can't be blank"],
    ['blank text', { text: ' \n' }, "Message can't be blank"],
    ['only reserved keys', { customFields: { sender_id: 1, read_ids: [2] } }, "Message can't be blank"],
    ['an attachment without type', { attachments: [{ id: '1' }] }, 'Attachment should have type and id'],
    ['an attachment without id and url', { attachments: [{ type: 'x' }] }, 'Attachment should have type and id'],
    ['an attachment that is not an object', { attachments: ['x'] }, 'Attachment should have type and id'],
    [
      '21 attachments',
      { attachments: Array.from({ length: 21 }, () => ({ type: 'x', id: '1' })) },
      'Too many attachments (maximum is 20)',
    ],
    ['a text that is too long', { text: 'ä'.repeat(16_385) }, 'Message is too long (maximum is 32768 bytes)'],
    [
      'too many custom fields',
      { customFields: { x: 'y'.repeat(32_769) } },
      'Custom parameters are too large (maximum is 32768 bytes)',
    ],
  ])('sendMessage rejects %s', async (_name, content, message) => {
    const [[alice], dialogId] = await group(2);
    expect(await errorOf(SEND, { input: { dialogId, ...content } }, alice!)).toEqual({
      message,
      code: 'UNPROCESSABLE',
    });
  });

  test('sendMessage accepts values at the limits', async () => {
    const [[alice], dialogId] = await group(2);
    const text = 'ä'.repeat(16_384);
    expect((await execute(SEND, { input: { dialogId, text } }, alice!)).sendMessage.text).toBe(text);
  });

  test('sendMessage rejects a missing, unknown or inaccessible dialog or recipient', async () => {
    const [[alice, bob], dialogId] = await group(2);
    const [mallory] = await quickUsers(1);
    const refused = (input: object, as = alice!) => errorOf(SEND, { input: { text: 'x', ...input } }, as);
    expect(await refused({})).toMatchObject({ message: 'dialogId or recipientId is required' });
    expect(await refused({ recipientId: alice!.id })).toMatchObject({ message: 'Incorrect recipientId' });
    expect(await refused({ recipientId: 2_000_000_000 })).toMatchObject({ code: 'NOT_FOUND' });
    expect(await refused({ recipientId: -1 })).toMatchObject({ code: 'NOT_FOUND' });
    expect(await refused({ dialogId: '0'.repeat(24) })).toMatchObject({ code: 'NOT_FOUND' });
    expect(await refused({ dialogId: 'x' })).toMatchObject({ code: 'NOT_FOUND' });
    expect(await refused({ dialogId }, mallory!)).toMatchObject({ code: 'FORBIDDEN' });
    expect(await refused({ dialogId: '0'.repeat(24), recipientId: bob!.id })).toMatchObject({ code: 'NOT_FOUND' });
    for (const customFields of ['x', [1], 7]) {
      expect(await refused({ dialogId, customFields })).toMatchObject({ code: 'BAD_USER_INPUT' });
    }
    expect(await sql('SELECT 1 FROM messages WHERE dialog_id = $1', [dialogId])).toEqual([]);
  });

  test('row 8: reserved names in custom fields are dropped; row 10: prototype names have no effect', async () => {
    const [[alice], dialogId] = await group(2);
    const customFields = JSON.parse(
      '{"_id":"x","sender_id":1,"read_ids":[1],"date_sent":1,"reactions":{},"ok":1,"__proto__":{"admin":true},"constructor":"c"}',
    );
    const { sendMessage } = await execute(SEND, { input: { dialogId, customFields } }, alice!);
    expect(Object.keys(sendMessage.customFields).sort()).toEqual(expect.arrayContaining(['constructor', 'ok']));
    for (const name of ['_id', 'sender_id', 'read_ids', 'date_sent', 'reactions']) {
      expect(Object.hasOwn(sendMessage.customFields, name)).toBe(false);
    }
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
  });

  test('row 6: deeply nested values are rejected without crashing', async () => {
    const [[alice], dialogId] = await group(2);
    const depth = 50_000;
    const query = JSON.stringify(SEND);
    const response = await fetch(`${running.url}/graphql`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...alice!.headers },
      body: `{"query":${query},"variables":{"input":{"dialogId":"${dialogId}","customFields":{"x":${'['.repeat(depth)}${']'.repeat(depth)}}}}}`,
    });
    const { errors } = (await response.json()) as { errors: { extensions: { code: string } }[] };
    expect(errors[0]!.extensions.code).toBe('BAD_USER_INPUT');
    await send(alice!, dialogId, 'still there');
  });
});

describe('message', () => {
  const ONE = 'query ($id: ID!) { message(id: $id) { id text } }';

  test('message is available to occupants and API keys and marks nothing as read', async () => {
    const [[alice, bob], dialogId] = await group(2);
    const [mallory] = await quickUsers(1);
    const id = await send(alice!, dialogId, 'hi');
    for (const reader of [alice!, bob!, apiKey]) {
      expect((await execute(ONE, { id }, reader)).message).toEqual({ id, text: 'hi' });
    }
    expect(await errorOf(ONE, { id }, mallory!)).toMatchObject({ code: 'FORBIDDEN' });
    for (const unknown of ['0'.repeat(24), 'x', '']) {
      expect(await errorOf(ONE, { id: unknown }, alice!)).toMatchObject({ code: 'NOT_FOUND' });
    }
    expect(
      (await execute('query ($id: ID!) { message(id: $id) { readIds } }', { id }, alice!)).message.readIds,
    ).toEqual([alice!.id]);
  });
});

const LIST = `query ($dialogId: ID!, $filter: MessageFilter, $orderBy: MessageOrder, $first: Int, $after: String,
    $last: Int, $before: String) {
  messages(dialogId: $dialogId, filter: $filter, orderBy: $orderBy, first: $first, after: $after, last: $last,
      before: $before) {
    totalCount
    edges { cursor node { id text } }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  }
}`;

describe('messages', () => {
  test('messages returns the sample of the contract', async () => {
    const [[alice], dialogId] = await group(2);
    const [first, second, third] = await sendMany(alice!, dialogId, 3);
    const sample = `query ($id: ID!, $after: String) { messages(dialogId: $id, first: 2, after: $after) {
      edges { cursor node { id text } } pageInfo { hasNextPage endCursor } } }`;
    const { messages } = await execute(sample, { id: dialogId }, alice!);
    expect(messages.edges.map((edge: { node: object }) => edge.node)).toEqual([
      { id: first, text: 'message 1' },
      { id: second, text: 'message 2' },
    ]);
    expect(messages.pageInfo).toEqual({ hasNextPage: true, endCursor: messages.edges[1].cursor });
    const rest = await execute(sample, { id: dialogId, after: messages.pageInfo.endCursor }, alice!);
    expect(rest.messages.edges).toMatchObject([{ node: { id: third } }]);
    expect(rest.messages.pageInfo.hasNextPage).toBe(false);
  });

  test('messages can be paged in every order, direction and page size', async () => {
    const [[alice, bob], dialogId] = await group(2);
    const ids: string[] = [];
    for (const nth of [0, 1, 2, 3, 4, 5, 6]) {
      if (nth % 3 === 2) clock.advance(700);
      ids.push(await send(nth % 2 ? alice! : bob!, dialogId, `message ${nth}`));
    }
    await sql(`UPDATE messages SET updated_at = updated_at + interval '1 hour' WHERE id = ANY($1)`, [[ids[1], ids[4]]]);
    const page = (variables: object) =>
      execute(LIST, { dialogId, ...variables }, alice!).then(({ messages }) => messages);
    const byUpdate = [...ids.filter((_, nth) => nth !== 1 && nth !== 4), ids[1]!, ids[4]!];
    for (const [field, ascending] of [
      ['ID', ids],
      ['DATE_SENT', ids],
      ['CREATED_AT', ids],
      ['UPDATED_AT', byUpdate],
    ] as const) {
      for (const direction of ['ASC', 'DESC']) {
        const whole = direction === 'ASC' ? ascending : [...ascending].reverse();
        for (const size of [1, 2, 3, 7, 100]) {
          for (const way of ['forward', 'backward'] as const) {
            const walked = await walk((more) => page({ orderBy: { field, direction }, ...more }), size, way);
            expect([field, direction, size, way, walked]).toEqual([field, direction, size, way, whole]);
          }
        }
      }
    }
    expect(await walk(page, 3, 'forward')).toEqual(ids);
    expect(await walk(page, 3, 'backward')).toEqual(ids);
  });

  test('a page between two cursors does not move when messages arrive', async () => {
    const [[alice], dialogId] = await group(2);
    const ids = await sendMany(alice!, dialogId, 6);
    const { messages } = await execute(LIST, { dialogId }, alice!);
    const cursors = messages.edges.map((edge: { cursor: string }) => edge.cursor);
    await send(alice!, dialogId, 'more');
    const inside = await execute(LIST, { dialogId, first: 10, after: cursors[1], before: cursors[4] }, alice!);
    expect(inside.messages.edges.map((edge: { node: { id: string } }) => edge.node.id)).toEqual(ids.slice(2, 4));
    expect(inside.messages.totalCount).toBe(7);
    const backward = await execute(LIST, { dialogId, last: 2, before: cursors[3] }, alice!);
    expect(backward.messages.edges.map((edge: { node: { id: string } }) => edge.node.id)).toEqual(ids.slice(1, 3));
    expect(backward.messages.pageInfo).toMatchObject({ hasPreviousPage: true, hasNextPage: true });
  });

  test('messages can be filtered by every field', async () => {
    const [[alice, bob], dialogId] = await group(2);
    const texts = ['Apple', 'apple pie', '100%', 'b_c', ''];
    const ids: string[] = [];
    for (const [nth, text] of texts.entries()) {
      clock.advance(1000);
      const input = {
        dialogId,
        text,
        attachments:
          nth === 4
            ? [
                { type: 'image', id: '1' },
                { type: 'audio', id: '2' },
              ]
            : [],
      };
      ids.push((await execute(SEND, { input }, nth % 2 ? bob! : alice!)).sendMessage.id);
    }
    const end = Math.floor(running.now().getTime() / 1000);
    const found = async (filter: object): Promise<number[]> => {
      const { messages } = await execute(LIST, { dialogId, filter }, alice!);
      expect(messages.totalCount).toBe(messages.edges.length);
      return messages.edges.map((edge: { node: { id: string } }) => ids.indexOf(edge.node.id));
    };
    expect(await found({ id: { eq: ids[2] } })).toEqual([2]);
    expect(await found({ id: { gt: ids[2] } })).toEqual([3, 4]);
    expect(await found({ id: { notIn: [ids[0], 'x'] } })).toEqual([1, 2, 3, 4]);
    expect(await found({ text: { eq: 'Apple' } })).toEqual([0]);
    expect(await found({ text: { contains: 'APPLE' } })).toEqual([0, 1]);
    expect(await found({ text: { contains: '%' } })).toEqual([2]);
    expect(await found({ text: { contains: '_' } })).toEqual([3]);
    expect(await found({ text: { contains: '\\' } })).toEqual([]);
    expect(await found({ text: { ne: '' } })).toEqual([0, 1, 2, 3]);
    expect(await found({ senderId: { eq: bob!.id } })).toEqual([1, 3]);
    expect(await found({ senderId: { in: [alice!.id, 7] } })).toEqual([0, 2, 4]);
    expect(await found({ recipientId: { eq: 0 } })).toEqual([0, 1, 2, 3, 4]);
    expect(await found({ dateSent: { gt: end - 1.5 } })).toEqual([3, 4]);
    expect(await found({ dateSent: { gte: end - 2, lt: end } })).toEqual([2, 3]);
    expect(await found({ dateSent: { gt: end - 1.5, lte: end - 0.5 } })).toEqual([3]);
    expect(await found({ attachmentType: { eq: 'image' } })).toEqual([4]);
    expect(await found({ attachmentType: { ne: 'image' } })).toEqual([0, 1, 2, 3]);
    expect(await found({ attachmentType: { in: ['video', 'audio'] } })).toEqual([4]);
    expect(await found({ attachmentType: { notIn: ['audio'] } })).toEqual([0, 1, 2, 3]);
    expect(await found({ attachmentType: { all: ['audio', 'image'] } })).toEqual([4]);
    expect(await found({ attachmentType: { all: ['audio', 'video'] } })).toEqual([]);
    expect(await found({ createdAt: { gte: running.now().toISOString() } })).toEqual([4]);
    expect(await found({ updatedAt: { lt: running.now().toISOString() } })).toEqual([0, 1, 2, 3]);
    expect(await found({ or: [{ text: { eq: 'Apple' } }, { senderId: { eq: bob!.id } }] })).toEqual([0, 1, 3]);
    expect(await found({ or: [{ or: [{ text: { eq: 'b_c' } }] }], senderId: { eq: alice!.id } })).toEqual([]);
  });

  test.each([
    ['first', 0],
    ['first', 101],
    ['last', -1],
    ['last', 101],
  ])('messages rejects %s: %i', async (argument, value) => {
    const [[alice], dialogId] = await group(2);
    expect(await errorOf(LIST, { dialogId, [argument]: value }, alice!)).toEqual({
      message: `${argument} should be between 1 and 100`,
      code: 'BAD_USER_INPUT',
    });
  });

  test('messages rejects first together with last', async () => {
    const [[alice], dialogId] = await group(2);
    expect(await errorOf(LIST, { dialogId, first: 1, last: 1 }, alice!)).toMatchObject({ code: 'BAD_USER_INPUT' });
  });

  test('row 11: a foreign cursor with any content is rejected', async () => {
    const [[alice], dialogId] = await group(2);
    await send(alice!, dialogId, 'hi');
    const packed = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const garbage = [
      '',
      'x',
      '%%%',
      packed(null),
      packed({}),
      packed([]),
      packed(['x', 1]),
      packed([{}, 'x']),
      packed([[1], 'x']),
      packed(['abc', 'x']),
      packed([1e300, 'x']),
      packed([1.5, 'x']),
      packed(['1; DROP TABLE users; --', 'x']),
      packed(['1\u0000', 'x']),
      packed([1, 'x\u0000']),
      packed(['2026-13-99', 'x']),
    ];
    for (const field of ['DATE_SENT', 'ID', 'CREATED_AT']) {
      for (const cursor of garbage) {
        for (const argument of ['after', 'before']) {
          const variables = { dialogId, orderBy: { field, direction: 'ASC' }, [argument]: cursor };
          const outcome = await execute(LIST, variables, alice!).then(
            () => (field === 'ID' ? 'a place like any other' : 'BAD_USER_INPUT was expected'),
            (error) => String(error),
          );
          expect([field, argument, cursor, outcome]).toEqual([
            field,
            argument,
            cursor,
            expect.stringMatching(/"code":"BAD_USER_INPUT"|a place like any other/),
          ]);
        }
      }
    }
  });

  test('row 40: timestamps and numbers at their limits are accepted or rejected by name', async () => {
    const [[alice], dialogId] = await group(2);
    await send(alice!, dialogId, 'hi');
    for (const filter of [
      { createdAt: { gt: '0000-01-01T00:00:00Z' } },
      { createdAt: { lt: '9999-12-31T23:59:59.999Z' } },
      { createdAt: { in: ['0001-01-01T00:00:00Z'] } },
      { dateSent: { lt: 1e308 } },
      { dateSent: { gt: -1e308 } },
      { senderId: { gt: -2_147_483_648 } },
      { id: { gt: '' } },
      { or: Array.from({ length: 2_000 }, (_, nth) => ({ senderId: { eq: nth } })) },
      { senderId: { in: Array.from({ length: 20_000 }, (_, nth) => nth) } },
    ]) {
      const outcome = await execute(LIST, { dialogId, filter }, alice!).then(
        () => 'answered',
        (error) => (String(error).includes('BAD_USER_INPUT') ? 'refused' : String(error)),
      );
      expect([JSON.stringify(filter).slice(0, 60), outcome]).toEqual([
        JSON.stringify(filter).slice(0, 60),
        expect.stringMatching(/^(answered|refused)$/),
      ]);
    }
    const deep = '{"or":['.repeat(20_000) + ']}'.repeat(20_000);
    const response = await fetch(`${running.url}/graphql`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...alice!.headers },
      body: `{"query":${JSON.stringify(LIST)},"variables":{"dialogId":"${dialogId}","filter":${deep}}}`,
    });
    const { errors } = (await response.json()) as { errors: { extensions: { code: string } }[] };
    expect(errors[0]!.extensions.code).toBe('BAD_USER_INPUT');
  });

  test('messages is available to occupants and API keys', async () => {
    const [, dialogId] = await group(2);
    const [mallory] = await quickUsers(1);
    expect(await errorOf(LIST, { dialogId }, mallory!)).toMatchObject({ code: 'FORBIDDEN' });
    expect(await errorOf(LIST, { dialogId: '0'.repeat(24) }, mallory!)).toMatchObject({ code: 'NOT_FOUND' });
    expect((await execute(LIST, { dialogId }, apiKey)).messages).toMatchObject({ totalCount: 0, edges: [] });
  });

  test('a page with senders, readers and reactions requires few statements, regardless of its length', async () => {
    const [users, dialogId] = await group(5);
    const ids = await Promise.all(Array.from({ length: 50 }, (_, nth) => send(users[nth % 5]!, dialogId, `m ${nth}`)));
    for (const id of ids.slice(0, 5)) {
      await execute('mutation ($id: ID!) { addReaction(messageId: $id, name: "like") { id } }', { id }, users[0]!);
    }
    const document = `query ($dialogId: ID!, $first: Int) { messages(dialogId: $dialogId, first: $first) {
      totalCount edges { node { id sender { id login } readIds deliveredIds read reactions { name count own } ownReactions } }
    } }`;
    const statements = async (first: number) => {
      let shown = 0;
      const sent = await statementsOf(async () => {
        shown = (await execute(document, { dialogId, first }, users[1]!)).messages.edges.length;
      });
      expect(shown).toBe(first);
      return sent;
    };
    const ofOne = await statements(1);
    const ofAll = await statements(50);
    expect(ofAll.length).toBe(ofOne.length);
    // Key, user, dialog, page, count, senders, readers, marks, reactions.
    expect(ofAll.length).toBeLessThanOrEqual(9);
  });
});

describe('readMessages', () => {
  const READ = `mutation ($dialogId: ID!, $skip: Int!, $limit: Int!, $markAsRead: Boolean!, $orderBy: MessageOrder,
      $filter: MessageFilter) {
    readMessages(dialogId: $dialogId, skip: $skip, limit: $limit, markAsRead: $markAsRead, orderBy: $orderBy,
        filter: $filter) {
      skip limit totalCount items { id readIds deliveredIds }
    }
  }`;
  const all = { skip: 0, limit: 100, markAsRead: true };
  const unread = async (as: QuickUser, id: string): Promise<number> =>
    (await execute('query ($id: ID!) { dialog(id: $id) { unreadMessagesCount } }', { id }, as)).dialog
      .unreadMessagesCount;

  test('readMessages marks the returned messages for the caller and shows the marks', async () => {
    const [[alice, bob, carol], dialogId] = await group(3);
    const ids = await sendMany(alice!, dialogId, 4);
    const { readMessages } = await execute(READ, { ...all, dialogId, skip: 1, limit: 2 }, bob!);
    const both = { readIds: [alice!.id, bob!.id], deliveredIds: [alice!.id, bob!.id] };
    expect(readMessages).toEqual({
      skip: 1,
      limit: 2,
      totalCount: 4,
      items: [
        { id: ids[1], ...both },
        { id: ids[2], ...both },
      ],
    });
    expect([await unread(alice!, dialogId), await unread(bob!, dialogId), await unread(carol!, dialogId)]).toEqual([
      0, 2, 4,
    ]);
  });

  test('readMessages marks nothing with markAsRead false or for an API key alone', async () => {
    const [[alice, bob], dialogId] = await group(2);
    await sendMany(alice!, dialogId, 2);
    await execute(READ, { ...all, dialogId, markAsRead: false }, bob!);
    const { readMessages } = await execute(READ, { ...all, dialogId }, apiKey);
    expect(readMessages.items).toMatchObject([{ readIds: [alice!.id] }, { readIds: [alice!.id] }]);
    expect(await unread(bob!, dialogId)).toBe(2);
  });

  test('readMessages marks only messages that match the filter, in any order', async () => {
    const [[alice, bob], dialogId] = await group(2);
    const ids = await sendMany(alice!, dialogId, 5);
    const orderBy = { field: 'DATE_SENT', direction: 'DESC' };
    const newest = await execute(READ, { ...all, dialogId, limit: 2, orderBy }, bob!);
    expect(newest.readMessages.items.map((item: { id: string }) => item.id)).toEqual([ids[4], ids[3]]);
    await execute(READ, { ...all, dialogId, filter: { id: { eq: ids[0] } } }, bob!);
    expect(await unread(bob!, dialogId)).toBe(2);
    const { readMessages } = await execute(READ, { ...all, dialogId, markAsRead: false }, bob!);
    expect(readMessages.items.map((item: { readIds: number[] }) => item.readIds.includes(bob!.id))).toEqual([
      true,
      false,
      false,
      true,
      true,
    ]);
  });

  test.each([
    ['limit', 0],
    ['limit', -1],
    ['limit', 101],
    ['limit', 2_147_483_647],
    ['skip', -1],
  ])('readMessages rejects %s: %i', async (argument, value) => {
    const [[alice], dialogId] = await group(2);
    expect(await errorOf(READ, { ...all, dialogId, [argument]: value }, alice!)).toMatchObject({
      code: 'BAD_USER_INPUT',
    });
  });

  test('a mutation sees the changes of earlier mutations in the document', async () => {
    const [[alice, bob], dialogId] = await group(2);
    await send(alice!, dialogId, 'hi');
    const { before, after } = await execute(
      `mutation ($id: ID!) {
        before: readMessages(dialogId: $id, markAsRead: false) { items { readIds } }
        after: readMessages(dialogId: $id) { items { readIds } }
      }`,
      { id: dialogId },
      bob!,
    );
    expect(before.items).toEqual([{ readIds: [alice!.id] }]);
    expect(after.items).toEqual([{ readIds: [alice!.id, bob!.id] }]);
  });
});
