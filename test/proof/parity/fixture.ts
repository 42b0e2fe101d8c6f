import { db } from '../../../src/db/client.ts';
import type { Prisma } from '../../../src/generated/prisma/client.ts';
import { storeAssistant } from '../../../src/resolvers/ai/assistants.ts';
import { hashPassword } from '../../../src/resolvers/users/passwords.ts';
import { running } from '../../support/app/app.ts';
import { createTenant, type Tenant } from '../../support/app/other-apps.ts';
import { sql } from '../../support/app/sql.ts';
import { insertSession } from '../../support/fixtures/callers.ts';
import { execute } from '../../support/fixtures/chat.ts';
import { OPEN, type Proofs, seedProofs } from '../../support/fixtures/proofs.ts';
import { anonymous, type Caller } from '../../support/fixtures/users.ts';
import { formOf } from '../../support/operations/files.ts';
import type { Fixture } from '../../support/operations/operation.ts';
import { PASSWORD } from '../../support/operations/people.ts';
import type { Id, Kind, Pick, Who } from '../../support/operations/values.ts';
import { Names } from './names.ts';

export const PEOPLE = ['alice', 'bob', 'carol', 'dave'] as const;

const UNKNOWN = { number: 99_999_999, text: '0123456789abcdef01234567' };
const NUMBERED = new Set<Kind>([
  'user',
  'blob',
  'geodatum',
  'event',
  'subscription',
  'pushToken',
  'apiKey',
  'session',
  'passkey',
]);

/** The application of one transport; the fixtures of the others differ only in ids. */
export interface ParityFixture extends Fixture {
  key: Caller;
  ringer: Caller;
  callers: Record<Who, Caller>;
  names: Names;
}

let passwordHash: Promise<string> | undefined;

/** Gives the ids of each table a distinct range, so that they differ from each other and from other numbers. */
export async function spreadIds(): Promise<void> {
  const sequences = await sql<{ name: string }>(
    `SELECT sequencename AS name FROM pg_sequences WHERE schemaname = 'public' AND data_type::text = 'integer' ORDER BY 1`,
  );
  for (const [place, { name }] of sequences.entries()) {
    await sql(`ALTER SEQUENCE "${name}" RESTART WITH ${100_000_000 + place * 20_000_000}`);
  }
}

/** Creates the users and one object of each kind directly, the same in every fixture. */
export async function createParityFixture(modelUrl: string): Promise<ParityFixture> {
  const tenant = await createTenant(PEOPLE.length + 1);
  const stranger = await createTenant(1);
  const { applicationId, key, users } = tenant;
  passwordHash ??= hashPassword(PASSWORD);
  const ringer = users[PEOPLE.length]!;
  await nameUser(applicationId, ringer.id, { login: 'ringer', loginKey: 'ringer' });
  for (const [place, name] of PEOPLE.entries()) {
    await nameUser(applicationId, users[place]!.id, {
      login: name,
      loginKey: name,
      email: `${name}@example.org`,
      fullName: `${name} of Parity`,
      phone: `+4470090000${place}`,
      externalUserId: 1000 + place,
      facebookId: `777${place}`,
      twitterId: `888${place}`,
      tags: place % 2 === 0 ? ['even', 'g1'] : ['odd'],
      passwordHash: await passwordHash,
    });
  }
  await nameUser(stranger.applicationId, stranger.users[0]!.id, { login: 'stranger', loginKey: 'stranger' });
  const application = await db.application.findUniqueOrThrow({ where: { id: applicationId } });
  const known: ParityFixture['known'] = {
    user: users.slice(0, PEOPLE.length).map(({ id }) => id),
    dialog: [],
    message: [],
    record: [],
    blob: [],
    uid: [],
    geodatum: [],
    event: [],
    subscription: [],
    pushToken: [],
    assistant: [],
    apiKey: [],
    session: [],
    passkey: [],
  };
  const foreign = { number: stranger.users[0]!.id, text: await foreignDialog(stranger) };
  const uids = new Map<Id, string>();
  const pick = (kind: Kind, pick: Pick): Id => {
    if (kind === 'uid') return uids.get(fixture.pick('blob', pick)) ?? '0'.repeat(34);
    const form = NUMBERED.has(kind) ? 'number' : 'text';
    if (pick === 'malformed') return 'no-id';
    if (pick === 'foreign') return foreign[form];
    const all = known[kind];
    return pick === 'unknown' || all.length === 0 ? UNKNOWN[form] : all[pick % all.length]!;
  };
  const fixture: ParityFixture = {
    applicationId,
    authKey: application.authKey,
    authSecret: application.authSecret,
    key,
    ringer,
    callers: await callersOf(tenant, stranger),
    known,
    uploads: new Map(),
    uids,
    nonce: 5_000,
    names: new Names(),
    pick,
  };
  const assistant = await storeAssistant(
    { name: 'Helper', baseUrl: modelUrl, model: 'tiny', applicationId, isTrusted: true },
    running.app.services,
  );
  known.assistant.push(assistant.id);
  await furnish(fixture);
  fixture.proofs = await openAccess(fixture);
  return fixture;
}

function nameUser(applicationId: number, id: number, data: Prisma.UserUpdateInput): Promise<unknown> {
  return db.user.update({ where: { applicationId_id: { applicationId, id } }, data });
}

async function foreignDialog({ users }: Tenant): Promise<string> {
  const answer = await execute(
    'mutation { createDialog(input: { type: PUBLIC_GROUP, name: "Theirs" }) { id } }',
    {},
    users[0]!,
  );
  return answer.createDialog.id;
}

async function callersOf({ applicationId, key, users }: Tenant, stranger: Tenant): Promise<ParityFixture['callers']> {
  const [alice, bob, carol, dave] = users as Caller[] as [Caller, Caller, Caller, Caller];
  const ids = users.map(({ id }) => id);
  return {
    alice,
    bob,
    carol,
    dave,
    key,
    'session of alice': await insertSession(ids[0]!, applicationId),
    'session of bob': await insertSession(ids[1]!, applicationId),
    'application session': await insertSession(null, applicationId),
    stranger: stranger.users[0]!,
    anonymous,
    'refused token': { headers: { 'SVC-Token': '0'.repeat(40) } },
    'refused key': { headers: { Authorization: 'ApiKey none' } },
    'key for an unknown user': { headers: { ...key.headers, 'On-Behalf-Of': String(UNKNOWN.number) } },
  };
}

/** Turns on what the ways to sign in need, which does not change other responses. */
async function openAccess({ applicationId, known }: ParityFixture): Promise<Proofs> {
  await db.application.update({ where: { id: applicationId }, data: OPEN });
  const [alice] = known.user as [number];
  const sessions = await db.session.findMany({ where: { applicationId, userId: alice }, select: { id: true } });
  known.session.push(...sessions.map(({ id }) => id));
  return seedProofs(applicationId, alice);
}

const FURNISH = `mutation ($bob: Int!, $carol: Int!, $date: UnixTime!) {
  group: createDialog(input: { type: GROUP, name: "Lunch", occupantIds: [$bob, $carol] }) { id }
  lobby: createDialog(input: { type: PUBLIC_GROUP, name: "Lobby" }) { id }
  pair: createDialog(input: { type: PRIVATE, occupantIds: [$bob] }) { id }
  blob: createBlob(input: { name: "a.txt", contentType: "text/plain" }) { id blobObjectAccess { params } }
  place: createGeodatum(input: { latitude: 51.5, longitude: 0.1, status: "here" }) { id }
  pushToken: createPushToken(input: {
    token: { environment: "development", clientIdentificationSequence: "seq-0" }, device: { platform: "android", udid: "u0" }
  }) { id }
  subscription: createSubscription(input: {
    channels: ["gcm"], token: { environment: "development", clientIdentificationSequence: "seq-1" },
    device: { platform: "android", udid: "u1" }
  }) { id }
  events: createEvents(input: {
    notificationType: "push", environment: "development", pushType: "gcm", message: "aGVsbG8gd29ybGQh", date: $date, userIds: [$bob]
  }) { id }
  uploadContacts(udid: "u1", contacts: [{ name: "Bob", phone: "+44700900001" }]) { created }
}`;

const CLASSES = `mutation {
  cars: createClass(input: { name: "cars", fields: [
    { name: "make", type: STRING } { name: "year", type: INTEGER } { name: "motor", type: FILE }
    { name: "tags", type: STRING, array: true } { name: "price", type: FLOAT } { name: "used", type: BOOLEAN }
    { name: "sold", type: DATE } { name: "place", type: LOCATION } { name: "sizes", type: INTEGER, array: true }
  ] }) { id }
  wheels: createClass(input: { name: "wheels", fields: [{ name: "size", type: INTEGER }] }) { id }
}`;

const FILL = `mutation ($group: ID!, $lobby: ID!, $pair: ID!) {
  a: sendMessage(input: { dialogId: $group, text: "one" }) { id }
  b: sendMessage(input: { dialogId: $pair, text: "two" }) { id }
  c: sendMessage(input: { dialogId: $lobby, text: "three" }) { id }
  x: createRecord(input: { className: "cars", fields: { make: "BMW", year: 2001, tags: ["red"] } }) { id }
  y: createRecord(input: { className: "cars", fields: { make: "Audi", year: 2002 }, permissions: { read: { access: OWNER } } }) { id }
}`;

async function furnish({ known, callers, uploads, uids }: ParityFixture): Promise<void> {
  const { alice, key } = callers;
  const [, bob, carol] = known.user;
  await execute(CLASSES, {}, key);
  const date = Math.floor(running.now().getTime() / 1000) + 864_000;
  const made = await execute(FURNISH, { bob, carol, date }, alice);
  known.dialog.push(made.group.id, made.lobby.id, made.pair.id);
  known.blob.push(made.blob.id);
  const form = formOf(made.blob.blobObjectAccess.params);
  uploads.set(made.blob.id, form);
  uids.set(made.blob.id, form.key!);
  known.geodatum.push(made.place.id);
  known.pushToken.push(made.pushToken.id);
  known.subscription.push(made.subscription[0].id);
  known.event.push(made.events[0].id);
  const [group, lobby, pair] = known.dialog;
  const filled = await execute(FILL, { group, lobby, pair }, alice);
  known.message.push(filled.a.id, filled.b.id, filled.c.id);
  known.record.push(filled.x.id, filled.y.id);
}
