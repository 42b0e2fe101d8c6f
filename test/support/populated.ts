import { expect } from 'vitest';
import { db } from '../../src/db/client.ts';
import { storeAssistant } from '../../src/resolvers/ai/assistants.ts';
import { storeIdentityProvider } from '../../src/resolvers/sessions/identity-providers.ts';
import { APPLICATION, running, SEALER } from './app.ts';
import { createOtherApplication, type OtherApplication } from './applications.ts';
import { ask } from './chat.ts';
import { storeBlob } from './content.ts';
import { insertUsers } from './other-apps.ts';
import { setUpWeb, subscribeDevice } from './pushes.ts';
import { CAR_FIELDS } from './record-stage.ts';
import { rest } from './rest.ts';
import { created } from './stage.ts';
import { apiKey, type Caller, createUsers, type TestUser } from './users.ts';
import { MULTIPART, wire } from './wire.ts';

/** Quotes, controls, other directions, surrogate pairs, what means something to SQL, JSON, CSV or a shell. */
export const HOSTILE = `O'Brien "\\" \\N {a,b} \t\r\n\u0001\u2028\u202eabc 👩‍👩‍👧 ﷺ $1 %s ../../etc; DROP TABLE users;--`;

/** What must be in no archive in the clear. */
export const SECRETS = [`"${APPLICATION.authSecret}"`, 'secret-other', 'sk-of-the-model', 'facebook-secret'];

export interface Populated {
  alice: TestUser;
  other: OtherApplication;
  /** Of Alice's group. */
  group: string;
  message: string;
  car: string;
  /** Uids of blobs, and what they hold. */
  blobs: [uid: string, bytes: Buffer][];
  /** The file of the car. */
  motor: Buffer;
}

/** Two applications with something of every kind; the first one is the sample application. */
export async function populate(): Promise<Populated> {
  const [alice, bob, carol] = await createUsers(3);
  const other = await createOtherApplication();
  await setUp();
  await describePeople(alice, bob);
  const { group, message } = await talk(alice, bob, carol);
  const usage = { kind: 'aiTokens' as const, day: running.now(), used: 7 };
  await db.dailyUsage.create({ data: { applicationId: APPLICATION.id, userId: alice.id, ...usage } });
  const { car, motor } = await keepRecords(alice, bob);
  const blobs = await keepFiles(alice);
  await subscribe(alice, bob);
  await populateOther(other);
  // Moments of latest requests would be stored later, and make what is exported differ from what is there.
  await running.app.services.sessionClock.flush();
  return { alice, other, group, message, car, blobs, motor };
}

async function setUp(): Promise<void> {
  const applicationId = APPLICATION.id;
  await setUpWeb('production');
  const facebook = { appId: 'app', appSecret: 'facebook-secret' };
  await storeIdentityProvider({ applicationId, facebook }, { encrypter: SEALER, now: running.now() });
  const model = { name: HOSTILE, baseUrl: 'http://127.0.0.1:9/v1', model: 'small', instructions: HOSTILE };
  const services = { now: running.now, encrypter: SEALER };
  await storeAssistant({ applicationId, isTrusted: true, apiKey: 'sk-of-the-model', ...model }, services);
  await storeAssistant({ applicationId, isTrusted: false, ...model }, services);
}

async function describePeople(alice: TestUser, bob: TestUser): Promise<void> {
  await done('PUT', `/users/${alice.id}`, alice, {
    user: { full_name: HOSTILE, tag_list: 'a,"b\\', custom_data: HOSTILE },
  });
  await done('PUT', `/users/${bob.id}`, bob, {
    user: { phone: '+442079460018', external_user_id: '9007199254740991' },
  });
  const contacts = [
    { name: HOSTILE, phone: '+442079460018' },
    { name: 'Ann', phone: `1 "'\\` },
  ];
  await done('POST', '/address_book', alice, { contacts });
  await done('POST', '/address_book', alice, { contacts, udid: HOSTILE.slice(0, 20) });
  for (const latitude of [51.5, -89.999, 0.1 + 0.2]) {
    await done('POST', '/geodata', alice, { geo_data: { latitude, longitude: -179.9999, status: HOSTILE } });
  }
}

async function talk(alice: TestUser, bob: TestUser, carol: TestUser) {
  const dialog = { type: 2, name: HOSTILE, occupants_ids: [bob.id, carol.id] };
  const { _id: group } = await created('/chat/Dialog', dialog, alice);
  const say = async (as: Caller, id: string, text: string, more = {}) =>
    (await created('/chat/Message', { chat_dialog_id: id, message: text, ...more }, as))._id as string;
  const ids: string[] = [];
  for (let number = 0; number < 12; number++)
    ids.push(await say(number % 3 ? alice : bob, group, `${number} ${HOSTILE}`));
  const custom = { attachments: [{ type: 'image', id: '1', b: 1, a: 2 }], zeta: HOSTILE, alpha: '1' };
  const message = await say(alice, group, 'with more', custom);
  await wire('POST', '/chat/Message', {
    as: { headers: { ...alice.headers, 'Idempotency-Key': 'once' } },
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ chat_dialog_id: group, message: 'once' }),
  });
  await done('POST', `/chat/Message/${message}/reactions`, bob, { name: 'like' });
  await done('POST', `/chat/Message/${ids[0]}/reactions`, carol, { name: '👍' });
  await done('PUT', `/chat/Message/${ids[3]}`, bob, { chat_dialog_id: group, read: 1 });
  await done('PUT', `/chat/Message/${ids[9]}`, carol, { chat_dialog_id: group, read: 1 });
  await done('DELETE', `/chat/Message/${ids[1]}`, alice, { force: 1 });
  await done('DELETE', `/chat/Message/${ids[4]}`, carol);
  await done('PUT', `/chat/Dialog/${group}/notifications`, bob, { enabled: 0 });
  const { _id: pair } = await created('/chat/Dialog', { type: 3, occupants_ids: bob.id }, alice);
  await say(bob, pair, 'hi');
  await done('DELETE', `/chat/Dialog/${pair}`, alice);
  await created('/chat/Dialog', { type: 1, name: 'Lobby' }, alice);
  const { _id: gone } = await created('/chat/Dialog', { type: 2, name: 'Gone', occupants_ids: bob.id }, alice);
  await say(alice, gone, 'lost');
  await done('DELETE', `/chat/Dialog/${gone}`, alice, { force: 1 });
  return { group: group as string, message };
}

async function keepRecords(alice: TestUser, bob: TestUser) {
  const indexed = ['make', 'price', 'place'];
  const fields = Object.entries({ ...CAR_FIELDS, plate: 'String' }).map(([name, type]) => ({
    name,
    type: type.replace('_a', '').toUpperCase(),
    array: type.endsWith('_a'),
    index: indexed.includes(name),
    unique: name === 'plate',
  }));
  await ask(
    'mutation ($fields: [ClassFieldInput!]!) { createClass(input: { name: "cars", fields: $fields }) { id } }',
    { fields },
    apiKey,
  );
  await created('/class', { name: 'gone', fields: { a: 'Integer' } }, apiKey);
  await created('/data/gone', { a: 1 }, alice);
  const values = {
    make: HOSTILE,
    plate: 'AB 1',
    year: -1,
    price: 0.1 + 0.2,
    sold: true,
    built: '2026-11-21T00:00:00Z',
    place: [51.5, -0.1],
    tags: [HOSTILE, ''],
    sizes: [1, 2 ** 40],
    rates: [1e-300, 1e300],
    flags: [true, false],
    places: [
      [1, 2],
      [-3, 179.5],
    ],
  };
  const car = (await created('/data/cars', values, alice))._id as string;
  const permissions = { read: { access: 'open_for_users_ids', ids: [bob.id] } };
  await created('/data/cars', { make: 'shared', _parent_id: car, permissions }, alice);
  for (let number = 0; number < 30; number++) await created('/data/cars', { make: `m${number}`, price: number }, bob);
  await done('DELETE', '/class/gone', apiKey);
  // As if the sweep had not come to all records yet.
  const classKey = 1_000_000;
  const at = running.now();
  await db.deletedClass.create({ data: { applicationId: APPLICATION.id, classKey } });
  const record = { applicationId: APPLICATION.id, id: 'c'.repeat(24), classKey, userId: 0, isOpen: true, fields: {} };
  await db.record.create({ data: { ...record, createdAt: at, updatedAt: at } });
  const motor = Buffer.from('motor '.repeat(50_000));
  await uploadMotor(car, motor, alice);
  return { car, motor };
}

async function uploadMotor(car: string, bytes: Buffer, as: Caller): Promise<void> {
  const begin = '--B\r\nContent-Disposition: form-data; name="field_name"\r\n\r\nmotor\r\n--B\r\n';
  const file = 'Content-Disposition: form-data; name="file"; filename="motor.bin"\r\nContent-Type: text/plain\r\n\r\n';
  const { status, text } = await wire('POST', `/data/cars/${car}/file`, {
    as,
    headers: { 'Content-Type': MULTIPART },
    body: Buffer.concat([Buffer.from(begin + file), bytes, Buffer.from('\r\n--B--\r\n')]),
  });
  expect({ status, text }).toMatchObject({ status: 200 });
}

async function keepFiles(alice: TestUser): Promise<[string, Buffer][]> {
  const large = Buffer.alloc(9 * 1024 * 1024 + 1);
  for (let place = 0; place < large.length; place += 7) large[place] = place % 251;
  const blobs: [string, Buffer][] = [];
  for (const bytes of [Buffer.alloc(0), Buffer.from('hello'), Buffer.alloc(512, 1), large]) {
    const { uid } = await storeBlob(alice, bytes, { name: `${HOSTILE.slice(0, 40)}.txt`, public: bytes.length === 5 });
    blobs.push([uid, bytes]);
  }
  await created('/blobs', { blob: { name: 'never-uploaded.txt', content_type: 'text/plain' } }, alice);
  return blobs;
}

async function subscribe(alice: TestUser, bob: TestUser): Promise<void> {
  const device = await subscribeDevice(bob, 'gcm', { client_identification_sequence: HOSTILE.slice(0, 30) });
  const token = { environment: 'development' as const, platform: 'android' as const, udid: HOSTILE, sequence: HOSTILE };
  const times = { createdAt: running.now(), updatedAt: running.now() };
  await db.pushToken.create({ data: { applicationId: APPLICATION.id, userId: bob.id, ...token, ...times } });
  // By the clock of the test, and by that of a service that imports it.
  const later = new Date(Math.max(Date.now(), running.now().getTime()) + 30 * 86_400_000).toISOString();
  const event = { environment: 'development', push_type: 'gcm', message: 'aGk=', user: { ids: [bob.id] } };
  await created('/events', { event: { ...event, event_type: 'fixed_date', date: later, name: HOSTILE } }, alice);
  const at = running.now();
  const key = { applicationId: APPLICATION.id, createdAt: at };
  const [sent, halfSent] = ['a'.repeat(24), 'b'.repeat(24)];
  await db.pushSend.createMany({
    data: [
      { ...key, id: sent, isSpread: true, recipients: 1, failed: 1, finishedAt: at },
      { ...key, id: halfSent, isSpread: true, recipients: 1 },
    ],
  });
  const delivery = { applicationId: APPLICATION.id, subscriptionId: device, userId: bob.id, channel: 'gcm' as const };
  await db.pushDelivery.createMany({
    data: [
      { ...delivery, sendId: sent, status: 'failed', attempts: 1, answer: HOSTILE, answeredAt: at },
      { ...delivery, sendId: halfSent, status: 'failed', attempts: 1, answeredAt: at },
    ],
  });
}

async function populateOther({ id, key }: OtherApplication): Promise<void> {
  const [one, two] = await insertUsers(id, 2, key);
  await created('/class', { name: 'cars', fields: { make: 'Integer' } }, key);
  await created('/data/cars', { make: 7 }, one!);
  const { _id } = await created('/chat/Dialog', { type: 3, occupants_ids: two!.id }, one!);
  await created('/chat/Message', { chat_dialog_id: _id, message: 'in the other application' }, one!);
}

async function done(method: string, path: string, as: Caller, json?: object): Promise<void> {
  const { status, text } = await rest(method, path, { as, json });
  if (status >= 300 || text.startsWith('{"errors"')) throw new Error(`${method} ${path}: ${status} ${text}`);
}
