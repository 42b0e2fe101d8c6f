import { beforeAll, describe, expect, test } from 'vitest';
import { create } from 'xmlbuilder2';
import { APPLICATION, useApp } from '../../support/app/app.ts';
import { type RestAnswer, type RestCall, rest } from '../../support/clients/rest.ts';
import { apiKey, createUsers, openSession, signedParameters, type TestUser } from '../../support/fixtures/users.ts';

useApp();

const PROLOG = '<?xml version="1.0" encoding="UTF-8"?>';
const TIME = '2026-11-20T17:46:59Z';
const NO_ID = 'f'.repeat(24);

let alice: TestUser;
let bob: TestUser;

beforeAll(async () => {
  [alice, bob] = await createUsers(2);
});

async function xml(method: string, path: string, call: RestCall = {}): Promise<RestAnswer & { xml: string }> {
  const answer = await rest(method, path, call);
  expect(answer.headers.get('content-type')).toBe('application/xml; charset=utf-8');
  expect(Number(answer.headers.get('content-length'))).toBe(Buffer.byteLength(answer.text));
  expect(answer.text.startsWith(PROLOG)).toBe(true);
  expect(() => create(answer.text)).not.toThrow();
  return { ...answer, xml: answer.text.slice(PROLOG.length) };
}

const errors = (...sentences: string[]) =>
  `<errors>${sentences.map((sentence) => `<error>${sentence}</error>`).join('')}</errors>`;

async function createDialog(): Promise<string> {
  const { body } = await rest('POST', '/chat/Dialog.json', {
    as: alice,
    json: { type: 2, name: 'G & H', occupants_ids: [bob.id] },
  });
  return body._id;
}

async function sendMessage(dialogId: string, more: Record<string, unknown> = {}): Promise<string> {
  const { body } = await rest('POST', '/chat/Message.json', {
    as: alice,
    json: { chat_dialog_id: dialogId, message: 'hi', ...more },
  });
  return body._id;
}

describe('XML responses', () => {
  test('a session opened with form parameters has the XML form of the contract', async () => {
    const form = new URLSearchParams(signedParameters()).toString();
    const nonce = new URLSearchParams(form).get('nonce');
    const answer = await xml('POST', '/session.xml', { form });

    const [, id] = /<id type="integer">(\d+)<\/id>/.exec(answer.xml)!;
    const [, token] = /<token>([0-9a-f]{40})<\/token>/.exec(answer.xml)!;
    expect(answer.status).toBe(201);
    expect(answer.text).toBe(
      `<?xml version="1.0" encoding="UTF-8"?><session><application-id type="integer">${APPLICATION.id}</application-id><created-at type="datetime">${TIME}</created-at><id type="integer">${id}</id><nonce type="integer">${nonce}</nonce><token>${token}</token><ts type="integer">1795196819</ts><updated-at type="datetime">${TIME}</updated-at><user-id type="integer">0</user-id><_id>${id}</_id></session>`,
    );
    expect(answer.headers.get('svc-token-expirationdate')).toBe('2026-11-20 19:46:59 UTC');
  });

  test('a user has the member order of the JSON', async () => {
    const answer = await xml('GET', `/users/${alice.id}.xml`, { as: alice });
    expect(answer.status).toBe(200);
    // The time of the latest request is stored later.
    const seen = /<last-request-at(?: nil="true"\/>| type="datetime">[^<]*<\/last-request-at>)/;
    expect(answer.xml.replace(seen, '')).toBe(
      `<user><id type="integer">${alice.id}</id><full-name nil="true"/><email nil="true"/><login>${alice.login}</login><phone nil="true"/><website nil="true"/><created-at type="datetime">${TIME}</created-at><updated-at type="datetime">${TIME}</updated-at><external-user-id nil="true"/><facebook-id nil="true"/><twitter-id nil="true"/><blob-id nil="true"/><custom-data nil="true"/><parents-contacts/><age-over16 type="boolean">false</age-over16><allow-statistics-analysis type="boolean">false</allow-statistics-analysis><allow-sales-activities type="boolean">false</allow-sales-activities><user-tags nil="true"/></user>`,
    );
  });

  test('a message, a list of messages and reactions have the XML form of the contract', async () => {
    const dialogId = await createDialog();
    const sent = await xml('POST', '/chat/Message.xml', {
      as: alice,
      form: `chat_dialog_id=${dialogId}&message=a%0B%0D%0A%3Cb%3E&attachments[0][type]=image&attachments[0][id]=5&my_key=1&1st+key=2`,
    });
    expect(sent.status).toBe(201);
    expect(sent.xml).toMatch(/^<chat-message>.*<\/chat-message>$/s);
    expect(sent.xml).toContain('<my-key>1</my-key><entry key="1st key">2</entry>');
    expect(sent.xml).toContain('<message>a\ufffd&#13;\n&lt;b&gt;</message>');
    expect(sent.xml).toContain('<attachments type="array"><item><type>image</type><id>5</id></item></attachments>');
    expect(sent.xml).toContain('<reactions nil="true"/>');

    const [, id] = /<_id>(\w+)<\/_id>/.exec(sent.xml)!;
    for (const name of ['like', '👍']) {
      const added = await rest('POST', `/chat/Message/${id}/reactions.xml`, { as: bob, json: { name } });
      expect([added.status, added.text, added.headers.get('content-type')]).toEqual([200, '', null]);
    }
    const reactions = await xml('GET', `/chat/Message/${id}/reactions.xml`, { as: bob });
    const users = `type="array"><value type="integer">${bob.id}</value>`;
    expect(reactions.xml).toBe(`<result><like ${users}</like><entry key="👍" ${users}</entry></result>`);

    const list = await xml('GET', `/chat/Message.xml?chat_dialog_id=${dialogId}`, { as: bob });
    expect(list.xml).toMatch(
      /^<chat-messages><skip type="integer">0<\/skip><limit type="integer">100<\/limit><items type="array"><item>.*<\/item><\/items><\/chat-messages>$/s,
    );
    expect(list.xml).toContain(
      '<reactions><own type="array"><value>like</value><value>👍</value></own><total><like type="integer">1</like><entry key="👍" type="integer">1</entry></total></reactions>',
    );
  });

  test('bodies that are empty in JSON are empty in XML', async () => {
    const session = await openSession();
    const ended = await rest('DELETE', '/session.xml', { as: session });
    expect([ended.status, ended.text, ended.headers.get('content-length')]).toEqual([200, '', '0']);
    expect(ended.headers.get('content-type')).toBeNull();

    const unknown = await rest('GET', '/users/2147483647.xml', { as: alice });
    expect([unknown.status, unknown.text, unknown.headers.get('content-type')]).toEqual([404, '', null]);
  });

  test('HEAD responds like GET without the body', async () => {
    const got = await xml('GET', `/users/${alice.id}.xml`, { as: alice });
    const head = await rest('HEAD', `/users/${alice.id}.xml`, { as: alice });
    expect([head.status, head.text]).toEqual([200, '']);
    expect(head.headers.get('content-type')).toBe('application/xml; charset=utf-8');
    expect(head.headers.get('content-length')).toBe(got.headers.get('content-length'));
  });

  test('only the path suffix selects XML', async () => {
    const user = await xml('GET', `/users/${alice.id}.xml`, { as: alice });
    for (const path of [`/users/${alice.id}.xml/`, `/users/${alice.id}.xml?`, `/users/${alice.id}.xml?x=.json`]) {
      expect((await xml('GET', path, { as: alice })).xml).toBe(user.xml);
    }
    for (const path of [`/users/${alice.id}`, `/users/${alice.id}.json`, `/users/${alice.id}.json?a.xml`]) {
      const answer = await rest('GET', path, { as: alice, headers: { Accept: 'application/xml' } });
      expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(answer.body.user.id).toBe(alice.id);
    }
  });
});

describe('errors', () => {
  const huge = (): RestCall => ({ form: 'x'.repeat(1_048_577) });
  test.each<[name: string, method: string, path: string, call: () => RestCall, status: number, xml: string]>([
    ['no credential', 'GET', '/users/1.xml', () => ({}), 401, errors('Token is required')],
    [
      'an unknown token',
      'GET',
      '/users/1.xml',
      () => ({ headers: { 'SVC-Token': 'x' } }),
      401,
      errors('Required session does not exist'),
    ],
    [
      'array form',
      'GET',
      `/chat/Message/${NO_ID}.xml`,
      () => ({ as: alice }),
      404,
      errors("The resource wasn't found"),
    ],
    ['base form', 'POST', '/session.xml', () => ({ form: 'application_id=1' }), 422, errors('No application found')],
    [
      'field form: each sentence once',
      'POST',
      '/users.xml',
      () => ({ as: apiKey, form: `user[login]=${alice.login}&user[password]=password-1` }),
      422,
      errors('Login has already been taken'),
    ],
    [
      'several texts of a field',
      'POST',
      '/users.xml',
      () => ({ as: apiKey, form: '' }),
      422,
      errors(
        'Password should contain alphanumeric and punctuation characters only',
        'Password is too short (minimum is 8 characters)',
      ),
    ],
    ['the field id', 'GET', '/users/abc.xml', () => ({ as: alice }), 422, errors('Id should be a positive integer')],
    ['an unknown path', 'GET', '/nope.xml', () => ({}), 404, errors("The resource wasn't found")],
    ['an unserved method', 'PATCH', '/users/1.xml', () => ({}), 404, errors("The resource wasn't found")],
    ['a path that is not UTF-8', 'GET', '/users/%ff.xml', () => ({}), 404, errors("The resource wasn't found")],
    ['only the suffix', 'GET', '/.xml', () => ({}), 404, errors("The resource wasn't found")],
    ['a body that is too large', 'POST', '/users.xml', huge, 413, errors('Request body is too large')],
    [
      'a body that is too large for an unknown path',
      'POST',
      '/nope.xml',
      huge,
      413,
      errors('Request body is too large'),
    ],
    [
      'malformed JSON',
      'POST',
      '/users.xml',
      () => ({ form: '{', headers: { 'Content-Type': 'application/json' } }),
      400,
      errors('Malformed request body'),
    ],
    ['a malformed query', 'GET', '/users/1.xml?a=%ff', () => ({ as: alice }), 400, errors('Malformed request body')],
    ...['application/xml', 'text/xml; charset=utf-8', 'application/soap+xml'].map(
      (type): [string, string, string, () => RestCall, number, string] => [
        `a body of ${type}`,
        'POST',
        '/users.xml',
        () => ({ as: apiKey, form: '<user><login>bob</login></user>', headers: { 'Content-Type': type } }),
        415,
        errors('Unsupported content type'),
      ],
    ),
  ])('the XML error of %s has the form of the contract', async (_name, method, path, call, status, expected) => {
    const answer = await xml(method, path, call());
    expect([answer.status, answer.xml]).toEqual([status, expected]);
    expect(answer.headers.get('status')).toMatch(new RegExp(`^${status} `));
  });
});

describe('the token parameter of XML paths', () => {
  const missing = errors('Token is required');
  const unknown = errors('Required session does not exist');

  test('the token parameter is a credential in the query', async () => {
    const answer = await xml('GET', `/users/${alice.id}.xml?token=${alice.token}`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('svc-token-expirationdate')).toBe('2026-11-20 19:46:59 UTC');
    expect((await xml('GET', `/users/${alice.id}.xml?token=${'0'.repeat(40)}`)).xml).toBe(unknown);
  });

  test('the token parameter is a credential in a body', async () => {
    const dialogId = await createDialog();
    const form = `chat_dialog_id=${dialogId}&message=hi&token=${alice.token}`;
    expect((await xml('POST', '/chat/Message.xml', { form })).status).toBe(201);
    const json = { chat_dialog_id: dialogId, message: 'hi', token: alice.token };
    expect((await xml('POST', '/chat/Message.xml', { json })).status).toBe(201);

    const { token } = await openSession();
    expect((await rest('DELETE', '/session.xml', { form: `token=${token}` })).status).toBe(200);
    expect((await xml('GET', `/session.xml?token=${token}`)).xml).toBe(unknown);
  });

  test('the token parameter is not part of the sent data', async () => {
    const dialogId = await createDialog();
    const form = `chat_dialog_id=${dialogId}&message=hi&token=${alice.token}&other=1`;
    const sent = await xml('POST', '/chat/Message.xml', { form });
    expect(sent.xml).toContain('<other>1</other>');
    expect(sent.xml).not.toContain('token');

    const withHeader = await xml('POST', '/chat/Message.xml', { form, as: alice });
    expect(withHeader.xml).not.toContain('token');
  });

  test('a token header takes precedence over the parameter', async () => {
    const session = `/session.xml?token=${bob.token}`;
    expect((await xml('GET', session, { as: alice })).xml).toContain(`<user-id type="integer">${alice.id}</user-id>`);
    expect((await xml('GET', session, { headers: { 'SVC-Token': 'x' } })).xml).toBe(unknown);
    expect((await xml('GET', session, { headers: { 'SVC-Token': '' } })).xml).toContain(`>${bob.id}</user-id>`);
    const byKey = await xml('GET', `/users/${alice.id}.xml?token=x`, { as: apiKey });
    expect(byKey.status).toBe(200);
  });

  test('a token parameter that is blank or not a text is ignored', async () => {
    for (const query of ['token=', 'token=%20', 'token', 'token[]=x', 'token[a]=x']) {
      expect((await xml('GET', `/users/${alice.id}.xml?${query}`)).xml).toBe(missing);
    }
  });

  test('the token parameter is ignored on other paths', async () => {
    for (const path of [`/users/${alice.id}.json`, `/users/${alice.id}`]) {
      const answer = await rest('GET', `${path}?token=${alice.token}`);
      expect([answer.status, answer.body]).toEqual([401, { errors: ['Token is required'] }]);
    }
    const dialogId = await createDialog();
    const id = await sendMessage(dialogId, { token: 'mine' });
    expect((await rest('GET', `/chat/Message/${id}`, { as: bob })).body.token).toBe('mine');
  });

  test('the token parameter is signed like any other in a session request', async () => {
    const form = new URLSearchParams(signedParameters({ token: 'x' })).toString();
    expect((await xml('POST', '/session.xml', { form })).status).toBe(201);
  });
});
