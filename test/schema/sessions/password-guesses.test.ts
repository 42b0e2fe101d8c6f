import { expect, test } from 'vitest';
import { running, useApp } from '../../support/app/app.ts';
import { newClient } from '../../support/fixtures/callers.ts';
import { createUser, signedParameters } from '../../support/fixtures/users.ts';

useApp({
  limits: { networkGuesses: { quota: 3, windowSeconds: 600 }, accountGuesses: { quota: 5, windowSeconds: 3600 } },
  trustProxy: 1,
});

interface Network {
  headers: Record<string, string>;
}

async function signIn(login: string, password: string, { headers }: Network): Promise<number> {
  const body = new URLSearchParams(signedParameters({ 'user[login]': login, 'user[password]': password }));
  return (await fetch(`${running.url}/session.json`, { method: 'POST', headers, body })).status;
}

const guess = async (login: string, from: Network, times: number) => {
  const statuses: number[] = [];
  for (let nth = 0; nth < times; nth++) statuses.push(await signIn(login, 'wrong-one', from));
  return statuses;
};

test('guesses of one password are delayed, of a known account and of an unknown one alike', async () => {
  const user = await createUser();
  for (const login of [user.login, 'no-such-login']) {
    expect(await guess(login, newClient(), 5)).toEqual([401, 401, 401, 429, 429]);
  }
});

test('a network that has used up its guesses signs in to other accounts', async () => {
  const [victim, other] = [await createUser(), await createUser()];
  const network = newClient();
  await guess(victim.login, network, 4);
  expect(await signIn(victim.login, victim.password, network)).toBe(429);
  expect(await signIn(other.login, other.password, network)).toBe(201);
});

test('guesses from many networks are delayed together, and do not lock the user out where they are signed in', async () => {
  const user = await createUser();
  const home = newClient();
  expect(await signIn(user.login, user.password, home)).toBe(201);
  const attacks = [await guess(user.login, newClient(), 3), await guess(user.login, newClient(), 2)].flat();
  expect(attacks).toEqual([401, 401, 401, 401, 401]);
  expect(await signIn(user.login, user.password, newClient())).toBe(429);
  expect(await guess(user.login, home, 1)).toEqual([401]);
  expect(await signIn(user.login, user.password, home)).toBe(201);
});
