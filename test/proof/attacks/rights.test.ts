import { getNamedType, isObjectType } from 'graphql';
import { beforeAll, describe, expect, test } from 'vitest';
import { schema } from '../../../src/schema/index.ts';
import { useApp } from '../../support/app/app.ts';
import { rest } from '../../support/clients/rest.ts';
import { codeOf, GRAPHQL_TRANSPORTS } from '../../support/clients/transports.ts';
import { complete, createBlob, storeBlob, upload, uploadFields } from '../../support/fixtures/blobs.ts';
import { createDialog, execute } from '../../support/fixtures/chat.ts';
import { created } from '../../support/fixtures/chat-cast.ts';
import { defineClass } from '../../support/fixtures/typed-classes.ts';
import {
  apiKey,
  type Caller,
  createUser,
  createUsers,
  onBehalfOf,
  openSession,
  type TestUser,
} from '../../support/fixtures/users.ts';

useApp();

let alice: TestUser;
let mallory: TestUser;
let session: Caller;
beforeAll(async () => {
  [alice, mallory] = await createUsers(2);
  session = await openSession();
});

const set = (setting: string) =>
  execute(`mutation { updateApplication(input: { ${setting} }) { id groups filesByNumber usersList } }`, {}, apiKey);

describe('#4 updates of unreadable records', () => {
  const SECRET = 'TOP-SECRET-4';
  const CLOSED = { read: { access: 'owner' }, update: { access: 'open' }, delete: { access: 'owner' } };
  const TIMES = { _id: expect.any(String), created_at: expect.any(Number), updated_at: expect.any(Number) };

  beforeAll(async () => {
    await defineClass('boxes', { secret: 'String', n: 'Integer', list: '[String]', note: 'String!', film: 'File' });
    const code = '{ name: "code", type: INTEGER, unique: true }';
    await execute(`mutation { updateClass(name: "boxes", input: { fields: [${code}] }) { id } }`, {}, apiKey);
  });

  const newBox = async (values: object = {}): Promise<string> =>
    (await created('/data/boxes', { secret: SECRET, note: 'x', list: ['a'], ...values, permissions: CLOSED }, alice))
      ._id;
  const put = (id: string, json: object, as: Caller = mallory) => rest('PUT', `/data/boxes/${id}`, { as, json });

  test('REST returns only the id and the times after an update of an unreadable record', async () => {
    const [id, other] = [await newBox(), await newBox()];
    for (const json of [{}, { inc: { n: 0 } }, { pull: { list: 'a' } }, { add_to_set: { list: 'a' } }, { note: 'y' }]) {
      const { status, body } = await put(id, json);
      expect([json, status, body]).toEqual([json, 200, TIMES]);
    }
    const open = await created('/data/boxes', { note: 'mine' }, mallory);
    const record = { 1: { id, n: 1 }, 2: { id: other, note: 'z' }, 3: { id, n: 2 }, 4: { id: open._id, n: 3 } };
    const several = await rest('PUT', '/data/boxes/multi', { as: mallory, json: { record } });
    expect(several.body.items).toEqual([TIMES, TIMES, expect.objectContaining({ _id: open._id, n: 3, note: 'mine' })]);
    const xml = await rest('PUT', `/data/boxes/${id}.xml?token=${mallory.token}`, { as: mallory, json: {} });
    expect([xml.status, xml.text.includes(SECRET)]).toEqual([200, false]);
    expect((await put(id, {}, alice)).body).toMatchObject({ secret: SECRET, n: 2 });
  });

  test('GraphQL returns null for all other fields after an update of an unreadable record, on every transport', async () => {
    const id = await newBox();
    const about = 'id createdAt updatedAt parentId userId permissions { read { access } }';
    const generic = `mutation { updateRecord(className: "boxes", id: "${id}", input: { inc: { n: 1 } }) { ${about} fields } }`;
    const several = `mutation { updateRecords(className: "boxes", records: [{ id: "${id}", changes: { fields: { n: 1 } } }]) {
      records { ${about} fields } } }`;
    const typed = `mutation { updateBox(id: "${id}", set: { n: 1 }) { ${about} secret n list owner { login } } }`;
    for (const [, transport] of GRAPHQL_TRANSPORTS) {
      for (const document of [generic, several, typed]) {
        const answer = await transport(document, {}, mallory);
        expect(codeOf(answer)).toBe('served');
        const [value] = Object.values(answer.data) as [{ records?: object[] }];
        const {
          id: shownId,
          createdAt,
          updatedAt,
          ...others
        } = (value.records?.[0] ?? value) as Record<string, unknown>;
        expect([shownId, createdAt, updatedAt]).toEqual([id, expect.any(Number), expect.any(Number)]);
        expect(Object.values(others).every((other) => other === null)).toBe(true);
      }
    }
  });

  test('no stored value decides whether an update is rejected', async () => {
    const outcome = async (id: string, json: object) => {
      const { status, body } = await put(id, json);
      return { status, errors: body.errors };
    };
    const most = Number.MAX_SAFE_INTEGER;
    const long = 'x'.repeat(200_000);
    const pairs: [string, object, object, object][] = [
      ['the sum of inc', { n: 5 }, { n: most }, { inc: { n: most - 5 } }],
      ['the size', { secret: 's' }, { secret: long }, { push: { list: [long] } }],
      [
        'the size, with a value that must be unique',
        { secret: 's' },
        { secret: long },
        { code: 7, push: { list: [long] } },
      ],
      ['the sum, with one', { n: 5 }, { n: most }, { code: 7, inc: { n: most - 5 } }],
      ['who may read', {}, {}, { permissions: { read: { access: 'owner' } } }],
      ['who may read, otherwise', {}, {}, { permissions: { read: { access: 'open' } } }],
      ['the record that holds a unique value', { code: 60 }, { code: 61 }, { code: 60 }],
      ['a unique value that inc comes to', { code: 41 }, { code: 50 }, { inc: { code: 1 } }],
    ];
    await newBox({ code: 7 });
    await newBox({ code: 42 });
    const outcomes = new Map<string, unknown>();
    for (const [what, one, other, change] of pairs) {
      const [first, second] = [await outcome(await newBox(one), change), await outcome(await newBox(other), change)];
      expect([what, second]).toEqual([what, first]);
      outcomes.set(what, first.status);
    }
    expect(outcomes.get('who may read')).toBe(outcomes.get('who may read, otherwise'));
    expect(outcomes.get('the sum of inc')).toBe(200);
    // Violations caused by the input alone are reported.
    expect(await outcome(await newBox(), { note: null })).toEqual({ status: 422, errors: ['Field note is required'] });
    const film = await rest('DELETE', `/data/boxes/${await newBox()}/file?field_name=film`, { as: mallory });
    expect(film.status).toBe(200);
  });
});

describe('#46 self-assigned groups', () => {
  const shared = (groups: string[]) => ({ access: 'open_for_groups', groups });
  const permissions = { read: shared(['admins']), update: shared(['admins']), delete: shared(['admins']) };
  const ofTags = (tags: string, as: Caller, id: number) =>
    rest('PUT', `/users/${id}`, { as, json: { user: { tag_list: tags } } });

  beforeAll(() =>
    defineClass(
      'plans',
      { make: 'String' },
      { permissions: { create: { access: 'OPEN_FOR_GROUPS', groups: ['admins'] } } },
    ),
  );

  async function may(as: Caller): Promise<string[]> {
    const { _id: id } = await created('/data/plans', { make: 'x', permissions }, apiKey);
    const list = await rest('GET', '/data/plans', { as });
    const typed = await GRAPHQL_TRANSPORTS[1]![1](`{ plan(id: "${id}") { id } }`, {}, as);
    const done = {
      read: (await rest('GET', `/data/plans/${id}`, { as })).status === 200,
      typed: codeOf(typed) === 'served',
      list: list.body.items.some((item: { _id: string }) => item._id === id),
      update: (await rest('PUT', `/data/plans/${id}`, { as, json: { make: 'y' } })).status === 200,
      create: (await rest('POST', '/data/plans', { as, json: { make: 'z', permissions } })).status === 201,
      delete: (await rest('DELETE', `/data/plans/${id}`, { as })).status === 200,
    };
    return Object.entries(done).flatMap(([deed, isDone]) => (isDone ? [deed] : []));
  }
  const ALL = ['read', 'typed', 'list', 'update', 'create', 'delete'];

  test('a self-assigned tag grants nothing; a tag set by an API key grants its group until the user removes it', async () => {
    const user = await createUser();
    for (const as of [user, onBehalfOf(user)]) expect((await ofTags('admins,x', as, user.id)).status).toBe(200);
    await execute(
      'mutation ($id: Int!) { updateUser(id: $id, input: { tags: ["admins"] }) { id } }',
      { id: user.id },
      user,
    );
    expect(await may(user)).toEqual([]);
    expect(await may(onBehalfOf(user))).toEqual([]);
    const found = await rest('GET', '/users/by_tags?tags=admins', { as: user });
    expect(found.body.items.map((item: { user: { id: number } }) => item.user.id)).toContain(user.id);

    await ofTags('admins,staff', apiKey, user.id);
    expect(await may(user)).toEqual(ALL);
    await ofTags('admins,other', user, user.id);
    expect(await may(user)).toEqual(ALL);
    await ofTags('other', user, user.id);
    await ofTags('admins,other', user, user.id);
    expect(await may(user)).toEqual([]);
  });

  test('tags of a sign-up grant no group, unless the application sets groups to SELF', async () => {
    const json = { user: { login: 'newcomer', password: 'password-1', tag_list: 'admins' } };
    const { user } = (await rest('POST', '/users', { as: session, json })).body;
    const as = onBehalfOf(user);
    expect(await may(as)).toEqual([]);
    await set('groups: SELF');
    expect(await may(as)).toEqual(ALL);
    await set('groups: GRANTED');
    expect(await may(as)).toEqual([]);
  });
});

describe('#30 files by number', () => {
  const BYTES = 'PRIVATE PASSPORT SCAN';

  test('only its creator and API keys may open a private file by number, on any transport', async () => {
    const [blob, open] = [await storeBlob(alice, BYTES), await storeBlob(alice, BYTES, { public: true })];
    const pending = await createBlob(alice);
    const documents = ({ id }: { id: number }) => [
      `{ blob(id: ${id}) { uid url } }`,
      `{ blobFile(id: ${id}) { name } }`,
    ];
    const paths = ({ id }: { id: number }) => [`/blobs/${id}`, `/blobs/${id}.xml`, `/blobs/${id}/download`];
    for (const as of [mallory, session, onBehalfOf(mallory)]) {
      for (const path of [...paths(blob), `/blobs/${pending.id}`]) {
        const { status, text } = await rest('GET', path, { as });
        const unknown = await rest('GET', path.replace(/\d+/, '99999'), { as });
        expect([path, status, text]).toEqual([path, 404, unknown.text]);
      }
      for (const [, transport] of GRAPHQL_TRANSPORTS) {
        for (const document of documents(blob)) expect(codeOf(await transport(document, {}, as))).toBe('NOT_FOUND');
        for (const document of documents(open)) expect(codeOf(await transport(document, {}, as))).toBe('served');
      }
      expect((await rest('GET', `/blobs/${blob.uid}`, { as })).text).toBe(BYTES);
    }
    for (const as of [alice, apiKey]) {
      for (const path of [`/blobs/${blob.id}`, `/blobs/${blob.id}/download`]) {
        expect([path, (await rest('GET', path, { as })).status]).toEqual([path, 200]);
      }
    }
    await set('filesByNumber: SESSION');
    expect((await rest('GET', `/blobs/${blob.id}/download`, { as: session })).text).toBe(BYTES);
    await set('filesByNumber: OWNER');
  });

  test('a message that attaches a foreign file by number does not reveal its uid', async () => {
    const [theirs, own] = [await storeBlob(alice, BYTES), await createBlob(mallory)];
    await upload(uploadFields(own));
    await complete(mallory, own);
    const dialogId = await createDialog(mallory, [alice]);
    const attachments = [theirs, own].map(({ id }) => ({ type: 'file', id: String(id) }));
    await created('/chat/Message', { chat_dialog_id: dialogId, message: 'x', attachments }, mallory);
    const document = 'query ($id: ID!) { messages(dialogId: $id) { edges { node { files { uid } } } } }';
    const { messages } = await execute(document, { id: dialogId }, mallory);
    expect(messages.edges[0].node.files).toEqual([{ uid: own.uid }]);
  });
});

describe('#17 a disabled users list', () => {
  const PRIVATE = 'private-17@example.org';
  /** Every field that leads to users, by what protects it while the list is disabled. */
  const KNOWN = {
    refused: ['Query.users', 'Query.usersByFullName', 'Query.usersByTags'],
    hidden: ['Geodatum.user', 'RegisteredContact.user'],
    compact: ['Query.registeredContacts', 'AddressBook.registeredUsers'],
    oneByKey:
      'Query.user Query.me Query.userByExternalId Query.userByLogin Query.userByEmail Query.userByFacebookId Query.userByTwitterId Query.userByPhone',
    own: 'Mutation.createUser Mutation.updateUser Mutation.login Mutation.loginUser Session.user',
    conversation: ['Message.sender'],
    keysOnly: ['Mutation.assignRole', 'Mutation.blockUser', 'Mutation.revokeRole', 'Mutation.unblockUser'],
  };

  test('every field of the schema that leads to users is listed in this test', () => {
    const known = Object.values(KNOWN).flatMap((paths) => (typeof paths === 'string' ? paths.split(' ') : paths));
    const leads = Object.values(schema.getTypeMap()).flatMap((type) =>
      isObjectType(type) && !type.name.startsWith('__')
        ? Object.values(type.getFields()).flatMap((field) => {
            const named = getNamedType(field.type).name;
            const isUser = named === 'User' || /Users?\w*Connection$|^QueryRegisteredContactsConnection$/.test(named);
            return isUser ? [`${type.name}.${field.name}`] : [];
          })
        : [],
    );
    expect(leads.filter((path) => !known.includes(path) && !path.endsWith('Edge.node'))).toEqual([]);
  });

  test('a disabled list hides profiles in places, address books and owners, and rejects searches by name', async () => {
    const bob = await createUser({ email: PRIVATE, phone: '4420794617', full_name: 'Bob Seventeen' });
    await created('/geodata', { geo_data: { latitude: 1, longitude: 2 } }, bob);
    await defineClass('bikes', { make: 'String' });
    await created('/data/bikes', { make: 'x' }, bob);
    const contacts = [{ name: 'B', phone: '4420794617' }];
    await execute(
      'mutation ($c: [ContactInput]) { uploadContacts(contacts: $c) { created } }',
      { c: contacts },
      mallory,
    );
    await set('usersList: false');
    const refusal = { errors: { base: ['Users retrieving forbidden in application settings'] } };
    for (const as of [session, mallory]) {
      const places = await rest('GET', '/geodata/find', { as });
      expect(places.body.items[0].geo_datum.user).toEqual({ id: bob.id });
      const named = await rest('GET', '/geodata/find?user.name=sev', { as });
      expect([named.status, named.body]).toEqual([403, refusal]);
      for (const query of ['', '.xml', '?last_only=1', `?user.id=${bob.id}`]) {
        const { text } = await rest('GET', `/geodata/find${query}`, { as });
        expect([query, text.includes(PRIVATE)]).toEqual([query, false]);
      }
      for (const [, transport] of GRAPHQL_TRANSPORTS) {
        expect(codeOf(await transport('{ geodata(userName: "sev") { totalCount } }', {}, as))).toBe('FORBIDDEN');
        for (const document of [
          '{ geodata { edges { node { userId user { email phone } } } } }',
          '{ bikes { userId owner { email phone } } }',
        ]) {
          const answer = await transport(document, {}, as);
          expect([codeOf(answer), JSON.stringify(answer).includes(PRIVATE)]).toEqual(['served', false]);
        }
      }
    }
    const book = await rest('GET', '/address_book/registered_users', { as: mallory });
    expect(book.body).toEqual({ items: [{ user: { id: bob.id, phone: '4420794617' } }] });
    const asked = (fields: string) => [
      `{ registeredContacts { edges { node { ${fields} } } } }`,
      `{ addressBook { registeredUsers { ${fields} } } }`,
    ];
    for (const document of asked('id phone'))
      expect(codeOf(await GRAPHQL_TRANSPORTS[0]![1](document, {}, mallory))).toBe('served');
    for (const document of asked('id email fullName createdAt lastRequestAt')) {
      const answer = await GRAPHQL_TRANSPORTS[0]![1](document, {}, mallory);
      expect([codeOf(answer), JSON.stringify(answer).includes(PRIVATE)]).toEqual(['FORBIDDEN', false]);
    }
    const own = await execute('{ bikes { owner { email } } geodata { edges { node { user { email } } } } }', {}, bob);
    expect(own).toEqual({
      bikes: [{ owner: { email: PRIVATE } }],
      geodata: { edges: [{ node: { user: { email: PRIVATE } } }] },
    });
    expect((await rest('GET', '/geodata/find?user.name=sev', { as: apiKey })).text).toContain(PRIVATE);
    await set('usersList: true');
    expect((await rest('GET', '/address_book/registered_users', { as: mallory })).text).toContain(PRIVATE);
  });
});
