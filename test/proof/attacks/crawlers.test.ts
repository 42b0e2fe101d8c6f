import { beforeAll, describe, expect, test } from 'vitest';
import { APPLICATION, running, useApp } from '../../support/app/app.ts';
import { createTenant, type Tenant } from '../../support/app/other-apps.ts';
import { EVENT_FIELDS } from '../../support/clients/live.ts';
import { JSON_TYPE, rawRequest } from '../../support/clients/raw-http.ts';
import { codeOf, GRAPHQL_TRANSPORTS } from '../../support/clients/transports.ts';
import { closeSockets, connect, listen, until } from '../../support/clients/websocket.ts';
import { createAssistant } from '../../support/fakes/model.ts';
import { storeBlob } from '../../support/fixtures/blobs.ts';
import { createDialog, execute, send } from '../../support/fixtures/chat.ts';
import { created } from '../../support/fixtures/chat-cast.ts';
import { messagePushesSettled } from '../../support/fixtures/pushes.ts';
import { defineClass } from '../../support/fixtures/typed-classes.ts';
import { apiKey, type Caller, createUsers, type TestUser } from '../../support/fixtures/users.ts';
import { crawledOperations, crawledPaths, rowsOf, type Targets } from './crawl.ts';

useApp();

/** `PRIVATE` is visible only to Alice, Bob and the API key; `SHARED` to all callers of the application. */
const PRIVATE = 'PRIVATE-30';
const SHARED = 'SHARED-30';

let alice: TestUser;
let mallory: TestUser;
let other: Tenant;
let targets: Targets;
let keyId: number;

beforeAll(async () => {
  const [first, bob, third] = await createUsers(3);
  [alice, mallory] = [first, third];
  other = await createTenant(1);
  await execute(
    'mutation ($id: Int!) { updateUser(id: $id, input: { fullName: "SHARED-30", externalUserId: "4711" }) { id } }',
    { id: alice.id },
    apiKey,
  );
  await defineClass('safes', { make: 'String', film: 'File' });
  const group = await createDialog(alice, [bob], 'GROUP', PRIVATE);
  const pair = await createDialog(alice, [bob], 'PRIVATE');
  const messages = [await send(alice, group, PRIVATE), await send(alice, pair, PRIVATE)];
  const closed = { read: { access: 'owner' }, update: { access: 'owner' }, delete: { access: 'owner' } };
  const safe = await created('/data/safes', { make: PRIVATE, permissions: closed }, alice);
  const open = await created('/data/safes', { make: SHARED }, alice);
  const blob = await storeBlob(alice, SHARED, { name: SHARED });
  const { geo_datum: place } = await created(
    '/geodata',
    { geo_data: { latitude: 1, longitude: 2, status: SHARED } },
    alice,
  );
  const pushed = {
    environment: 'development',
    message: 'aGk=',
    name: PRIVATE,
    date: 2_000_000_000,
    event_type: 'one_shot',
  };
  const events = await created('/events', { event: { ...pushed, push_type: 'gcm', user: { ids: [bob.id] } } }, alice);
  const push_token = { environment: 'development', client_identification_sequence: PRIVATE };
  const device = { platform: 'android', udid: PRIVATE };
  const [{ subscription }] = await created(
    '/subscriptions',
    { notification_channel: 'gcm', push_token, device },
    alice,
  );
  const contacts = [{ name: PRIVATE, phone: '4420794600' }];
  await execute(
    'mutation ($contacts: [ContactInput]) { uploadContacts(contacts: $contacts) { created } }',
    { contacts },
    alice,
  );
  const assistant = await createAssistant({ url: 'http://127.0.0.1:9/v1' }, { name: PRIVATE, instructions: PRIVATE });
  const { createApiKey } = await execute('mutation { createApiKey(name: "PRIVATE-30") { id } }', {}, apiKey);
  keyId = createApiKey.id;
  targets = {
    className: 'safes',
    texts: [group, pair, ...messages, safe._id, open._id, assistant],
    numbers: [
      alice.id,
      bob.id,
      blob.id,
      place.id,
      events.event?.id ?? events[0].event.id,
      subscription.id,
      createApiKey.id,
      4711,
    ],
  };
  await messagePushesSettled(); // only the crawls write from here on
});

/** Calls every operation and path with Alice's ids, and passes each response to `look`. @returns the number of calls */
async function crawl(as: Caller, look: (what: string, answer: string) => void): Promise<number> {
  let asked = 0;
  const socket = await connect(as);
  for (const { path, document } of crawledOperations(targets)) {
    // These would end the crawl, or affect only the caller.
    if (/(deleteSession|endSession|endOtherSessions|logoutUser|deleteUser)\b/.test(path)) continue;
    // Keys have their own id sequence, and one of these ids is the caller's key.
    if (/(revoke|rotate|update)ApiKey$/.test(path) && !document.includes(`id: ${keyId})`)) continue;
    const transport = asked++ % 2 === 0 ? GRAPHQL_TRANSPORTS[0]![1] : (query: string) => socket.run(query);
    const answer = await transport(document, {}, as);
    expect([document, codeOf(answer)]).not.toEqual([document, 'INTERNAL_SERVER_ERROR']);
    look(document, JSON.stringify(answer));
  }
  await socket.close();
  const [group] = targets.texts;
  const body = JSON.stringify({
    chat_dialog_id: group,
    dialog_id: group,
    message: 'taken',
    recipient_id: alice.id,
    name: 'taken',
    make: 'taken',
    force: 1,
    field_name: 'film',
    user: { full_name: 'taken' },
    push_all: { occupants_ids: [mallory.id] },
  });
  for (const [method, path] of crawledPaths(targets)) {
    if (/^\/(session|login|uploads)/.test(path) || (method === 'DELETE' && /^\/users/.test(path))) continue;
    if (path.startsWith('/keys/') && path.split('/')[2] !== String(keyId)) continue;
    const { status, text } = await rawRequest(method, path, { as, headers: { 'Content-Type': JSON_TYPE }, body });
    expect([method, path, status < 500]).toEqual([method, path, true]);
    look(`${method} ${path}`, text);
    asked++;
  }
  // Otherwise later calls would have been refused for another reason than the ids.
  expect((await rawRequest('GET', '/chat/Dialog', { as })).status).toBe(200);
  return asked;
}

describe('#30 IDOR', () => {
  test('callers of another application can neither read nor change anything, through any operation or path', async () => {
    const before = await rowsOf(APPLICATION.id);
    const [user] = other.users;
    for (const as of [user!, other.key]) {
      const asked = await crawl(as, (what, answer) => {
        if (answer.includes(PRIVATE) || answer.includes(SHARED)) throw new Error(`${what}: ${answer}`);
      });
      expect(asked).toBeGreaterThan(500);
    }
    expect([...(await rowsOf(APPLICATION.id))].sort()).toEqual([...before].sort());
  }, 300_000);

  test('another user of the same application can neither read nor change private data', async () => {
    const isTheirs = (row: string) =>
      !/^(users|applications|record_classes|geodata_counts) /.test(row) || row.includes(SHARED);
    const before = [...(await rowsOf(APPLICATION.id))].filter(isTheirs);
    await crawl(mallory, (what, answer) => {
      if (answer.includes(PRIVATE)) throw new Error(`${what}: ${answer}`);
    });
    const after = await rowsOf(APPLICATION.id);
    expect(before.filter((row) => !after.has(row))).toEqual([]);
  }, 300_000);

  test('subscriptions do not deliver private data to other users or applications', async () => {
    const lobby = await createDialog(other.users[0]!, [], 'PUBLIC_GROUP');
    const shown = `subscription { dialogEvents(since: "0") { ${EVENT_FIELDS} } }`;
    const theirs = await listen(shown, {}, other.users[0]!);
    const keys = await listen(shown, {}, other.key);
    const others = await listen(shown, {}, mallory);
    await send(alice, targets.texts[0]!, PRIVATE);
    await send(other.users[0]!, lobby, 'bell');
    const mallorys = await createDialog(mallory, [mallory], 'PUBLIC_GROUP');
    await send(mallory, mallorys, 'bell');
    for (const one of [theirs, keys, others]) {
      await until(() => JSON.stringify(one.payloads()).includes('bell'));
      expect(JSON.stringify(one.payloads())).not.toContain(PRIVATE);
    }
    for (const dialogId of targets.texts.slice(0, 2)) {
      for (const as of [mallory, other.users[0]!, other.key]) {
        const refused = listen(
          'subscription ($id: ID) { messageSent(dialogId: $id) { cursor } }',
          { id: dialogId },
          as,
        );
        await expect(refused).rejects.toMatchObject([
          { extensions: { code: as === mallory ? 'FORBIDDEN' : 'NOT_FOUND' } },
        ]);
      }
    }
    await closeSockets();
  });
});

describe('#32 differences of 403 and 404', () => {
  test('403 and 404 reveal only whether an object exists', async () => {
    const bodies = new Map<string, Set<string>>();
    for (const id of [...targets.texts.slice(0, 5), '0123456789abcdef01234567']) {
      for (const path of [
        `/chat/Dialog/${id}`,
        `/chat/Message/${id}`,
        `/data/safes/${id}`,
        `/chat/Message?chat_dialog_id=${id}`,
      ]) {
        const { status, text } = await rawRequest('GET', path, { as: mallory });
        expect([path, [403, 404].includes(status)]).toEqual([path, true]);
        bodies.set(String(status), (bodies.get(String(status)) ?? new Set()).add(text));
      }
    }
    expect([...bodies.get('404')!].every((text) => /^\{"errors":\["[^"]*"\]\}$|^$/.test(text))).toBe(true);
    for (const text of bodies.get('403') ?? []) expect(text).toMatch(/^\{"errors":\["[A-Za-z' .]+"\]\}$/);
    expect(running.url).toBeTruthy();
  });
});
