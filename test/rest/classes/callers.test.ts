import { beforeAll, describe, expect, test } from 'vitest';
import { useApp } from '../../support/app/app.ts';
import { rest } from '../../support/clients/rest.ts';
import { type Scenario, testScenarios } from '../../support/clients/rest-table.ts';
import { createRecordCast, type RecordCast } from '../../support/fixtures/cars.ts';
import { created } from '../../support/fixtures/chat-cast.ts';
import {
  MAY_NOT_DO,
  NEED_USER,
  NO_SESSION,
  NOT_FOUND,
  ONE_CREDENTIAL,
  TOKEN_REQUIRED,
  UNAUTHORIZED,
  UNDEFINED_CLASS,
} from '../../support/fixtures/error-bodies.ts';
import { apiKey } from '../../support/fixtures/users.ts';

useApp();

let cast: RecordCast;
beforeAll(async () => {
  cast = await createRecordCast();
});

describe('callers of classes', () => {
  const calls: [method: string, path: string, body: string | undefined][] = [
    ['POST', '/class', 'name=Intruder'],
    ['GET', '/class', undefined],
    ['GET', '/class/cars', undefined],
    ['PUT', '/class/cars', 'fields[more]=String'],
    ['DELETE', '/class/cars', undefined],
  ];
  const refusals: [caller: string, status: number, answer: object][] = [
    ['anonymous', 401, TOKEN_REQUIRED],
    ['unknown token', 401, NO_SESSION],
    ['unknown key', 401, UNAUTHORIZED],
    ['token and key', 400, ONE_CREDENTIAL],
    ['key for an unknown user', 404, NOT_FOUND],
    ['application', 422, NEED_USER],
    ['olga', 403, MAY_NOT_DO],
    ['key for olga', 403, MAY_NOT_DO],
  ];
  testScenarios(
    () => cast,
    calls.flatMap(([method, path, body]) =>
      refusals.map(([caller, status, answer]): Scenario => ['is refused', caller, method, path, body, status, answer]),
    ),
  );

  test('rejected calls change no class', async () => {
    const { body } = await rest('GET', '/class/cars', { as: apiKey });
    expect(body.custom_fields).not.toContainEqual(expect.objectContaining({ name: 'more' }));
    expect((await rest('GET', '/class/Intruder', { as: apiKey })).status).toBe(403);
  });
});

test('an API key of another application cannot access a class', async () => {
  await created('/class', { name: 'Guarded' }, apiKey);
  for (const [method, form] of [['GET'], ['PUT', 'fields[x]=String'], ['DELETE']]) {
    const answer = await rest(method!, '/class/Guarded', { as: cast.otherKey, form });
    expect([answer.status, answer.body]).toEqual([403, UNDEFINED_CLASS]);
  }
  expect((await rest('GET', '/class/Guarded', { as: apiKey })).body).toMatchObject({
    name: 'Guarded',
    custom_fields: [],
  });
});
