import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { SIGN_IN } from '../../src/xmpp/sign-in.ts';
import { APPLICATION, useApp } from '../support/app/app.ts';
import { authOf, CHAT, ChatSocket, closeStreams, FAILURE, OPEN, tokenOf } from '../support/clients/xmpp.ts';
import { createUsers } from '../support/fixtures/users.ts';

useApp({ ...CHAT, limits: { networkGuesses: { quota: 3, windowSeconds: 600 } } });
afterEach(closeStreams);
const delays = { ...SIGN_IN };
beforeAll(() => {
  SIGN_IN.delayMs = 0;
});
afterAll(() => {
  Object.assign(SIGN_IN, delays);
});

test('guesses of a password in the chat count like those over REST and GraphQL, and do not concern tokens', async () => {
  const [alice, bob] = await createUsers(2);
  const client = await ChatSocket.open();
  client.send(OPEN);
  await client.take(2);
  const answerTo = (user: { id: number }, secret: string) => {
    client.send(authOf(`${user.id}-${APPLICATION.id}`, secret));
    return client.next();
  };
  for (let guess = 0; guess < 3; guess++) expect(await answerTo(alice, `wrong-${guess}`)).toBe(FAILURE);
  expect(await answerTo(alice, alice.password)).toBe(FAILURE);
  expect(await answerTo(alice, tokenOf(alice))).toMatch(/^<success/);
  const other = await ChatSocket.open();
  other.send(OPEN);
  await other.take(2);
  other.send(authOf(`${bob.id}-${APPLICATION.id}`, bob.password));
  expect(await other.next()).toMatch(/^<success/);
});
