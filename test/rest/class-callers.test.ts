import { beforeAll, describe, expect, test } from 'vitest';
import { useApp } from '../support/app.ts';
import { type RecordStage, setRecordStage } from '../support/record-stage.ts';
import { rest } from '../support/rest.ts';
import { type Scenario, testScenarios } from '../support/scenarios.ts';
import {
  MAY_NOT_DO,
  NEED_USER,
  NO_SESSION,
  NOT_FOUND,
  ONE_CREDENTIAL,
  TOKEN_REQUIRED,
  UNAUTHORIZED,
  UNDEFINED_CLASS,
} from '../support/sentences.ts';
import { created } from '../support/stage.ts';
import { apiKey } from '../support/users.ts';

useApp();

let stage: RecordStage;
beforeAll(async () => {
  stage = await setRecordStage();
});

describe('calls of classes', () => {
  const calls: [method: string, path: string, body: string | undefined][] = [
    ['POST', '/class', 'name=Intruder'],
    ['GET', '/class', undefined],
    ['GET', '/class/cars', undefined],
    ['PUT', '/class/cars', 'fields[more]=String'],
    ['DELETE', '/class/cars', undefined],
  ];
  const refusals: [caller: string, status: number, answer: object][] = [
    ['nobody', 401, TOKEN_REQUIRED],
    ['unknown token', 401, NO_SESSION],
    ['unknown key', 401, UNAUTHORIZED],
    ['token and key', 400, ONE_CREDENTIAL],
    ['key for nobody', 404, NOT_FOUND],
    ['application', 422, NEED_USER],
    ['olga', 403, MAY_NOT_DO],
    ['key for olga', 403, MAY_NOT_DO],
  ];
  testScenarios(
    () => stage,
    calls.flatMap(([method, path, body]) =>
      refusals.map(([caller, status, answer]): Scenario => ['is refused', caller, method, path, body, status, answer]),
    ),
  );

  test('nothing has come of it', async () => {
    const { body } = await rest('GET', '/class/cars', { as: apiKey });
    expect(body.custom_fields).not.toContainEqual(expect.objectContaining({ name: 'more' }));
    expect((await rest('GET', '/class/Intruder', { as: apiKey })).status).toBe(403);
  });
});

test('a request of a key of another application does not reach a class', async () => {
  await created('/class', { name: 'Guarded' }, apiKey);
  for (const [method, form] of [['GET'], ['PUT', 'fields[x]=String'], ['DELETE']]) {
    const answer = await rest(method!, '/class/Guarded', { as: stage.otherKey, form });
    expect([answer.status, answer.body]).toEqual([403, UNDEFINED_CLASS]);
  }
  expect((await rest('GET', '/class/Guarded', { as: apiKey })).body).toMatchObject({
    name: 'Guarded',
    custom_fields: [],
  });
});
