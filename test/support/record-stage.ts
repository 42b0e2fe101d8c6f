import { expect } from 'vitest';
import { createOtherApplication } from './applications.ts';
import type { RestAnswer } from './rest.ts';
import type { Stage } from './scenarios.ts';
import { created, UNKNOWN_ID } from './stage.ts';
import { apiKey, type Caller, createUser, onBehalfOf, openSession, type TestUser } from './users.ts';

/** A field of every type, in this order. */
export const CAR_FIELDS = {
  make: 'String',
  year: 'Integer',
  price: 'Float',
  sold: 'Boolean',
  built: 'Date',
  place: 'Location',
  motor: 'File',
  tags: 'String_a',
  sizes: 'Integer_a',
  rates: 'Float_a',
  flags: 'Boolean_a',
  dates: 'Date_a',
  places: 'Location_a',
};

/** All fields of a car as they are shown while they are unset. */
export const UNSET = Object.fromEntries(Object.keys(CAR_FIELDS).map((name) => [name, null]));

/** What a record shows that says nothing of permissions. */
export const DEFAULT_PERMISSIONS = {
  read: { access: 'open' },
  update: { access: 'owner' },
  delete: { access: 'owner' },
};

/** The second at which the clock of the tests stands. */
export const NOW = 1_795_196_819;

export const SOME_ID = expect.stringMatching(/^[0-9a-f]{24}$/);

/** A car as answers show it. */
export function car(fields: object = {}, about: object = {}) {
  const common = { _id: SOME_ID, _parent_id: null, created_at: NOW, updated_at: NOW, user_id: 0 };
  return { ...common, permissions: DEFAULT_PERMISSIONS, ...about, ...UNSET, ...fields };
}

/** The same in a list. */
export function listedCar(fields: object = {}, about: object = {}) {
  const { permissions: _hidden, ...shown } = car(fields, about);
  return shown;
}

/**
 * Olga owns cars; Nina is named and Greta in the group `g1` where cars name them; Mallory is neither; and a stranger of
 * another application. Everybody may call under `callers`, ids are under `values`.
 */
export interface RecordStage extends Stage {
  olga: TestUser;
  nina: TestUser;
  greta: TestUser;
  mallory: TestUser;
  otherKey: Caller;
}

/** The class `cars`, defined by the API key, and the people. */
export async function setRecordStage(): Promise<RecordStage> {
  const olga = await createUser();
  const nina = await createUser();
  const greta = await createUser({ tag_list: 'g1,g2' });
  const mallory = await createUser({ tag_list: 'g3' });
  const { key: otherKey } = await createOtherApplication();
  await created('/class', { name: 'cars', fields: CAR_FIELDS }, apiKey);
  const refused = (token: string): Caller => ({ headers: { 'SVC-Token': token } });
  const callers = {
    olga,
    nina,
    greta,
    mallory,
    key: apiKey,
    'key for olga': onBehalfOf(olga),
    'key for mallory': onBehalfOf(mallory),
    'key for nobody': onBehalfOf({ id: 2_000_000_000 }),
    application: await openSession(),
    'unknown token': refused('0'.repeat(40)),
    'unknown key': { headers: { Authorization: 'ApiKey NONE' } },
    'token and key': { headers: { ...olga.headers, ...apiKey.headers } },
    'other key': otherKey,
  };
  const values = { olga: olga.id, nina: nina.id, greta: greta.id, mallory: mallory.id, unknown: UNKNOWN_ID };
  return { olga, nina, greta, mallory, otherKey, callers, values };
}

/** The id of a new car. */
export async function newCar(fields: object, as: Caller): Promise<string> {
  return (await created('/data/cars', fields, as))._id;
}

/** Status and body of a call, of which tests tell nothing else. */
export function outcomeOf({ status, text, body }: RestAnswer): [status: number, body: unknown] {
  return [status, body ?? text];
}
