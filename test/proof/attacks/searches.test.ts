import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { lanes } from '../../../src/db/lanes.ts';
import { running, useApp } from '../../support/app/app.ts';
import { createTenant, type Tenant } from '../../support/app/other-apps.ts';
import { statementsOf } from '../../support/app/sql.ts';
import { until } from '../../support/app/until.ts';
import { rest } from '../../support/clients/rest.ts';
import { closeSockets, listen } from '../../support/clients/websocket.ts';
import { databaseThatHangs, lock, lockWaiters } from '../../support/faults/hanging-locks.ts';
import { insertSession, insertUser } from '../../support/fixtures/callers.ts';
import { createDialog, errorOf, execute } from '../../support/fixtures/chat.ts';
import { apiKey, type Caller } from '../../support/fixtures/users.ts';

useApp({ limits: {}, database: databaseThatHangs });

let bob: Caller;
let other: Tenant;
beforeAll(async () => {
  const fields = [
    { name: 'n', type: 'INTEGER' },
    { name: 'code', type: 'STRING', unique: true },
  ];
  const createClass = 'mutation ($input: CreateClassInput!) { createClass(input: $input) { id } }';
  await execute(createClass, { input: { name: 'H', fields } }, apiKey);
  bob = await newCaller();
  // The service skips queries of a class without records.
  expect((await rest('POST', '/data/H', { as: bob, json: { n: 1 } })).status).toBe(201);
  other = await createTenant(1);
});
afterEach(() => closeSockets());

const newCaller = async (): Promise<Caller> => insertSession(await insertUser());

const MESSAGES = `query ($dialogId: ID!, $filter: MessageFilter) {
  messages(dialogId: $dialogId, filter: $filter) { edges { cursor } } }`;
const DIALOGS = `query ($className: String, $filter: DialogFilter) {
  dialogs(dataClassName: $className, filter: $filter) { edges { cursor } } }`;
const USERS = 'query ($filter: UserFilter) { users(filter: $filter) { edges { cursor } } }';

describe('#51 starvation of connections', () => {
  /** Occupies the caller's three search turns until it is released. */
  async function holdTurns(caller: Caller): Promise<() => Promise<void>> {
    const dialogId = await createDialog(caller, [], 'PUBLIC_GROUP');
    const unlock = await lock('LOCK TABLE hidden_messages IN ACCESS EXCLUSIVE MODE');
    const filter = { text: { contains: 'x' } };
    const calls = Promise.all(Array.from({ length: 3 }, () => execute(MESSAGES, { dialogId, filter }, caller)));
    await until(() => lanes.searches.load.running === 3);
    return async () => {
      await unlock();
      await calls;
    };
  }

  test('blocked searches do not delay other callers, and excess searches are rejected', async () => {
    const caller = await newCaller();
    const release = await lock('LOCK TABLE records IN ACCESS EXCLUSIVE MODE');
    const refused: unknown[] = [];
    const calls = Array.from({ length: 120 }, async () => {
      const { status, body } = await rest('GET', '/data/H?code[ctn]=x', { as: caller });
      if (status !== 200) refused.push([status, body]);
    });
    await until(() => lanes.searches.load.running + lanes.searches.load.waiting + refused.length === calls.length);
    await until(async () => (await lockWaiters()) >= lanes.searches.load.running);
    expect(lanes.searches.load).toEqual({ running: 3, waiting: 100 });
    expect(refused).toEqual(Array(17).fill([503, { errors: ['Service unavailable'] }]));
    for (const as of [bob, other.users[0]!]) {
      await execute(USERS, { filter: { fullName: { contains: 'x' } } }, as);
      expect((await rest('GET', '/geodata/find?user.name=x', { as })).status).toBe(200);
    }
    await release();
    await Promise.all(calls);
    expect(refused).toHaveLength(17);
  });

  const contains = { contains: 'x' };
  const LISTS: Record<string, (as: Caller, dialogId: string) => Promise<unknown>> = {
    records: (as) => execute('{ records(className: "H", filter: { n: { gt: 1 } }) { edges { cursor } } }', {}, as),
    'pages of records': (as) => rest('GET', '/data/H?code[ctn]=x', { as }),
    'counts of records': (as) => rest('GET', '/data/H?n[gt]=1&count=1', { as }),
    'groups of records': (as) => rest('GET', '/data/H?group_by=code', { as }),
    users: (as) => execute(USERS, { filter: { fullName: contains } }, as),
    'counts of users': (as) => execute('{ users(filter: { email: { ne: "x" } }) { totalCount } }', {}, as),
    'users by full name': (as) => rest('GET', '/users/by_full_name?full_name=x', { as }),
    messages: (as, dialogId) => execute(MESSAGES, { dialogId, filter: { or: [{ text: contains }] } }, as),
    'pages of messages': (as, dialogId) =>
      rest('GET', `/chat/Message?chat_dialog_id=${dialogId}&message[ctn]=x&mark_as_read=0`, { as }),
    'dialogs by name': (as) => execute(DIALOGS, { filter: { name: contains } }, as),
    'dialogs by data': (as) => execute(DIALOGS, { className: 'H', filter: { data: { code: contains } } }, as),
    'places of users by name': (as) => rest('GET', '/geodata/find?user.name=x', { as }),
  };

  test('every list with a search filter takes a turn, and lists without one do not wait', async () => {
    const caller = await newCaller();
    const dialogId = await createDialog(caller, [], 'PUBLIC_GROUP');
    const release = await holdTurns(caller);
    const calls: Promise<unknown>[] = [];
    for (const [name, list] of Object.entries(LISTS)) {
      let isDone = false;
      const call = list(caller, dialogId).finally(() => {
        isDone = true;
      });
      calls.push(call);
      await until(() => isDone || lanes.searches.load.waiting === calls.length);
      expect([name, lanes.searches.load]).toEqual([name, { running: 3, waiting: calls.length }]);
    }
    for (const filter of [null, {}, { id: { in: [1] } }]) {
      await execute(USERS, { filter }, caller);
    }
    await release();
    await Promise.all(calls);
  });

  test('a search text has at most 256 characters', async () => {
    const caller = await newCaller();
    const dialogId = await createDialog(caller, [], 'PUBLIC_GROUP');
    const [fitting, long] = ['\u{1f600}'.repeat(256), 'x'.repeat(257)];
    const incorrect = (key: string) => ({ errors: [`Incorrect filter: ${key}`] });
    const paths: [path: string, key: string][] = [
      ['/data/H?', 'code[ctn]'],
      ['/data/H?', 'code[contains]'],
      [`/chat/Message?chat_dialog_id=${dialogId}&`, 'message[ctn]'],
      ['/chat/Dialog?', 'name[ctn]'],
      ['/chat/Dialog?data[class_name]=H&', 'data[code][ctn]'],
    ];
    for (const [path, key] of paths) {
      expect([key, (await rest('GET', `${path}${key}=${fitting}`, { as: caller })).status]).toEqual([key, 200]);
      const { status, body } = await rest('GET', `${path}${key}=${long}`, { as: caller });
      expect([status, body]).toEqual([422, incorrect(key)]);
    }
    const tooLong = { code: 'BAD_USER_INPUT', message: 'contains should have at most 256 characters' };
    const filter = { or: [{ fullName: { contains: long } }] };
    expect(await errorOf(USERS, { filter }, caller)).toMatchObject(tooLong);
    expect(await errorOf(MESSAGES, { dialogId, filter: { text: { contains: long } } }, caller)).toMatchObject(tooLong);
    expect(await errorOf(DIALOGS, { filter: { name: { contains: long } } }, caller)).toMatchObject(tooLong);
    const records = 'query ($filter: JSON) { records(className: "H", filter: $filter) { totalCount } }';
    expect(await errorOf(records, { filter: { code: { contains: long } } }, caller)).toMatchObject({
      code: 'UNPROCESSABLE',
      message: 'Incorrect filter: code[contains]',
    });
    for (const path of ['/users/by_full_name?full_name=', '/geodata/find?user.name=']) {
      expect([path, (await rest('GET', path + long, { as: caller })).status]).toEqual([path, 400]);
    }
  });

  const CHANGED = 'subscription ($where: JSON) { recordChanged(className: "H", where: $where) { recordId } }';

  test('filters of subscriptions use the search turns of their subscribers', async () => {
    const [caller, listener] = [await newCaller(), await newCaller()];
    const received = await listen(CHANGED, { where: { code: { contains: 'turn' } } }, caller);
    const receivedByOther = await listen(CHANGED, { where: { code: { contains: 'TURN' } } }, listener);
    const release = await holdTurns(caller);
    expect((await rest('POST', '/data/H', { as: bob, json: { code: 'turn 1' } })).status).toBe(201);
    await until(() => lanes.searches.load.waiting === 1 || received.payloads().length > 0);
    await receivedByOther.atLeast(1);
    expect(received.payloads()).toEqual([]);
    await release();
    expect(await received.atLeast(1)).toMatchObject([{ recordChanged: {} }]);
  });

  test('a closed subscription runs no further statement', async () => {
    const caller = await newCaller();
    const received = await listen(CHANGED, { where: { code: { contains: 'end' } } }, caller);
    const release = await holdTurns(caller);
    expect((await rest('POST', '/data/H', { as: bob, json: { code: 'end 1' } })).status).toBe(201);
    await until(() => lanes.searches.load.waiting === 1 || received.payloads().length > 0);
    await received.close();
    await until(() => running.app.services.hub.subscriptionCount === 0);
    const statements = await statementsOf(async () => {
      await release();
      await until(() => lanes.searches.load.running + lanes.searches.load.waiting === 0);
    });
    expect(statements.filter((text) => text.includes('json_to_recordset'))).toEqual([]);
  });

  test("the filters of a caller's record subscriptions have a limited length, each and together", async () => {
    const caller = await newCaller();
    const long = (characters: number) => ({ code: { ne: 'x'.repeat(characters) } });
    const rejected = { message: expect.stringContaining('may have at most 16384 characters') };
    await expect(listen(CHANGED, { where: long(17_000) }, caller)).rejects.toMatchObject([rejected]);
    for (let nth = 0; nth < 4; nth++) await listen(CHANGED, { where: long(16_000 + nth) }, caller);
    await expect(listen(CHANGED, { where: long(16_004) }, caller)).rejects.toMatchObject([rejected]);
  });

  test("the filters of a caller's record subscriptions name at most 1,000 values together", async () => {
    const [caller, listener] = [await newCaller(), await newCaller()];
    const where = { n: { in: Array.from({ length: 600 }, (_, n) => n) } };
    const first = await listen(CHANGED, { where }, caller);
    const refusal = listen(CHANGED, { where }, caller);
    await expect(refusal).rejects.toMatchObject([
      { message: `The filters of a caller's record subscriptions may have at most 1000 values together` },
    ]);
    await listen(CHANGED, { where }, listener);
    await first.close();
    await until(() => running.app.services.hub.subscriptionCount === 1);
    await listen(CHANGED, { where }, caller);
    expect(running.app.services.hub.subscriptionCount).toBe(2);
  });
});
