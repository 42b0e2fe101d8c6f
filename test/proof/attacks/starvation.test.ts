import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { db } from '../../../src/db/client.ts';
import { lanes } from '../../../src/db/lanes.ts';
import { transact } from '../../../src/db/transact.ts';
import { newStorageKey } from '../../../src/gateways/storage.ts';
import { claimFile, removeReleased } from '../../../src/resolvers/files/staged.ts';
import { APPLICATION, running, useApp } from '../../support/app/app.ts';
import { createTenant, type Tenant } from '../../support/app/other-apps.ts';
import { sql } from '../../support/app/sql.ts';
import { until } from '../../support/app/until.ts';
import { rawRequest } from '../../support/clients/raw-http.ts';
import { rest } from '../../support/clients/rest.ts';
import { databaseThatHangs, lock, lockWaiters } from '../../support/faults/hanging-locks.ts';
import { storeBlob } from '../../support/fixtures/blobs.ts';
import { insertSession, insertUser } from '../../support/fixtures/callers.ts';
import { execute } from '../../support/fixtures/chat.ts';
import { apiKey, type Caller } from '../../support/fixtures/users.ts';

useApp({ limits: {}, trustProxy: 1, database: databaseThatHangs });

const ownUrl = () => running.url;

let mallory: Caller;
let malloryId: number;
let bob: Caller;
let other: Tenant;
beforeAll(async () => {
  const fields = [
    { name: 'n', type: 'INTEGER' },
    { name: 'code', type: 'STRING', unique: true },
  ];
  const createClass = 'mutation ($input: CreateClassInput!) { createClass(input: $input) { id } }';
  for (const name of ['H', 'Other']) await execute(createClass, { input: { name, fields } }, apiKey);
  malloryId = await insertUser();
  mallory = await insertSession(malloryId);
  bob = await insertSession(await insertUser());
  other = await createTenant(1);
});
beforeEach(async () => {
  for (let n = 0; n < 3; n++) expect((await rest('POST', '/data/H', { as: mallory, json: { n } })).status).toBe(201);
});

async function expectOthersServed(): Promise<void> {
  for (let nth = 0; nth < 2; nth++) {
    expect((await rest('GET', `/users/${malloryId}`, { as: bob })).status).toBe(200);
    expect((await rest('POST', '/data/Other', { as: bob, json: { n: nth } })).status).toBe(201);
    expect(
      (await rest('POST', '/geodata', { as: bob, json: { geo_data: { latitude: 1, longitude: 2 } } })).status,
    ).toBe(201);
    const [user] = other.users;
    expect((await rest('GET', `/users/${user!.id}`, { as: user! })).status).toBe(200);
    expect(
      (await rest('POST', '/geodata', { as: user!, json: { geo_data: { latitude: 1, longitude: 2 } } })).status,
    ).toBe(201);
  }
}

describe('#51 starvation of connections', () => {
  const update = () =>
    rest('PUT', '/data/H/by_criteria', { as: mallory, json: { search_criteria: { n: { gte: 0 } }, inc: { n: 1 } } });
  const contacts = Array.from({ length: 2_000 }, (_, n) => ({ name: `contact ${n}`, phone: String(10_000_000 + n) }));
  const attacks: Record<string, { lock: string; count: number; call: () => Promise<{ status: number }> }> = {
    'updates by criteria': { lock: 'SELECT FROM records FOR UPDATE', count: 14, call: update },
    'deletions by criteria': {
      lock: 'SELECT FROM records FOR UPDATE',
      count: 14,
      call: () => rest('DELETE', '/data/H/by_criteria', { as: mallory, form: 'n[gte]=0' }),
    },
    'address books': {
      lock: 'LOCK TABLE contacts IN ACCESS EXCLUSIVE MODE',
      count: 20,
      call: () => rest('POST', '/address_book', { as: mallory, json: { contacts } }),
    },
    'records of a class that is being changed': {
      lock: `SELECT FROM record_classes WHERE name = 'H' FOR UPDATE`,
      count: 60,
      call: () => rest('POST', '/data/H', { as: mallory, json: { n: 1 } }),
    },
    'values that must be unique': {
      lock: `INSERT INTO record_keys (application_id, class_key, field, value, record_id)
        SELECT application_id, key, 'code', 'taken', '0' FROM record_classes WHERE name = 'H'`,
      count: 60,
      call: () => rest('POST', '/data/H', { as: mallory, json: { code: 'taken' } }),
    },
    'changes of one record': {
      lock: 'SELECT FROM records FOR UPDATE',
      count: 60,
      call: async () => {
        const [row] = await sql<{ id: string }>(
          `SELECT r.id FROM records r JOIN record_classes c ON c.key = r.class_key WHERE c.name = 'H' LIMIT 1`,
        );
        return rest('PUT', `/data/H/${row!.id}`, { as: mallory, json: { n: 1 } });
      },
    },
  };

  test.each(Object.keys(attacks))('blocked %s do not delay other callers', async (name) => {
    const attack = attacks[name]!;
    const release = await lock(attack.lock);
    const calls = Promise.all(Array.from({ length: attack.count }, attack.call));
    await until(
      () =>
        lanes.transactions.load.running + lanes.transactions.load.waiting + lanes.longJobs.load.waiting >= attack.count,
    );
    await until(async () => (await lockWaiters()) > 0);
    expect(await lockWaiters()).toBeLessThanOrEqual(3);
    await expectOthersServed();
    await release();
    for (const { status } of await calls) expect([200, 201, 422, 503]).toContain(status);
  });

  test('a caller may have at most 50 long jobs waiting; more are rejected', async () => {
    const release = await lock('SELECT FROM records FOR UPDATE');
    const refused: unknown[] = [];
    const calls = Array.from({ length: 60 }, async () => {
      const { status, body } = await update();
      if (status !== 200) refused.push([status, body]);
    });
    await until(() => 1 + lanes.longJobs.load.waiting + refused.length === calls.length);
    expect(refused).toEqual(Array(9).fill([503, { errors: ['Service unavailable'] }]));
    await release();
    await Promise.all(calls);
    expect(refused).toHaveLength(9);
  });

  test('a client that reads none of its downloads delays no other caller, and its further ones are refused', async () => {
    const { uid } = await storeBlob(bob, Buffer.alloc(20 * 1024 * 1024), { public: true });
    const ask = () => get(`${running.url}/blobs/${uid}`, { agent: false }).on('error', () => {});
    const slow = Array.from({ length: 50 }, ask);
    const responses = (await Promise.all(slow.map((one) => once(one, 'response')))) as [IncomingMessage][];
    expect(responses.map(([{ statusCode }]) => statusCode)).toEqual(Array(50).fill(200));
    const waiting = Array.from({ length: 100 }, ask);
    await until(() => lanes.downloads.load.waiting === 100);
    const { status, headers, text } = await rawRequest('GET', `/blobs/${uid}`);
    expect([status, headers['retry-after'], text]).toEqual([429, '10', '{"errors":["Rate limit exceeded"]}']);
    const own = await storeBlob(bob, 'of bob');
    expect((await rawRequest('GET', `/blobs/${own.uid}`, { as: bob })).text).toBe('of bob');
    for (const one of [...waiting, ...slow]) one.destroy();
    await until(() => lanes.downloads.load.running + lanes.downloads.load.waiting === 0);
    expect((await rawRequest('GET', `/blobs/${uid}`)).status).toBe(200);
  });

  test('users of one network leave downloads for others', async () => {
    const { uid } = await storeBlob(bob, Buffer.alloc(20 * 1024 * 1024), { public: true });
    const callers = await Promise.all(Array.from({ length: 3 }, async () => insertSession(await insertUser())));
    const from = (as: Caller, address: string) => ({ ...as.headers, 'X-Forwarded-For': address });
    const ask = (headers: Record<string, string>) =>
      get(`${running.url}/blobs/${uid}`, { agent: false, headers }).on('error', () => {});
    const slow = callers.flatMap((caller) => Array.from({ length: 40 }, () => ask(from(caller, '10.1.1.1'))));
    await until(() => lanes.downloads.load.running + lanes.downloads.load.waiting === 120);
    expect(lanes.downloads.load.running).toBe(100);
    const own = await storeBlob(bob, 'of bob');
    const bobs = { headers: from(bob, '10.2.2.2') };
    expect((await rawRequest('GET', `/blobs/${own.uid}`, { as: bobs })).text).toBe('of bob');
    for (const one of slow) one.destroy();
    await until(() => lanes.downloads.load.running + lanes.downloads.load.waiting === 0);
  });

  test('requests that a client sends without waiting for responses wait for their turn, and occupy nothing', async () => {
    const { uid } = await storeBlob(bob, Buffer.alloc(20 * 1024 * 1024), { public: true });
    const subscription = encodeURIComponent('subscription { dialogEvents { cursor } }');
    const { hub } = running.app.services;
    const credentials = Object.entries(apiKey.headers)
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('');
    for (const [path, headers, running] of [
      [`/blobs/${uid}`, '', () => lanes.downloads.load.running],
      [`/graphql?query=${subscription}`, `Accept: text/event-stream\r\n${credentials}`, () => hub.subscriptionCount],
    ] as const) {
      for (const count of [10, 60]) {
        const socket = connect(Number(new URL(ownUrl()).port), '127.0.0.1').on('error', () => {});
        socket.pause();
        const isClosed = once(socket, 'close');
        socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n${headers}\r\n`.repeat(count));
        if (count === 10) {
          await until(() => running() > 0);
          expect((await rawRequest('GET', '/readyz')).status).toBe(200); // by now it has read the others
          expect(running()).toBe(1);
          socket.destroy();
        } else socket.resume();
        await isClosed;
        await until(() => running() === 0);
      }
    }
  });

  test('requests that a client sends without waiting for responses are answered in their order', async () => {
    const socket = connect(Number(new URL(ownUrl()).port), '127.0.0.1');
    const paths = ['/healthz', '/session.json', '/readyz', '/graphql?query={__typename}'];
    const requests = paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: a\r\nAccept: application/json\r\n\r\n`);
    let received = '';
    socket.on('data', (chunk) => {
      received += String(chunk);
    });
    socket.write(requests.join(''));
    const statuses = () => received.match(/(?<=HTTP\/1\.1 )\d+/g) ?? [];
    await until(() => statuses().length === paths.length);
    expect(statuses()).toEqual(['200', '401', '200', '200']);
    socket.destroy();
  });

  test('a storage that does not respond holds no transaction while files are deleted', async () => {
    const { storage, log, now } = running.app.services;
    const file = { applicationId: APPLICATION.id, key: newStorageKey(APPLICATION.id) };
    await db.unclaimedFile.create({ data: { ...file, removeAfter: new Date(now().getTime() + 60_000) } });
    let respond = () => {};
    const silent = new Promise<void>((resolve) => {
      respond = resolve;
    });
    const isAsked = vi.spyOn(storage, 'delete').mockReturnValue(silent);
    const removing = removeReleased([file], { storage, log });
    await until(() => isAsked.mock.calls.length === 1);
    expect(lanes.transactions.load.running).toBe(0);
    await expect(transact(['test'], (transaction) => claimFile(transaction, file))).rejects.toThrow(
      'Service unavailable',
    );
    respond();
    await removing;
    expect(await db.unclaimedFile.count({ where: file })).toBe(0);
    isAsked.mockRestore();
  });
});
