import { describe, expect, test } from 'vitest';
import { useApp } from '../../support/app/app.ts';
import { sql } from '../../support/app/sql.ts';
import { createDialog, errorOf, execute, quickUsers, send } from '../../support/fixtures/chat.ts';
import { apiKey } from '../../support/fixtures/users.ts';

useApp();

const ADD = `mutation ($id: ID!, $name: String) {
  addReaction(messageId: $id, name: $name) { id ownReactions reactions { name count own } } }`;
const REMOVE = `mutation ($id: ID!, $name: String) {
  removeReaction(messageId: $id, name: $name) { id ownReactions reactions { name count own } } }`;
const LIST = 'query ($id: ID!) { reactions(messageId: $id) { name userIds } }';

async function message() {
  const [alice, bob, mallory] = await quickUsers(3);
  const id = await send(alice!, await createDialog(alice!, [bob!]), 'hi');
  return { alice: alice!, bob: bob!, mallory: mallory!, id };
}

describe('addReaction and removeReaction', () => {
  test('addReaction and removeReaction change the reactions that each caller sees', async () => {
    const { alice, bob, id } = await message();
    expect((await execute(ADD, { id, name: 'like' }, bob)).addReaction).toEqual({
      id,
      ownReactions: ['like'],
      reactions: [{ name: 'like', count: 1, own: true }],
    });
    await execute(ADD, { id, name: 'haha' }, alice);
    expect((await execute(ADD, { id, name: ' like ' }, alice)).addReaction).toEqual({
      id,
      ownReactions: ['haha', 'like'],
      reactions: [
        { name: 'like', count: 2, own: true },
        { name: 'haha', count: 1, own: true },
      ],
    });
    expect((await execute(REMOVE, { id, name: 'like' }, bob)).removeReaction).toEqual({
      id,
      ownReactions: [],
      reactions: [
        { name: 'haha', count: 1, own: false },
        { name: 'like', count: 1, own: false },
      ],
    });
    const seen = await execute(
      'query ($id: ID!) { message(id: $id) { ownReactions reactions { own } } }',
      { id },
      apiKey,
    );
    expect(seen.message).toEqual({ ownReactions: [], reactions: [{ own: false }, { own: false }] });
  });

  test('repeating addReaction or removeReaction changes nothing and publishes no event', async () => {
    const { bob, id } = await message();
    await Promise.all(Array.from({ length: 10 }, () => execute(ADD, { id, name: 'like' }, bob)));
    expect((await execute(LIST, { id }, bob)).reactions).toEqual([{ name: 'like', userIds: [bob.id] }]);
    const announced = await sql("SELECT 1 FROM events_outbox WHERE subject_id = $1 AND kind = 'reactionAdded'", [id]);
    expect(announced).toHaveLength(1);
  });

  test('of concurrent removals of one reaction, one succeeds', async () => {
    const { bob, id } = await message();
    await execute(ADD, { id, name: 'like' }, bob);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 10 }, () => execute(REMOVE, { id, name: 'like' }, bob)),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const announced = await sql("SELECT 1 FROM events_outbox WHERE subject_id = $1 AND kind = 'reactionRemoved'", [id]);
    expect(announced).toHaveLength(1);
  });

  test('names of up to 64 characters are distinguished by every character', async () => {
    const { bob, id } = await message();
    for (const name of ['👍', '👍🏽', 'Like', 'like', '__proto__', 'constructor', '😀'.repeat(64), "'; --"]) {
      await execute(ADD, { id, name }, bob);
    }
    const { reactions } = await execute(LIST, { id }, bob);
    expect(reactions.map((reaction: { name: string }) => reaction.name)).toEqual([
      '👍',
      '👍🏽',
      'Like',
      'like',
      '__proto__',
      'constructor',
      '😀'.repeat(64),
      "'; --",
    ]);
  });

  test.each([
    ['nothing', null],
    ['an empty name', ''],
    ['a blank name', ' \t'],
    ['a long name', 'x'.repeat(65)],
    ['a control character', 'a\u0007b'],
  ])('addReaction and removeReaction reject %s', async (_name, name) => {
    const { bob, id } = await message();
    for (const document of [ADD, REMOVE]) {
      expect(await errorOf(document, { id, name }, bob)).toEqual({
        message: 'name should have 1 to 64 characters',
        code: 'BAD_USER_INPUT',
      });
    }
  });

  test('addReaction and removeReaction reject invalid ids, unknown messages, outsiders and missing reactions', async () => {
    const { alice, bob, mallory, id } = await message();
    await execute(ADD, { id, name: 'like' }, alice);
    for (const document of [ADD, REMOVE]) {
      for (const malformed of ['x', '', id.toUpperCase().replace(/^./, 'G'), `${id}0`]) {
        expect(await errorOf(document, { id: malformed, name: 'like' }, bob)).toEqual({
          message: 'messageId is not valid',
          code: 'BAD_USER_INPUT',
        });
      }
      expect(await errorOf(document, { id: '0'.repeat(24), name: 'like' }, bob)).toEqual({
        message: 'Message not found for the specified user and message ID.',
        code: 'NOT_FOUND',
      });
      expect(await errorOf(document, { id, name: 'like' }, mallory)).toMatchObject({ code: 'FORBIDDEN' });
    }
    expect(await errorOf(REMOVE, { id, name: 'like' }, bob)).toEqual({
      message: 'Reaction not found for the specified user and message ID.',
      code: 'NOT_FOUND',
    });
  });

  test('several mutations in one document each see the earlier ones', async () => {
    const { bob, id } = await message();
    const { a, b, c } = await execute(
      `mutation ($id: ID!) {
        a: addReaction(messageId: $id, name: "like") { reactions { name } ownReactions }
        b: addReaction(messageId: $id, name: "haha") { reactions { name } ownReactions }
        c: removeReaction(messageId: $id, name: "like") { reactions { name } ownReactions }
      }`,
      { id },
      bob,
    );
    expect([a.ownReactions, b.ownReactions, c.ownReactions]).toEqual([['like'], ['like', 'haha'], ['haha']]);
    expect(c.reactions).toEqual([{ name: 'haha' }]);
  });
});

describe('reactions', () => {
  test('reactions lists the users by name in the order of their first reaction', async () => {
    const { alice, bob, mallory, id } = await message();
    expect((await execute(LIST, { id }, alice)).reactions).toEqual([]);
    await execute(ADD, { id, name: 'z' }, bob);
    await execute(ADD, { id, name: 'a' }, alice);
    await execute(ADD, { id, name: 'z' }, alice);
    for (const reader of [alice, bob, apiKey]) {
      expect((await execute(LIST, { id }, reader)).reactions).toEqual([
        { name: 'z', userIds: [alice.id, bob.id] },
        { name: 'a', userIds: [alice.id] },
      ]);
    }
    expect(await errorOf(LIST, { id }, mallory)).toMatchObject({ code: 'FORBIDDEN' });
    expect(await errorOf(LIST, { id: 'x' }, alice)).toMatchObject({ code: 'BAD_USER_INPUT' });
    expect(await errorOf(LIST, { id: '0'.repeat(24) }, alice)).toMatchObject({ code: 'NOT_FOUND' });
  });
});
