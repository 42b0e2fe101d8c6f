import { createOtherApplication } from './applications.ts';
import { rest } from './rest.ts';
import type { Stage } from './scenarios.ts';
import { apiKey, type Caller, createUsers, onBehalfOf, openSession, type TestUser } from './users.ts';

/** A dialog or message id that nothing has. */
export const UNKNOWN_ID = '0123456789abcdef01234567';

/**
 * Alice, Bob and Carol in a group of Alice's (`{group}`) with her message `{hello}`, Alice and Bob in private
 * (`{pair}`), a public group of hers (`{lobby}`); Mallory in none of them; and a stranger of another application.
 */
export interface PlayedStage extends Stage {
  alice: TestUser;
  bob: TestUser;
  carol: TestUser;
  mallory: TestUser;
  stranger: { id: number } & Caller;
  otherKey: Caller;
  group: string;
  lobby: string;
  pair: string;
  hello: string;
}

export async function setStage(): Promise<PlayedStage> {
  const [alice, bob, carol, mallory] = await createUsers(4);
  const { key: otherKey } = await createOtherApplication();
  const { user } = await created('/users', { user: { login: 'stranger', password: 'password-1' } }, otherKey);
  const stranger = { id: user.id, headers: { ...otherKey.headers, 'On-Behalf-Of': String(user.id) } };

  const { _id: group } = await created(
    '/chat/Dialog',
    { type: 2, name: 'Lunch', occupants_ids: [bob.id, carol.id] },
    alice,
  );
  const { _id: lobby } = await created('/chat/Dialog', { type: 1, name: 'Lobby' }, alice);
  const { _id: pair } = await created('/chat/Dialog', { type: 3, occupants_ids: bob.id }, alice);
  const { _id: hello } = await created('/chat/Message', { chat_dialog_id: group, message: 'Hello' }, alice);
  const values = {
    alice: alice.id,
    bob: bob.id,
    carol: carol.id,
    mallory: mallory.id,
    stranger: stranger.id,
    group,
    lobby,
    pair,
    hello,
    unknown: UNKNOWN_ID,
  };
  const callers = {
    alice,
    bob,
    carol,
    mallory,
    stranger,
    application: await openSession(),
    key: apiKey,
    'key for alice': onBehalfOf(alice),
    'key for mallory': onBehalfOf(mallory),
    'other key': otherKey,
  };
  return { alice, bob, carol, mallory, stranger, otherKey, group, lobby, pair, hello, callers, values };
}

/** What a call made that has to succeed. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
export async function created(path: string, json: object, as: Caller): Promise<any> {
  const { status, text, body } = await rest('POST', path, { as, json });
  if (status !== 201) throw new Error(`POST ${path}: ${status} ${text}`);
  return body;
}
