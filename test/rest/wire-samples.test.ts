import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { db } from '../../src/db/client.ts';
import { sign } from '../../src/lib/signature.ts';
import { hashPassword } from '../../src/resolvers/users/passwords.ts';
import { APPLICATION, SAMPLE_TIME, useApp } from '../support/app.ts';
import { createAssistant, says, startModel } from '../support/model.ts';
import { BAD_MESSAGE_ID, UNDEFINED_CLASS } from '../support/sentences.ts';
import { openSession } from '../support/users.ts';
import { expectCommonHeaders, FORM, JSON_TYPE, MULTIPART, multipart, type WireAnswer, wire } from '../support/wire.ts';

useApp();

const PASSWORD = '12345678';
const KEYS = 'application_id=92&auth_key=AUTHKEY';
const AT = '2026-11-20T17:46:59Z';

/** The token of user 7, whose samples these are. */
let token: string;
/** What the samples call by capital letters, as far as it has been made. */
const real: Record<string, string> = {};

beforeAll(async () => {
  const passwordHash = await hashPassword(PASSWORD);
  const at = { createdAt: SAMPLE_TIME, updatedAt: SAMPLE_TIME };
  const users = [7, 8, 9].map((id) => ({ id, login: `user-${id}`, loginKey: `user-${id}` }));
  const [seven, ...others] = users.map((user) => ({ ...user, applicationId: APPLICATION.id, passwordHash, ...at }));
  await db.user.createMany({ data: [{ ...seven!, email: 'a+b@x.io' }, ...others] });
  await db.$executeRaw`SELECT setval(pg_get_serial_sequence('users', 'id'), 100)`;
  ({ token } = await openSession({ login: 'user-7', password: PASSWORD }));
});

/**
 * Sends a sample as it stands in the contract, `F`orm, `J`SON or `M`ultipart, with the token of user 7.
 * `SIG` becomes the signature of the pairs beside it.
 */
async function replay(
  method: string,
  path: string,
  type?: 'F' | 'J' | 'M',
  body?: string,
  headers: Record<string, string> = { 'SVC-Token': token },
): Promise<WireAnswer> {
  const types = { F: FORM, J: JSON_TYPE, M: MULTIPART };
  const answer = await wire(method, filled(path), {
    headers: { ...headers, ...(type ? { 'Content-Type': types[type] } : {}) },
    body: body === undefined ? undefined : filled(body).replace('SIG', () => signatureOf(filled(body))),
  });
  expectCommonHeaders(answer);
  return answer;
}

function filled(text: string): string {
  return text.replaceAll('KEYS', KEYS).replace(/DIALOG|MSG|UID/g, (name) => real[name]!);
}

function signatureOf(form: string): string {
  const pairs = [...new URLSearchParams(form)].filter(([name]) => name !== 'signature');
  return sign(pairs, APPLICATION.authSecret, 'sha1');
}

function json({ text }: WireAnswer) {
  return JSON.parse(text);
}

/** Status and body, which is what most samples tell. */
function outcome({ status, text }: WireAnswer): [status: number, body: unknown] {
  return [status, text === '' ? '' : JSON.parse(text)];
}

describe('sessions', () => {
  test('of an application', async () => {
    const answer = await replay('POST', '/session.json', 'F', 'KEYS&nonce=7604&signature=SIG&timestamp=1795196819');
    expect(outcome(answer)).toEqual([
      201,
      {
        session: {
          _id: String(json(answer).session.id),
          application_id: 92,
          created_at: AT,
          id: expect.any(Number),
          nonce: 7604,
          token: expect.stringMatching(/^[0-9a-f]{40}$/),
          ts: 1_795_196_819,
          updated_at: AT,
          user_id: 0,
        },
      },
    ]);
    expect(answer.headers['svc-token-expirationdate']).toBe('2026-11-20 19:46:59 UTC');
  });

  const ODD = (signature: string) =>
    `KEYS&nonce=170&signature=${signature}&timestamp=1795196819&user[login]=bo%20b%2B%26%3D%25%C3%A9&user[password]=p%40ss%20w%C3%B6rd%2F%2B`;
  const SIGNATURE = '5e7c47750e212fb1767c1cc2291796100df6d971';

  test('with a login that needs every escape', async () => {
    const wrong = await replay('POST', '/session.json', 'F', ODD(`4${SIGNATURE.slice(1)}`));
    expect(outcome(wrong)).toEqual([422, { errors: { base: ['Unexpected signature'] } }]);
    const right = await replay('POST', '/session.json', 'F', ODD(SIGNATURE));
    expect(outcome(right)).toEqual([401, '']);
  });

  test('by e-mail, also with an expired token beside it', async () => {
    const body = (nonce: number) =>
      `KEYS&nonce=${nonce}&signature=SIG&timestamp=1795196819&user[email]=a%2Bb%40x.io&user[password]=12345678`;
    const expired = await openSession();
    await db.session.updateMany({
      where: { userId: null },
      data: { updatedAt: new Date(SAMPLE_TIME.getTime() - 7_200_000) },
    });
    for (const headers of [{ 'SVC-Token': expired.token }, {}] as Record<string, string>[]) {
      const answer = await replay('POST', '/session.json', 'F', body('SVC-Token' in headers ? 171 : 172), headers);
      expect([answer.status, json(answer).session.user_id]).toEqual([201, 7]);
    }
  });

  test('by a provider that nothing verifies', async () => {
    const body = 'KEYS&keys[secret]=S&keys[token]=FT&nonce=918&provider=facebook&signature=SIG&timestamp=1795196819';
    expect(outcome(await replay('POST', '/session.json', 'F', body))).toEqual([
      422,
      { errors: ['Bad Authentication data'] },
    ]);
  });

  test('without a signature', async () => {
    const body = '{"application_id":92,"auth_key":"AUTHKEY","user":{"login":"bob","password":"12345678"}}';
    expect(outcome(await replay('POST', '/session.json', 'J', body))).toEqual([
      422,
      { errors: { base: ['Unexpected signature'] } },
    ]);
  });

  test('are shown, and ended by empty form and multipart requests', async () => {
    expect((await replay('GET', '/session.json')).status).toBe(200);
    const ends: ['F' | 'M', string | undefined][] = [
      ['F', undefined],
      ['M', undefined],
      ['M', '--B--\r\n'],
      ['M', multipart({ x: '1' })],
    ];
    for (const [type, body] of ends) {
      const { headers } = await openSession();
      expect(outcome(await replay('DELETE', '/session.json', type, body, headers))).toEqual([200, '']);
    }
  });
});

describe('users', () => {
  test('sign up', async () => {
    const answer = await replay(
      'POST',
      '/users.json',
      'F',
      'user[custom_data]=%7B%22x%22%3A1%7D&user[external_user_id]=77&user[full_name]=Bob%20%26%20Co&user[login]=bob&user[password]=12345678&user[tag_list]=a%2Cb',
    );
    expect(outcome(answer)).toEqual([
      201,
      {
        user: {
          id: 101,
          full_name: 'Bob & Co',
          email: null,
          login: 'bob',
          phone: null,
          website: null,
          created_at: AT,
          updated_at: AT,
          last_request_at: null,
          external_user_id: 77,
          facebook_id: null,
          twitter_id: null,
          blob_id: null,
          custom_data: '{"x":1}',
          parents_contacts: '',
          age_over16: false,
          allow_statistics_analysis: false,
          allow_sales_activities: false,
          user_tags: 'a,b',
        },
      },
    ]);
  });

  test('are shown', async () => {
    const answer = await replay('GET', '/users/7.json?');
    expect(json(answer).user).toMatchObject({ id: 7, login: 'user-7', email: 'a+b@x.io', last_request_at: AT });
  });
});

describe('a password reset', () => {
  test('is asked for by an escaped address', async () => {
    const answer = await replay('GET', '/users/password/reset.json?email=a%2Bb%40x.io');
    expect(outcome(answer)).toEqual([200, '']);
  });
});

describe('logging in and out', () => {
  test('keeps the token', async () => {
    const { headers } = await openSession();
    const answer = await replay('POST', '/login.json', 'F', 'login=bob&password=12345678', headers);
    expect([answer.status, json(answer).user]).toMatchObject([200, { id: 101, login: 'bob', last_request_at: AT }]);
    const owner = async () => json(await replay('GET', '/session.json', undefined, undefined, headers)).session.user_id;
    expect(await owner()).toBe(101);
    expect(outcome(await replay('DELETE', '/login.json', undefined, undefined, headers))).toEqual([200, '']);
    expect(await owner()).toBe(0);
  });
});

describe('dialogs', () => {
  test('are made once for two', async () => {
    const first = await replay('POST', '/chat/Dialog.json', 'F', 'occupants_ids=8&type=3');
    expect(outcome(first)).toEqual([
      201,
      {
        _id: expect.stringMatching(/^[0-9a-f]{24}$/),
        user_id: 7,
        type: 3,
        name: 'user-8',
        photo: null,
        occupants_ids: [7, 8],
        admins_ids: [],
        xmpp_room_jid: null,
        last_message: null,
        last_message_id: null,
        last_message_date_sent: null,
        last_message_user_id: null,
        unread_messages_count: 0,
        is_join_required: 0,
        created_at: AT,
        updated_at: AT,
      },
    ]);
    const again = await replay('POST', '/chat/Dialog.json', 'F', 'occupants_ids=8&type=3');
    expect([again.status, again.text]).toEqual([201, first.text]);
    real.DIALOG = json(first)._id;
  });

  const WITH_DATA =
    'data[class_name]=Cool&data[friends]=true&is_join_required=1&name=G%20%26%20H&occupants_ids=8%2C%209&photo=77&type=2';
  const LIST =
    '_id=abc&data[class_name]=Cool&data[friends]=true&limit=10&name[ctn]=x&skip=5&sort_desc=updated_at&type[in]=1%2C2';

  test('with data of a class that there is not', async () => {
    expect(outcome(await replay('POST', '/chat/Dialog.json', 'F', WITH_DATA))).toEqual([403, UNDEFINED_CLASS]);
    expect(outcome(await replay('GET', `/chat/Dialog.json?${LIST}`))).toEqual([403, UNDEFINED_CLASS]);
  });

  test('without it', async () => {
    const data = /data\[\w+\]=\w+&/g;
    const made = await replay('POST', '/chat/Dialog.json', 'F', WITH_DATA.replace(data, ''));
    expect(made.status).toBe(201);
    expect(json(made)).toMatchObject({ name: 'G & H', photo: '77', is_join_required: 1, occupants_ids: [7, 8, 9] });
    const listed = await replay('GET', `/chat/Dialog.json?${LIST.replace(data, '')}`);
    expect([listed.status, listed.text]).toEqual([200, '{"total_entries":0,"skip":5,"limit":10,"items":[]}']);
  });

  test('are listed and counted', async () => {
    const all = json(await replay('GET', '/chat/Dialog.json?'));
    expect(all).toEqual({ total_entries: 2, skip: 0, limit: 100, items: [expect.anything(), expect.anything()] });
    const count = await replay('GET', '/chat/Dialog.json?count=1');
    expect([count.status, count.text]).toEqual([200, '{"items":{"count":2}}']);
  });
});

describe('dialogs that change', () => {
  const COPY = 'name=N&occupants_ids=8%2C9&type=2';
  let id: string;

  test('by JSON', async () => {
    await db.user.createMany({
      data: [10, 11].map((user) => ({
        applicationId: APPLICATION.id,
        id: user,
        createdAt: SAMPLE_TIME,
        updatedAt: SAMPLE_TIME,
      })),
    });
    id = json(await replay('POST', '/chat/Dialog.json', 'F', COPY))._id;
    const body = '{"name":"N","push_all":{"occupants_ids":[10,11]},"pull_all":{"occupants_ids":[9]}}';
    expect(outcome(await replay('PUT', `/chat/Dialog/${id}.json`, 'J', body))).toEqual([
      200,
      expect.objectContaining({ _id: id, user_id: 7, name: 'N', occupants_ids: [7, 8, 10, 11], updated_at: AT }),
    ]);
  });

  test('by a form', async () => {
    id = json(await replay('POST', '/chat/Dialog.json', 'F', COPY))._id;
    const body = 'push_all[occupants_ids][]=10&push_all[occupants_ids][]=11';
    expect(outcome(await replay('PUT', `/chat/Dialog/${id}.json`, 'F', body))).toEqual([
      200,
      expect.objectContaining({ _id: id, name: 'N', occupants_ids: [7, 8, 9, 10, 11] }),
    ]);
  });

  test('and are deleted', async () => {
    const gone = [id, json(await replay('POST', '/chat/Dialog.json', 'F', COPY))._id];
    expect(outcome(await replay('DELETE', `/chat/Dialog/${gone.join(',')}.json`, 'F', 'force=1'))).toEqual([
      200,
      { SuccessfullyDeleted: { ids: gone }, NotFound: { ids: [] } },
    ]);
    expect(outcome(await replay('DELETE', '/chat/Dialog/DIALOG.json'))).toEqual([200, '']);
  });
});

describe('messages', () => {
  test('are sent', async () => {
    const answer = await replay(
      'POST',
      '/chat/Message.json',
      'J',
      '{"chat_dialog_id":"DIALOG","message":"hi","send_to_chat":1,"markable":1,"save_to_history":1,"attachments":[{"type":"image","id":"5"}],"custom":true}',
    );
    expect(outcome(answer)).toEqual([
      201,
      {
        _id: expect.stringMatching(/^[0-9a-f]{24}$/),
        message: 'hi',
        attachments: [{ type: 'image', id: '5' }],
        created_at: AT,
        updated_at: AT,
        chat_dialog_id: real.DIALOG,
        date_sent: 1_795_196_819,
        sender_id: 7,
        recipient_id: 8,
        read_ids: [7],
        delivered_ids: [7],
        read: 0,
        reactions: null,
        custom: true,
        markable: 1,
      },
    ]);
    real.MSG = json(answer)._id;
  });

  test.each<[path: string, skip: number, limit: number, ids: string[]]>([
    [
      '/chat/Message.json?chat_dialog_id=DIALOG&date_sent[gt]=1&limit=10&mark_as_read=0&sender_id[in]=1%2C2&skip=0&sort_desc=date_sent',
      0,
      10,
      [],
    ],
    [
      '/chat/Message.json?chat_dialog_id=DIALOG&date_sent[gt]=1&limit=10&mark_as_read=0&sender_id[in]=1%2C7&skip=0&sort_desc=date_sent',
      0,
      10,
      ['MSG'],
    ],
    ['/chat/Message.json?chat_dialog_id=DIALOG&date_sent[gte]=1480327065.456978', 0, 100, ['MSG']],
  ])('%s', async (path, skip, limit, names) => {
    const answer = await replay('GET', path);
    expect(outcome(answer)).toEqual([
      200,
      { skip, limit, items: names.map((name) => expect.objectContaining({ _id: real[name] })) },
    ]);
  });

  test('are found', async () => {
    expect(json(await replay('GET', '/chat/Message/MSG.json'))._id).toBe(real.MSG);
  });

  test('are marked and edited', async () => {
    const samples: [path: string, body: string][] = [
      ['/chat/Message/MSG.json', 'chat_dialog_id=DIALOG&read=1'],
      ['/chat/Message/MSG.json', 'chat_dialog_id=DIALOG&message=new%20text'],
      ['/chat/Message.json', 'chat_dialog_id=DIALOG&read=1'],
    ];
    for (const [path, body] of samples) expect(outcome(await replay('PUT', path, 'F', body))).toEqual([200, '']);
    expect(json(await replay('GET', '/chat/Message/MSG.json'))).toMatchObject({ message: 'new text', read_ids: [7] });
  });

  test.each([
    ['/chat/Message/unread.json?chat_dialog_ids=DIALOG%2CDIALOG', '{"total":0,"DIALOG":0}'],
    ['/chat/Message/unread.json?chat_dialog_ids=DIALOG%2C%20DIALOG', '{"total":0,"DIALOG":0}'],
    ['/chat/Message/unread.json?', '{"total":0}'],
  ])('%s', async (path, counts) => {
    const { status, text } = await replay('GET', path);
    expect([status, text]).toEqual([200, filled(counts)]);
  });
});

describe('reactions', () => {
  const path = '/chat/Message/MSG/reactions';

  test('come and go', async () => {
    expect(outcome(await replay('POST', `${path}.json`, 'J', '{"name":"like"}'))).toEqual([200, '']);
    const listed = await replay('GET', path);
    expect([listed.status, listed.text]).toEqual([200, '{"like":[7]}']);
    expect(outcome(await replay('DELETE', path, 'J', '{"name":"like"}'))).toEqual([200, '']);
    expect(outcome(await replay('GET', path))).toEqual([200, {}]);
    expect(outcome(await replay('PUT', `${path}.json`, 'J', '{"add":"like"}'))).toEqual([200, '']);
    expect(outcome(await replay('DELETE', path, 'J', '{"name":"like"}'))).toEqual([200, '']);
  });

  test('of no message', async () => {
    expect(outcome(await replay('DELETE', '/chat/Message/notExistentId/reactions', 'J', '{"name":"like"}'))).toEqual([
      400,
      BAD_MESSAGE_ID,
    ]);
  });
});

describe('blobs', () => {
  const filePart = (bytes: string) =>
    `--B\r\nContent-Disposition: form-data; name="file"; filename="note.txt"\r\nContent-Type: text/plain\r\n\r\n${bytes}\r\n`;
  const part = (name: string, value: string) => multipart({ [name]: value }).replace('--B--\r\n', '');

  /** The blob of the samples, whose id is 5; its upload gives each part of the query as a field, decoded once. */
  let params: URL;

  test('are made', async () => {
    await db.$executeRaw`SELECT setval(pg_get_serial_sequence('blobs', 'id'), 4)`;
    const body = 'blob[content_type]=text%2Fplain&blob[name]=note.txt&blob[public]=true&blob[tag_list]=a';
    const answer = await replay('POST', '/blobs.json', 'F', body);
    expect(outcome(answer)).toEqual([
      201,
      {
        blob: {
          id: 5,
          uid: expect.stringMatching(/^[0-9a-f]{34}$/),
          content_type: 'text/plain',
          name: 'note.txt',
          size: null,
          created_at: AT,
          updated_at: AT,
          blob_status: null,
          set_completed_at: null,
          public: true,
          tags: 'a',
          blob_object_access: {
            id: expect.any(Number),
            blob_id: 5,
            expires: '2026-11-20T18:46:59Z',
            object_access_type: 'Write',
            params: expect.stringContaining('/uploads?Content-Type=text%2Fplain&Expires='),
          },
        },
      },
    ]);
    real.UID = json(answer).blob.uid;
    params = new URL(json(answer).blob.blob_object_access.params);
  });

  test('are uploaded, a name behind the file', async () => {
    const fields = [...params.search.slice(1).split('&')].map((pair) => {
      const [name, value] = pair.split('=') as [string, string];
      return part(name, decodeURIComponent(value));
    });
    const body = `${fields.join('')}${filePart('fifteen bytes..')}${part('name', 'note.txt')}--B--\r\n`;
    const answer = await wire('POST', params.pathname, { headers: { 'Content-Type': MULTIPART }, body });
    expect([answer.status, answer.text]).toEqual([
      201,
      filled(
        `<PostResponse><Location>${params.origin}/blobs/UID</Location><Bucket>uploads</Bucket><Key>UID</Key>` +
          `<ETag>"${createHash('md5').update('fifteen bytes..').digest('hex')}"</ETag></PostResponse>`,
      ),
    ]);
  });

  test('are completed and listed', async () => {
    expect(outcome(await replay('PUT', '/blobs/5/complete.json', 'F', 'size=15'))).toEqual([200, '']);
    const { status, text } = await replay('GET', '/blobs.json?page=1&per_page=5');
    expect([status, JSON.parse(text)]).toMatchObject([
      200,
      {
        current_page: 1,
        per_page: 5,
        total_entries: 1,
        items: [{ blob: { id: 5, size: 15, blob_status: 'complete' } }],
      },
    ]);
  });

  test('are shown and loaded', async () => {
    const shown = await replay('GET', '/blobs/5.json');
    expect(json(shown).blob).toMatchObject({ id: 5, name: 'note.txt', set_completed_at: AT });
    expect((await replay('GET', '/blobs/5.json?blob[name]=new%20name')).text).toBe(shown.text);
    for (const path of ['/blobs/UID.json', '/blobs/UID', `/blobs/UID?token=${token}`]) {
      const headers: Record<string, string> = path.endsWith('.json') ? { 'SVC-Token': token } : {};
      const { status, text } = await wire('GET', filled(path), { headers });
      expect([path, status, text]).toEqual([path, 200, 'fifteen bytes..']);
    }
  });

  test('are deleted', async () => {
    expect(outcome(await replay('DELETE', '/blobs/5.json'))).toEqual([200, '']);
    expect((await wire('GET', filled('/blobs/UID'))).status).toBe(404);
  });
});

describe('deletions', () => {
  const LISTS = (deleted: string, notFound: string) =>
    filled(`{"SuccessfullyDeleted":{"ids":[${deleted}]},"NotFound":{"ids":[${notFound}]}}`);

  test('are deleted', async () => {
    const forAll = await replay('DELETE', '/chat/Message/MSG,notExistentId.json', 'F', 'force=1');
    expect([forAll.status, forAll.text]).toEqual([200, LISTS('"MSG"', '"notExistentId"')]);
    const sent = await replay('POST', '/chat/Message.json', 'J', '{"chat_dialog_id":"DIALOG","message":"hi"}');
    real.MSG = json(sent)._id;
    const forOneself = await replay('DELETE', '/chat/Message/MSG.json');
    expect([forOneself.status, forOneself.text]).toEqual([200, LISTS('"MSG"', '')]);
  });
});

describe('devices', () => {
  const item = (id: unknown, udid: string, platform: string, channel: string, bundle: string | null) => ({
    subscription: {
      id,
      device: {
        udid,
        client_identification_sequence: 'seq',
        platform: { name: platform },
        bundle_identifier: bundle,
      },
      notification_channel: { name: channel },
    },
  });
  const android = item(expect.any(Number), 'u1', 'android', 'gcm', 'com.x');
  const iphone = item(expect.any(Number), 'u2', 'ios', 'apns', null);

  test('are subscribed by a form', async () => {
    const answer = await replay(
      'POST',
      '/subscriptions.json',
      'F',
      'device[platform]=android&device[udid]=u1&notification_channel=gcm&push_token[bundle_identifier]=com.x&push_token[client_identification_sequence]=seq&push_token[environment]=development',
    );
    expect(outcome(answer)).toEqual([201, [android]]);
  });

  test('and from a push token', async () => {
    const token = await replay(
      'POST',
      '/push_tokens.json',
      'J',
      '{"push_token":{"environment":"development","client_identification_sequence":"seq"},"device":{"platform":"ios","udid":"u2"}}',
    );
    expect(outcome(token)).toEqual([
      201,
      { push_token: { id: expect.any(Number), environment: 'development', client_identification_sequence: 'seq' } },
    ]);
    const answer = await replay('POST', '/subscriptions.json', 'J', '{"notification_channels":"apns"}');
    expect(outcome(answer)).toEqual([201, [android, iphone]]);
  });

  test('are listed and deleted', async () => {
    const listed = await replay('GET', '/subscriptions.json');
    expect(outcome(listed)).toEqual([200, [android, iphone]]);
    const { id } = json(listed)[0].subscription;
    expect(outcome(await replay('DELETE', `/subscriptions/${id}.json`))).toEqual([200, '']);
    expect(outcome(await replay('GET', '/subscriptions.json'))).toEqual([200, [iphone]]);
  });
});

describe('events', () => {
  let id: number;

  test('are made', async () => {
    const answer = await replay(
      'POST',
      '/events.json',
      'J',
      '{"event":{"notification_type":"push","push_type":"gcm","user":{"ids":[7,8],"tags":{"any":["a","b"]}},"environment":"development","message":"aGVsbG8gd29ybGQh"}}',
    );
    expect(outcome(answer)).toEqual([
      201,
      {
        event: {
          id: expect.any(Number),
          event_type: 'one_shot',
          message: 'data.message=aGVsbG8rd29ybGQlMjE=',
          date: null,
          period: null,
          name: null,
          occured_count: 0,
          created_at: AT,
          updated_at: AT,
          end_date: null,
          active: true,
          application_id: 92,
          user_id: 7,
          kind: 'API',
          environment: 'development',
          tag_query: '{"any":["a","b"]}',
          notification_channel: { name: 'gcm' },
        },
      },
    ]);
    ({ id } = json(answer).event);
  });

  test('are shown, sent, listed and deleted', async () => {
    const status = async () => json(await replay('GET', `/events/${id}/status.json`)).event;
    while ((await status()).active);
    expect(await status()).toEqual({
      id,
      active: false,
      occured_count: 1,
      last_sent_at: 1_795_196_819,
      recipients: 0,
      delivered: 0,
      failed: 0,
    });
    const shown = await replay('GET', `/events/${id}.json`);
    expect(json(shown).event).toMatchObject({ id, active: false, occured_count: 1 });
    const listed = await replay('GET', '/events.json?page=1&per_page=25');
    expect(outcome(listed)).toEqual([200, { current_page: 1, per_page: 25, total_entries: 1, items: [json(shown)] }]);
    expect(outcome(await replay('DELETE', `/events/${id}.json`))).toEqual([200, '']);
  });
});

describe('the address book', () => {
  const BOOK = '/address_book.json';

  test('is empty', async () => {
    for (const path of [BOOK, `${BOOK}?%7B%22udid%22:%22U-1%22%7D`, '/address_book/registered_users.json?compact=1']) {
      expect(outcome(await replay('GET', path))).toEqual([404, { errors: ['Empty address book'] }]);
    }
  });

  const UPLOAD =
    '{"contacts":[{"name":"A","phone":"1234567890"},{"phone":"1234567891","destroy":1}],"force":1,"udid":"U"}';

  test('is uploaded', async () => {
    for (const udid of ['U', 'U-1', '']) {
      const answer = await replay('POST', BOOK, 'J', UPLOAD.replace('"U"', JSON.stringify(udid)));
      expect([answer.status, answer.text]).toEqual([200, '{"created":1,"updated":0,"deleted":0}']);
    }
  });

  test('is shown', async () => {
    for (const path of [BOOK, `${BOOK}?%7B%22udid%22:%22U-1%22%7D`]) {
      expect(outcome(await replay('GET', path))).toEqual([200, [{ name: 'A', phone: '1234567890' }]]);
    }
  });

  test('knows who is registered', async () => {
    const path = '/address_book/registered_users.json?compact=1';
    expect(outcome(await replay('GET', path))).toEqual([200, { items: [] }]);
    await db.user.updateMany({ where: { id: 8 }, data: { phone: '1234567890' } });
    expect((await replay('GET', path)).text).toBe('{"items":[{"user":{"id":8,"phone":"1234567890"}}]}');
  });
});

describe('AI helpers', () => {
  const AI = '/ai/ai_extensions';

  test('answer', async () => {
    const model = await startModel((response) => says(response, 'said'));
    const sid = await createAssistant(model);
    real.DIALOG = json(await replay('POST', '/chat/Dialog.json', 'F', 'occupants_ids=9&type=3'))._id;
    await replay('POST', '/chat/Message.json', 'J', '{"chat_dialog_id":"DIALOG","message":"hi"}');
    const samples: [path: string, type: 'J' | 'F', body: string, answer: object][] = [
      [
        'ai_answer_assist',
        'J',
        '{"smart_chat_assistant_id":"sid","message":"hi","history":[{"role":"user","message":"hello"}]}',
        { answer: 'said' },
      ],
      ['ai_translate', 'F', 'smart_chat_assistant_id=sid&text=hi%20there&to_language=fr', { answer: 'said' }],
      ['ai_summarize', 'J', '{"smart_chat_assistant_id":"sid","dialog_id":"DIALOG"}', { summary: 'said' }],
    ];
    for (const [path, type, body, answer] of samples) {
      expect(outcome(await replay('POST', `${AI}/${path}`, type, body.replace('sid', sid)))).toEqual([200, answer]);
      expect((await replay('POST', `${AI}/${path}`, type, body)).status).toBe(404);
    }
    const body = `{"smart_chat_assistant_id":"${sid}","messages":[{"role":"user","content":"hi"}]}`;
    const both = { 'SVC-Token': token, Authorization: `ApiKey ${APPLICATION.apiKey}` };
    expect(outcome(await replay('POST', `${AI}/ai_gateway`, 'J', body, both))).toEqual([200, { answer: 'said' }]);
  });
});
