import { beforeAll, describe } from 'vitest';
import { useApp } from '../../support/app/app.ts';
import { type Scenario, testScenarios } from '../../support/clients/rest-table.ts';
import { type ChatCast, createChatCast } from '../../support/fixtures/chat-cast.ts';
import {
  BAD_MESSAGE_ID,
  BAD_NAME,
  MAY_NOT_PERFORM,
  NEED_USER,
  NOT_FOUND,
  TOKEN_REQUIRED,
} from '../../support/fixtures/error-bodies.ts';

useApp();

let cast: ChatCast;
beforeAll(async () => {
  cast = await createChatCast();
});

const NO_MESSAGE = { errors: ['Message not found for the specified user and message ID.'] };
const NO_REACTION = { errors: ['Reaction not found for the specified user and message ID.'] };
const HERE = '/chat/Message/{hello}/reactions';

const change = (
  name: string,
  as: string,
  body: object | string | undefined,
  status = 200,
  answer?: unknown,
): Scenario => [name, as, 'PUT', HERE, body, status, answer];
const left = (reactions: object): Scenario => [
  'the remaining reactions',
  'carol',
  'GET',
  `${HERE}.json`,
  undefined,
  200,
  reactions,
];

describe('PUT /chat/Message/{id}/reactions', () => {
  testScenarios(
    () => cast,
    [
      change('adds', 'bob', { add: 'like' }),
      change('adds what is there', 'bob', 'add=like'),
      left({ like: ['{bob}'] }),
      change('does both', 'bob', { add: ' haha', remove: 'like ' }),
      left({ haha: ['{bob}'] }),
      change('adds for a key', 'key for alice', { add: 5 }),
      ['by a query', 'alice', 'PUT', `${HERE}.json?add=love&remove=5`, undefined, 200, undefined],
      left({ haha: ['{bob}'], love: ['{alice}'] }),
      change('removes', 'alice', { remove: 'love', add: null }),
      left({ haha: ['{bob}'] }),
      change('removes and adds the same', 'bob', { add: 'haha', remove: 'haha' }),
      left({ haha: ['{bob}'] }),
      change('removes what is not there', 'alice', { remove: 'haha' }, 404, NO_REACTION),
      change('nor adds then', 'alice', { remove: 'haha', add: 'like' }, 404, NO_REACTION),
      change('nor the same', 'alice', { remove: 'like', add: 'like' }, 404, NO_REACTION),
      left({ haha: ['{bob}'] }),
    ],
  );

  testScenarios(
    () => cast,
    [
      change('neither', 'bob', {}, 400, BAD_NAME),
      change('no body', 'bob', undefined, 400, BAD_NAME),
      change('nulls', 'bob', { add: null, remove: null }, 400, BAD_NAME),
      change('another name for it', 'bob', { name: 'like' }, 400, BAD_NAME),
      change('a blank one beside a good one', 'bob', { add: ' ', remove: 'haha' }, 400, BAD_NAME),
      change('the other way round', 'bob', { add: 'like', remove: '' }, 400, BAD_NAME),
      change('a list beside a good one', 'bob', { add: ['like'], remove: 'haha' }, 400, BAD_NAME),
      change('an object beside a good one', 'bob', { add: 'like', remove: { a: 1 } }, 400, BAD_NAME),
      change('65 characters', 'bob', { add: 'x'.repeat(65) }, 400, BAD_NAME),
      change('65 characters to remove', 'bob', { add: 'y', remove: 'x'.repeat(65) }, 400, BAD_NAME),
      change('a control character', 'bob', { add: 'a\u0085b' }, 400, BAD_NAME),
      left({ haha: ['{bob}'] }),
      ['no id', 'bob', 'PUT', '/chat/Message/abc/reactions', { add: 'x' }, 400, BAD_MESSAGE_ID],
      ['no id, before the name', 'bob', 'PUT', '/chat/Message/abc/reactions', {}, 400, BAD_MESSAGE_ID],
      ['an unknown message', 'bob', 'PUT', '/chat/Message/{unknown}/reactions', { add: 'x' }, 404, NO_MESSAGE],
      ['another application', 'stranger', 'PUT', HERE, { add: 'x' }, 404, NO_MESSAGE],
      ['an old client', 'bob', 'PUT', HERE, { add: 'x' }, 404, NOT_FOUND, { 'SVC-REST-API-Version': '2.57.9' }],
      change('no occupant', 'mallory', { add: 'x' }, 403, MAY_NOT_PERFORM),
      change('a key for no occupant', 'key for mallory', { add: 'x' }, 403, MAY_NOT_PERFORM),
      change('an application session', 'application', { add: 'x' }, 422, NEED_USER),
      change('a key alone', 'key', { add: 'x' }, 422, NEED_USER),
      change('anonymous', 'anonymous', { add: 'x' }, 401, TOKEN_REQUIRED),
      left({ haha: ['{bob}'] }),
    ],
  );

  testScenarios(
    () => cast,
    [
      [
        'Bob hides the message',
        'bob',
        'DELETE',
        '/chat/Message/{hello}',
        undefined,
        200,
        '{"SuccessfullyDeleted":{"ids":["{hello}"]},"NotFound":{"ids":[]}}',
      ],
      ...(['GET', 'POST', 'PUT', 'DELETE'] as const).map(
        (method): Scenario => [
          'to him it has no reactions',
          'bob',
          method,
          HERE,
          method === 'GET' ? undefined : { name: 'haha', remove: 'haha' },
          404,
          NO_MESSAGE,
        ],
      ),
      left({ haha: ['{bob}'] }),
    ],
  );
});
