import { afterEach, beforeAll, expect, test } from 'vitest';
import { useApp } from '../../support/app/app.ts';
import { rest } from '../../support/clients/rest.ts';
import {
  closeSockets,
  connect,
  type LiveSubscription,
  listenOn,
  type RawSocket,
  until,
} from '../../support/clients/websocket.ts';
import { created } from '../../support/fixtures/chat-cast.ts';
import { changeClass, defineClass } from '../../support/fixtures/typed-classes.ts';
import { apiKey, type Caller, createUser, onBehalfOf, type TestUser } from '../../support/fixtures/users.ts';

// Events follow the read permissions of lists, in generic and typed subscriptions.

useApp();

let owner: TestUser;
let named: TestUser;
let member: TestUser;
let listeners: Record<string, Caller>;

beforeAll(async () => {
  owner = await createUser();
  named = await createUser();
  member = await createUser({ tag_list: 'g1' });
  const stranger = await createUser({ tag_list: 'g3' });
  listeners = { owner, named, member, stranger, key: apiKey, 'key for the owner': onBehalfOf(owner) };
  await defineClass('cars', { make: 'String' });
  await defineClass('secrets', { make: 'String' }, { permissions: { read: { access: 'NOT_ALLOWED' } } });
});

afterEach(() => closeSockets());

const NAMES = ['owner', 'named', 'member', 'stranger', 'key', 'key for the owner'];

type Heard = Record<string, { generic: string[]; typed: string[] }>;

function notified(by: (name: string) => string[]): Heard {
  return Object.fromEntries(NAMES.map((name) => [name, { generic: by(name), typed: by(name) }]));
}

const RECORDS = (className: string) =>
  `subscription { changed: recordChanged(className: "${className}") { change recordId record { fields } } }`;
const TYPED = (one: string) => `subscription { changed: ${one}Changed { change recordId record: ${one} { make } } }`;

/** What each listener receives of a class during an action, without the sentinel record. */
async function receivedWhile(className: string, one: string, act: () => Promise<unknown>): Promise<Heard> {
  const sockets: [string, RawSocket, LiveSubscription[]][] = [];
  for (const name of NAMES) {
    const socket = await connect(listeners[name]!);
    const ways: LiveSubscription[] = [];
    for (const [id, query] of Object.entries({ generic: RECORDS(className), typed: TYPED(one) })) {
      ways.push(await listenOn(socket, query, {}, undefined, id));
    }
    // Listeners cannot read sentinels of a closed class, so use one of `cars`.
    if (className !== 'cars') ways.push(await listenOn(socket, RECORDS('cars'), {}, undefined, 'bell'));
    sockets.push([name, socket, ways]);
  }
  await act();
  const { _id: sentinel } = await created('/data/cars', { make: 'bell' }, owner);
  const received: Heard = {};
  for (const [name, socket, ways] of sockets) {
    for (const way of className === 'cars' ? ways : ways.slice(-1)) {
      await until(() => way.payloads().some(({ changed }) => changed.recordId === sentinel));
    }
    const [generic, typed] = ways.map((way) =>
      way
        .payloads()
        .filter(({ changed }) => changed.recordId !== sentinel)
        .map(({ changed: { change, record } }) => `${change} ${(record?.fields ?? record)?.make ?? '-'}`),
    );
    received[name] = { generic: generic!, typed: typed! };
    await socket.close();
  }
  return received;
}

const permission = (kind: string) => ({ access: kind, ids: [named.id], groups: ['g1'] });

/** Runs one request of the owner, which must succeed. @returns the id of the record */
async function step(method: string, path: string, json?: object): Promise<string> {
  const { status, body, text } = await rest(method, path, { as: owner, json });
  if (status > 201) throw new Error(`${method} ${path}: ${status} ${text}`);
  return body?._id;
}

const READERS: [kind: string, readers: string[]][] = [
  ['open', NAMES],
  ['owner', ['owner', 'key', 'key for the owner']],
  ['open_for_users_ids', ['owner', 'key', 'key for the owner', 'named']],
  ['open_for_groups', ['owner', 'key', 'key for the owner', 'member']],
];

test.each(READERS)('a record with read access %s is published to its readers only', async (kind, readers) => {
  const received = await receivedWhile('cars', 'car', async () => {
    const id = await step('POST', '/data/cars', { make: 'AB', permissions: { read: permission(kind) } });
    await step('PUT', `/data/cars/${id}`, { make: 'AB' });
  });
  expect(received).toEqual(notified((name) => (readers.includes(name) ? ['CREATED AB', 'UPDATED AB'] : [])));
});

test.each(READERS)(
  'the deletion of a record with read access %s is published to its readers only',
  async (kind, readers) => {
    const id = await step('POST', '/data/cars', { make: 'AB', permissions: { read: permission(kind) } });
    const received = await receivedWhile('cars', 'car', () => step('DELETE', `/data/cars/${id}`));
    expect(received).toEqual(notified((name) => (readers.includes(name) ? ['DELETED -'] : [])));
  },
);

test.each(READERS)(
  'a reader who loses access to a record with read access %s receives an update without the record',
  async (kind, readers) => {
    const id = await step('POST', '/data/cars', { make: 'AB', permissions: { read: permission(kind) } });
    const received = await receivedWhile('cars', 'car', () =>
      step('PUT', `/data/cars/${id}`, { make: 'secret', permissions: { read: { access: 'owner' } } }),
    );
    const stay = ['owner', 'key', 'key for the owner'];
    expect(received).toEqual(
      notified((name) => (stay.includes(name) ? ['UPDATED secret'] : readers.includes(name) ? ['UPDATED -'] : [])),
    );
  },
);

test.each(READERS)('a user who gains read access %s to a record receives it', async (kind, readers) => {
  const id = await step('POST', '/data/cars', { make: 'AB', permissions: { read: { access: 'owner' } } });
  const received = await receivedWhile('cars', 'car', () =>
    step('PUT', `/data/cars/${id}`, { permissions: { read: permission(kind) } }),
  );
  expect(received).toEqual(notified((name) => (readers.includes(name) ? ['UPDATED AB'] : [])));
});

test('records of an unreadable class are published to API keys alone, even if the records are open', async () => {
  const received = await receivedWhile('secrets', 'secret', async () => {
    const id = await step('POST', '/data/secrets', { make: 'AB', permissions: { read: { access: 'open' } } });
    await step('PUT', `/data/secrets/${id}`, { make: 'AB' });
  });
  expect(received).toEqual(notified((name) => (name === 'key' ? ['CREATED AB', 'UPDATED AB'] : [])));
});

test('a class closed for reading publishes nothing, not even to owners, until it is opened again', async () => {
  const received = await receivedWhile('cars', 'car', async () => {
    await changeClass('cars', { permissions: { read: { access: 'NOT_ALLOWED' } } });
    const key = await connect(apiKey);
    const all = await listenOn(key, RECORDS('cars'), {}, undefined, 'all');
    await step('POST', '/data/cars', { make: 'closed' });
    await all.atLeast(1);
    await changeClass('cars', { permissions: { read: { access: 'OPEN' } } });
    await step('POST', '/data/cars', { make: 'reopened', permissions: { read: { access: 'open' } } });
  });
  for (const name of NAMES) {
    const expected = name === 'key' ? ['CREATED closed', 'CREATED reopened'] : ['CREATED reopened'];
    expect(received[name]!.generic.slice(-1)).toEqual(expected.slice(-1));
  }
  expect(received.key!.typed).toEqual(['CREATED closed', 'CREATED reopened']);
});

test('changes of tags take effect at the next event', async () => {
  const tag = (tags: string) => rest('PUT', `/users/${member.id}`, { as: apiKey, json: { user: { tag_list: tags } } });
  const id = await step('POST', '/data/cars', { make: 'AB', permissions: { read: permission('open_for_groups') } });
  await tag('g2');
  const without = await receivedWhile('cars', 'car', () => step('PUT', `/data/cars/${id}`, { make: 'CD' }));
  expect(without.member).toEqual({ generic: [], typed: [] });
  await tag('g2,g1');
  const within = await receivedWhile('cars', 'car', () => step('PUT', `/data/cars/${id}`, { make: 'EF' }));
  expect(within.member).toEqual({ generic: ['UPDATED EF'], typed: ['UPDATED EF'] });
});
