import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { running, useApp } from '../../support/app/app.ts';
import { expectConsistentRecords } from '../../support/app/record-integrity.ts';
import { createDataDir, type Service, startService } from '../../support/app/service.ts';
import { sql } from '../../support/app/sql.ts';
import type { GraphQLAnswer } from '../../support/clients/graphql.ts';
import { execute, type QuickUser, quickUsers } from '../../support/fixtures/chat.ts';
import { apiKey, type Caller } from '../../support/fixtures/users.ts';

useApp();

let other: Service;
let users: QuickUser[];
let remove: () => Promise<void>;
beforeAll(async () => {
  users = await quickUsers(3);
  const folder = await createDataDir();
  remove = folder.remove;
  other = await startService(folder.dataDir, { DATABASE_URL: running.database.config.connectionString! });
});
afterAll(async () => {
  await other.stop();
  await remove();
});

interface Answer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  body: any;
}

/**
 * A REST call to this process or, every second time, to the other one. Repeated while a busy machine makes it wait too
 * long, which changes nothing.
 */
async function call(nth: number, method: string, path: string, json?: object, as: Caller = users[0]!): Promise<Answer> {
  const response = await fetch((nth % 2 === 0 ? running.url : other.url) + path, {
    method,
    headers: { 'Content-Type': 'application/json', ...as.headers },
    body: json === undefined ? undefined : JSON.stringify(json),
  });
  const text = await response.text();
  if (response.status === 503) return call(nth, method, path, json, as);
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
}

const CREATE_CLASS = 'mutation ($input: CreateClassInput!) { createClass(input: $input) { id } }';
const UPDATE_CLASS =
  'mutation ($name: String!, $input: UpdateClassInput!) { updateClass(name: $name, input: $input) { id } }';
const DELETE_CLASS = 'mutation ($name: String!) { deleteClass(name: $name) }';

/** Repeated like `call`. */
async function changeClass(nth: number, query: string, variables: object): Promise<{ message: string }[] | undefined> {
  const response = await fetch(`${nth % 2 === 0 ? running.url : other.url}/graphql`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...apiKey.headers },
    body: JSON.stringify({ query, variables }),
  });
  const { errors } = (await response.json()) as GraphQLAnswer;
  return errors?.[0]?.extensions?.code === 'SERVICE_UNAVAILABLE' ? changeClass(nth, query, variables) : errors;
}

let classes = 0;
async function newClass(...fields: object[]): Promise<string> {
  const name = `Race${++classes}`;
  await execute(CREATE_CLASS, { input: { name, fields } }, apiKey);
  return name;
}

const RANKED = [
  { name: 'rank', type: 'INTEGER' },
  { name: 'label', type: 'STRING' },
  { name: 'place', type: 'LOCATION' },
  { name: 'tags', type: 'STRING', array: true },
];

const times = (count: number) => Array.from({ length: count }, (_, nth) => nth);

async function inTurn(count: number, act: (nth: number) => Promise<unknown>): Promise<void> {
  for (const nth of times(count)) await act(nth);
}

const READERS = [{ access: 'open' }, { access: 'owner' }, { access: 'open_for_users_ids', ids: [1] }];

describe('while a class changes on two processes', () => {
  test('concurrent record writes follow the final class definition', async () => {
    const name = await newClass(...RANKED);
    const faults: Answer[] = [];
    const note = (answer: Answer) => {
      if (![200, 201, 404, 422].includes(answer.status)) faults.push(answer);
      return answer;
    };
    const write = (writer: number) =>
      inTurn(25, async (nth) => {
        const rank = writer * 1_000 + nth;
        const fields = { rank, label: `l${rank}`, place: [writer, nth], tags: ['a'], f3: nth, f7: nth };
        const permissions = { read: READERS[(writer + nth) % 3] };
        const made = note(await call(nth, 'POST', `/data/${name}`, { ...fields, permissions }, users[writer]!));
        if (made.status !== 201) return;
        const path = `/data/${name}/${made.body._id}`;
        if (nth % 3 === 0) {
          const change = { rank: null, label: `m${rank}`, push: { tags: 'b' } };
          note(await call(nth + 1, 'PUT', path, change, users[writer]!));
        }
        if (nth % 5 === 0) note(await call(nth, 'DELETE', path, undefined, users[writer]!));
      });
    const errors: string[] = [];
    const changeIt = inTurn(20, async (nth) => {
      const isOn = nth % 2 === 0;
      const fields = [
        { ...RANKED[nth % 3]!, index: isOn, ...(nth % 3 < 2 ? { unique: nth % 4 < 2 } : {}) },
        { name: `f${nth}`, type: 'INTEGER', index: isOn && nth < 8 },
      ];
      const permissions = { update: { access: isOn ? 'OWNER' : 'OPEN' } };
      const refused = await changeClass(nth, UPDATE_CLASS, { name, input: { fields, permissions } });
      errors.push(...(refused ?? []).map(({ message }) => message));
    });
    await Promise.all([write(0), write(1), write(2), changeIt]);
    expect(faults).toEqual([]);
    expect(errors).toEqual([]);
    const [known] = (await expectConsistentRecords()).filter((one) => one.name === name);
    expect([...known!.fields.keys()]).toEqual([...RANKED.map((field) => field.name), ...times(20).map((n) => `f${n}`)]);
    expect([...known!.fields.values()].map(({ indexState }) => indexState)).not.toContain('building');
    const [{ count }] = (await sql('SELECT count(*)::int AS count FROM records WHERE class_key = $1', [
      known!.key,
    ])) as [{ count: number }];
    expect(count).toBe(60);
  });

  test('continuous class changes do not block writers', async () => {
    const name = await newClass(...RANKED);
    let isDone = false;
    const changing = times(2).map(async (changer) => {
      for (let nth = 0; !isDone; nth++) {
        const permissions = { update: { access: nth % 2 === 0 ? 'OWNER' : 'OPEN' } };
        expect(await changeClass(changer, UPDATE_CLASS, { name, input: { permissions } })).toBeUndefined();
      }
    });
    const statuses: number[] = [];
    await inTurn(8, async (nth) => {
      const made = await call(nth, 'POST', `/data/${name}`, { rank: nth });
      statuses.push(made.status);
      statuses.push((await call(nth, 'PUT', `/data/${name}/${made.body._id}`, { inc: { rank: 1 } })).status);
    }).finally(() => {
      isDone = true;
    });
    await Promise.all(changing);
    expect(new Set(statuses)).toEqual(new Set([201, 200]));
    await expectConsistentRecords();
  });

  test('deleting the class deletes its records and their descendants, and a new class of the same name is separate', async () => {
    const name = await newClass({ ...RANKED[0], unique: true, index: true });
    const below = await newClass(...RANKED);
    const faults: Answer[] = [];
    const note = (answer: Answer) => {
      if (![200, 201, 403, 404, 422].includes(answer.status)) faults.push(answer);
      return answer;
    };
    const write = (writer: number) =>
      inTurn(15, async (nth) => {
        const made = note(await call(nth, 'POST', `/data/${name}`, { rank: writer * 1_000 + nth }, users[writer]!));
        if (made.status !== 201) return expect(made.body).toEqual({ errors: ['Undefined class'] });
        const path = `/data/${name}/${made.body._id}`;
        note(await call(nth + 1, 'POST', `${path}/${below}`, { rank: nth }, users[writer]!));
        note(await call(nth, 'POST', `/data/${below}`, { _parent_id: made.body._id }, users[writer]!));
        note(await call(nth + 1, 'PUT', path, { inc: { rank: 100 } }, users[writer]!));
      });
    const change = inTurn(3, async (nth) => {
      await changeClass(nth, UPDATE_CLASS, { name, input: { fields: [{ name: `f${nth}`, type: 'STRING' }] } });
      expect(await changeClass(nth + 1, DELETE_CLASS, { name })).toBeUndefined();
      const input = { name, fields: [{ ...RANKED[0], unique: true, index: true }] };
      expect(await changeClass(nth, CREATE_CLASS, { input })).toBeUndefined();
    });
    await Promise.all([write(0), write(1), write(2), change]);
    expect(faults).toEqual([]);
    await expectConsistentRecords();
    const made = await call(1, 'POST', `/data/${name}`, { rank: 1 });
    expect(made.status === 201 || made.body.errors[0] === 'Field rank has already been taken').toBe(true);
  });
});

test('deleting a parent while children are created leaves no orphans', async () => {
  const name = await newClass(...RANKED);
  for (const round of times(4)) {
    const parent = (await call(0, 'POST', `/data/${name}`, {})).body._id;
    const path = `/data/${name}/${parent}`;
    const record = { 1: { _parent_id: parent }, 2: { _parent_id: parent } };
    const answers = await Promise.all([
      ...times(6).map((nth) => call(nth, 'POST', `${path}/${name}`, { rank: nth })),
      ...times(4).map((nth) => call(nth, 'POST', `/data/${name}`, { _parent_id: parent })),
      ...times(2).map((nth) => call(nth, 'POST', `/data/${name}/multi`, { record })),
      call(round, 'DELETE', path),
    ]);
    expect(answers.at(-1)!.status).toBe(200);
    for (const { status, body } of answers.slice(0, -1)) {
      if (status === 404) expect(body).toEqual({ errors: ["The resource wasn't found"] });
      else if (status === 422) expect(body.errors.join()).toContain('Parent record was not found');
      else if (status !== 400) expect(status).toBe(201);
    }
  }
  const [known] = (await expectConsistentRecords()).filter((one) => one.name === name);
  expect(await sql('SELECT FROM records WHERE class_key = $1', [known!.key])).toEqual([]);
});

describe('class changes on another process', () => {
  test('the next request sees a new class, even if the name was looked up before', async () => {
    for (const nth of times(4)) {
      const name = `Next${nth}`;
      for (const place of [0, 1]) {
        expect((await call(place, 'GET', `/data/${name}`)).body).toEqual({ errors: ['Undefined class'] });
      }
      expect(await changeClass(nth, CREATE_CLASS, { input: { name } })).toBeUndefined();
      expect((await call(nth + 1, 'POST', `/data/${name}`, {})).status).toBe(201);
      const input = { fields: [RANKED[0]] };
      expect(await changeClass(nth, UPDATE_CLASS, { name, input })).toBeUndefined();
      expect((await call(nth + 1, 'POST', `/data/${name}`, { rank: '7' })).body).toMatchObject({ rank: 7 });
      const closed = { permissions: { read: { access: 'NOT_ALLOWED' } } };
      expect(await changeClass(nth, UPDATE_CLASS, { name, input: closed })).toBeUndefined();
      expect((await call(nth + 1, 'GET', `/data/${name}`)).body.items).toEqual([]);
      expect(await changeClass(nth, DELETE_CLASS, { name })).toBeUndefined();
      expect((await call(nth + 1, 'POST', `/data/${name}`, {})).body).toEqual({ errors: ['Undefined class'] });
    }
  });
});
