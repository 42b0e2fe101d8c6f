import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { flatten, MAX_KEYS, parseForm } from '../../../src/lib/bracket-keys.ts';
import { BadInputError } from '../../../src/lib/errors.ts';
import { readParameters } from '../../../src/rest/http/parameters.ts';
import { fc } from '../../support/app/properties.ts';

const MAX_BYTES = 64 * 1024;
const MAX_MULTIPART_BYTES = 256 * 1024;
const FORM = 'application/x-www-form-urlencoded';
const JSON_TYPE = 'application/json';
const MULTIPART = 'multipart/form-data; boundary=B';

const MALFORMED = { status: 400, answer: { error: 'Malformed request body' } };
const TOO_COMPLEX = { status: 400, answer: { error: 'Request parameters are too complex' } };
const TOO_LARGE = { status: 413, answer: { error: 'Request body is too large' } };
const UNSUPPORTED = { status: 415, answer: { error: 'Unsupported content type' } };

/** More parts than keys are allowed, none of them a key. */
const MANY_PARTS = `${'--B\r\n\r\n\r\n'.repeat(MAX_KEYS + 1)}--B--\r\n`;

let server: Server;
/** Settles each time the server finishes a request, even if the client has disconnected. */
let outcomes: PromiseSettledResult<unknown>[];
let onOutcome: () => void;

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const maxBytes = request.headers['content-type'] === MULTIPART ? MAX_MULTIPART_BYTES : MAX_BYTES;
    const [outcome] = await Promise.allSettled([readParameters(request, { maxBytes })]);
    outcomes.push(outcome);
    onOutcome();
    const [status, answer] = answerTo(outcome);
    const json = JSON.stringify(answer);
    response.writeHead(status, { 'Content-Length': Buffer.byteLength(json) }).end(json);
  });
  outcomes = [];
  onOutcome = () => {};
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

describe('wire samples', () => {
  const KEYS = 'application_id=92&auth_key=AUTHKEY';
  const keys = { application_id: '92', auth_key: 'AUTHKEY' };

  test.each<[request: string, type: string | undefined, body: string, parameters: unknown]>([
    [
      'POST /session.json',
      FORM,
      `${KEYS}&nonce=7604&signature=SIG&timestamp=1795196819`,
      { ...keys, nonce: '7604', signature: 'SIG', timestamp: '1795196819' },
    ],
    [
      'POST /session.json',
      FORM,
      `${KEYS}&nonce=170&signature=SIG&timestamp=1795196819&user[login]=bo%20b%2B%26%3D%25%C3%A9&user[password]=p%40ss%20w%C3%B6rd%2F%2B`,
      {
        ...keys,
        nonce: '170',
        signature: 'SIG',
        timestamp: '1795196819',
        user: { login: 'bo b+&=%é', password: 'p@ss wörd/+' },
      },
    ],
    [
      'POST /session.json',
      FORM,
      `${KEYS}&nonce=171&signature=SIG&timestamp=1795196819&user[email]=a%2Bb%40x.io&user[password]=12345678`,
      {
        ...keys,
        nonce: '171',
        signature: 'SIG',
        timestamp: '1795196819',
        user: { email: 'a+b@x.io', password: '12345678' },
      },
    ],
    [
      'POST /session.json',
      FORM,
      `${KEYS}&keys[secret]=S&keys[token]=FT&nonce=918&provider=facebook&signature=SIG&timestamp=1795196819`,
      {
        ...keys,
        keys: { secret: 'S', token: 'FT' },
        nonce: '918',
        provider: 'facebook',
        signature: 'SIG',
        timestamp: '1795196819',
      },
    ],
    [
      'POST /session.json',
      JSON_TYPE,
      '{"application_id":92,"auth_key":"AUTHKEY","user":{"login":"bob","password":"12345678"}}',
      { application_id: 92, auth_key: 'AUTHKEY', user: { login: 'bob', password: '12345678' } },
    ],
    ['GET /session.json', undefined, '', {}],
    ['DELETE /session.json', FORM, '', {}],
    ['DELETE /session.json', MULTIPART, '', {}],
    ['DELETE /session.json', MULTIPART, '--B--\r\n', {}],
    ['DELETE /session.json', MULTIPART, multipart(['x', '1']), { x: '1' }],
    [
      'POST /users.json',
      FORM,
      'user[custom_data]=%7B%22x%22%3A1%7D&user[external_user_id]=77&user[full_name]=Bob%20%26%20Co&user[login]=bob&user[password]=12345678&user[tag_list]=a%2Cb',
      {
        user: {
          custom_data: '{"x":1}',
          external_user_id: '77',
          full_name: 'Bob & Co',
          login: 'bob',
          password: '12345678',
          tag_list: 'a,b',
        },
      },
    ],
    ['GET /users.json?', undefined, '', {}],
    [
      'GET /users.json?filter[]=string%20login%20eq%20bob&order=desc%20string%20id&page=2&per_page=25',
      undefined,
      '',
      { filter: ['string login eq bob'], order: 'desc string id', page: '2', per_page: '25' },
    ],
    [
      'GET /users.json?filter[]=number%20id%20in%201%2C2%2C3%2Cstring%20created_at%20between%202019-01-01%2C2020-01-01&order=asc%20string%20created_at',
      undefined,
      '',
      {
        filter: ['number id in 1,2,3,string created_at between 2019-01-01,2020-01-01'],
        order: 'asc string created_at',
      },
    ],
    ['GET /users.json?filter[]=number+id+gt+3', undefined, '', { filter: ['number id gt 3'] }],
    [
      'GET /users.json?filter[]=date%20last_request_at%20gt%202012-03-20T08:47:34Z',
      undefined,
      '',
      { filter: ['date last_request_at gt 2012-03-20T08:47:34Z'] },
    ],
    ['GET /users.json', JSON_TYPE, '{"page":2,"per_page":5}', { page: 2, per_page: 5 }],
    ['GET /users/by_email.json?email=a%2Bb%40x.io', undefined, '', { email: 'a+b@x.io' }],
    [
      'GET /users/by_full_name.json?full_name=Bob%20X&page=1&per_page=5',
      undefined,
      '',
      { full_name: 'Bob X', page: '1', per_page: '5' },
    ],
    ['GET /users/by_tags.json?page=1&tags[]=a%2Cb', undefined, '', { page: '1', tags: ['a,b'] }],
    [
      'PUT /users/7.json',
      FORM,
      'user[full_name]=N&user[old_password]=OLD&user[password]=NEW&user[tag_list]=x%2Cy',
      { user: { full_name: 'N', old_password: 'OLD', password: 'NEW', tag_list: 'x,y' } },
    ],
    [
      'POST /chat/Dialog.json',
      FORM,
      'data[class_name]=Cool&data[friends]=true&is_join_required=1&name=G%20%26%20H&occupants_ids=8%2C%209&photo=77&type=2',
      {
        data: { class_name: 'Cool', friends: 'true' },
        is_join_required: '1',
        name: 'G & H',
        occupants_ids: '8, 9',
        photo: '77',
        type: '2',
      },
    ],
    [
      'GET /chat/Dialog.json?_id=abc&data[class_name]=Cool&data[friends]=true&limit=10&name[ctn]=x&skip=5&sort_desc=updated_at&type[in]=1%2C2',
      undefined,
      '',
      {
        _id: 'abc',
        data: { class_name: 'Cool', friends: 'true' },
        limit: '10',
        name: { ctn: 'x' },
        skip: '5',
        sort_desc: 'updated_at',
        type: { in: '1,2' },
      },
    ],
    [
      'PUT /chat/Dialog/DIALOG.json',
      JSON_TYPE,
      '{"name":"N","push_all":{"occupants_ids":[10,11]},"pull_all":{"occupants_ids":[9]}}',
      { name: 'N', push_all: { occupants_ids: [10, 11] }, pull_all: { occupants_ids: [9] } },
    ],
    [
      'PUT /chat/Dialog/DIALOG.json',
      FORM,
      'push_all[occupants_ids][]=10&push_all[occupants_ids][]=11',
      { push_all: { occupants_ids: ['10', '11'] } },
    ],
    ['DELETE /chat/Dialog/DIALOG,DIALOG.json', FORM, 'force=1', { force: '1' }],
    [
      'POST /chat/Message.json',
      JSON_TYPE,
      '{"chat_dialog_id":"DIALOG","message":"hi","send_to_chat":1,"markable":1,"save_to_history":1,"attachments":[{"type":"image","id":"5"}],"custom":true}',
      {
        chat_dialog_id: 'DIALOG',
        message: 'hi',
        send_to_chat: 1,
        markable: 1,
        save_to_history: 1,
        attachments: [{ type: 'image', id: '5' }],
        custom: true,
      },
    ],
    [
      'GET /chat/Message.json?chat_dialog_id=DIALOG&date_sent[gt]=1&limit=10&mark_as_read=0&sender_id[in]=1%2C2&skip=0&sort_desc=date_sent',
      undefined,
      '',
      {
        chat_dialog_id: 'DIALOG',
        date_sent: { gt: '1' },
        limit: '10',
        mark_as_read: '0',
        sender_id: { in: '1,2' },
        skip: '0',
        sort_desc: 'date_sent',
      },
    ],
    [
      'GET /chat/Message.json?chat_dialog_id=DIALOG&date_sent[gte]=1480327065.456978',
      undefined,
      '',
      { chat_dialog_id: 'DIALOG', date_sent: { gte: '1480327065.456978' } },
    ],
    [
      'PUT /chat/Message/MSG.json',
      FORM,
      'chat_dialog_id=DIALOG&message=new%20text',
      { chat_dialog_id: 'DIALOG', message: 'new text' },
    ],
    [
      'GET /chat/Message/unread.json?chat_dialog_ids=DIALOG%2C%20DIALOG',
      undefined,
      '',
      { chat_dialog_ids: 'DIALOG, DIALOG' },
    ],
    ['DELETE /chat/Message/MSG/reactions', JSON_TYPE, '{"name":"like"}', { name: 'like' }],
    ['GET /address_book.json?%7B%22udid%22:%22U-1%22%7D', undefined, '', { udid: 'U-1' }],
    ['DELETE /data/cars/by_criteria.json', FORM, 'value[gt]=100', { value: { gt: '100' } }],
    [
      'POST /data/cars/REC/file.json',
      MULTIPART,
      `${part('field_name', 'motors')}${part('file"; filename="x.txt', 'hello', 'text/plain')}--B--\r\n`,
      { field_name: 'motors' },
    ],
  ])('%s %s %s is parsed as documented', async (request, type, body, parameters) => {
    const [method = '', path = ''] = request.split(' ');
    expect(await send(method, path, body, type)).toEqual({ status: 200, answer: parameters });
  });

  test('the leaves of a signed form equal what its client signed', async () => {
    const body = `${KEYS}&nonce=170&timestamp=1795196819&user[login]=bo%20b%2B%26%3D%25%C3%A9&user[password]=p%40ss%20w%C3%B6rd%2F%2B`;
    const pairs = flatten(parseForm(body)).map((pair) => pair.join('='));
    expect(pairs.sort().join('&')).toBe(
      'application_id=92&auth_key=AUTHKEY&nonce=170&timestamp=1795196819&user[login]=bo b+&=%é&user[password]=p@ss wörd/+',
    );
  });
});

describe('query and body parameters', () => {
  test('query and body are merged, and the body takes precedence', async () => {
    expect(await send('PUT', '/x?a=1&o[x]=1&l[]=1', '{"a":2,"o":{"y":2},"l":[3]}', JSON_TYPE)).toEqual({
      status: 200,
      answer: { a: 2, o: { x: '1', y: 2 }, l: [3] },
    });
  });

  test.each(['GET', 'POST', 'PUT', 'DELETE'])('query and body are merged for %s', async (method) => {
    expect(await send(method, '/x?a=1', 'b=2', FORM)).toEqual({ status: 200, answer: { a: '1', b: '2' } });
    expect(await send(method, '/x?a=1', '{"b":2}', JSON_TYPE)).toEqual({ status: 200, answer: { a: '1', b: 2 } });
    expect(await send(method, '/x?a=1', multipart(['b', '2']), MULTIPART)).toEqual({
      status: 200,
      answer: { a: '1', b: '2' },
    });
  });

  test.each(['/x', '/x?', '/x??', '/x?a=?'])('parameters are read from %s', async (path) => {
    const query = path.split(/\?(.*)/)[1] ?? '';
    expect(await send('GET', path)).toEqual({ status: 200, answer: { ...parseForm(query) } });
  });

  test('a query may be a JSON object', async () => {
    const answer = { udid: 'U-1', o: [1] };
    expect(await send('GET', '/x?{"udid":"U-1","o":[1]}')).toEqual({ status: 200, answer });
    expect(await send('GET', '/x?%7B%22udid%22%3A%22U-1%22,%22o%22:[1]%7D')).toEqual({ status: 200, answer });
  });

  test.each(['/x?a=%', '/x?a=%ff', '/x?%7B%7D%7D'])('a malformed query is rejected: %s', async (path) => {
    expect(await send('GET', path)).toEqual(MALFORMED);
  });
});

describe('content types', () => {
  test.each([
    ['Application/JSON; charset=utf-8', '{"a":"é"}'],
    ['application/json;charset=iso-8859-1', '{"a":"é"}'],
    ['application/x-www-form-urlencoded; charset=UTF-8', 'a=é'],
    ['application/x-www-form-urlencoded ;x=y', 'a=%C3%A9'],
    ['multipart/form-data; charset=utf-8; boundary="B"', multipart(['a', 'é'])],
    [undefined, ' \r\n{"a":"é"}'],
    [undefined, 'a=é'],
    ['', 'a=é'],
    [JSON_TYPE, '\uFEFF{"a":"é"}'],
  ])('%s parses %j', async (type, body) => {
    expect(await send('POST', '/x', body, type)).toEqual({ status: 200, answer: { a: 'é' } });
  });

  test.each(['text/plain', 'application/xml', 'json', 'application/jsonx', ';', 'multipart/mixed; boundary=B'])(
    '%s is unsupported unless the body is empty',
    async (type) => {
      const unsupported = type !== ';';
      expect(await send('POST', '/x', 'a=1', type)).toEqual(
        unsupported ? UNSUPPORTED : { status: 200, answer: { a: '1' } },
      );
      expect(await send('POST', '/x?a=1', '', type)).toEqual({ status: 200, answer: { a: '1' } });
    },
  );

  test.each(['gzip', 'br', 'identity, gzip'])(
    'content encoding %s is unsupported unless the body is empty',
    async (encoding) => {
      const headers = { 'content-encoding': encoding };
      expect(await send('POST', '/x', 'a=1', FORM, headers)).toEqual(UNSUPPORTED);
      expect(await send('POST', '/x', '', FORM, headers)).toEqual({ status: 200, answer: {} });
    },
  );

  test('content encoding identity is accepted', async () => {
    const identity = await send('POST', '/x', 'a=1', FORM, { 'content-encoding': 'Identity' });
    expect(identity).toEqual({ status: 200, answer: { a: '1' } });
  });

  test.each<[string | undefined, string | Buffer]>([
    [JSON_TYPE, '{"a":'],
    [JSON_TYPE, '[1]'],
    [JSON_TYPE, 'null'],
    [JSON_TYPE, 'a=1'],
    [undefined, '{"a":'],
    [FORM, 'a=%zz'],
    [FORM, Buffer.from('a=\xff', 'latin1')],
    [JSON_TYPE, Buffer.from('{"a":"\xff"}', 'latin1')],
    [undefined, Buffer.from('a=\xff', 'latin1')],
  ])('%s rejects the malformed body %j', async (type, body) => {
    expect(await send('POST', '/x', body, type)).toEqual(MALFORMED);
  });

  test.each([
    [JSON_TYPE, `{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`],
    [FORM, `a${'[b]'.repeat(10)}=1`],
    [FORM, 'a&'.repeat(20_001)],
    [MULTIPART, multipart([`a${'[b]'.repeat(10)}`, '1'])],
    [MULTIPART, MANY_PARTS],
  ])('%s rejects a body that is too complex', async (type, body) => {
    expect(await send('POST', '/x', body, type)).toEqual(TOO_COMPLEX);
  });
});

describe('multipart bodies', () => {
  test('multipart fields use bracket keys and keep their texts unchanged', async () => {
    const body = multipart(['user[login]', 'bo b+%20'], ['tag[]', 'a'], ['tag[]', ''], ['x', '1'], ['x', ' 2\r\n']);
    expect(await send('POST', '/x', body, MULTIPART)).toEqual({
      status: 200,
      answer: { user: { login: 'bo b+%20' }, tag: ['a', ''], x: ' 2\r\n' },
    });
  });

  test('multipart files are skipped, regardless of their size and content', async () => {
    const file = Buffer.from('\xff\xfe'.repeat(20_000), 'latin1');
    const body = Buffer.concat([
      Buffer.from(`${part('a', '1')}--B\r\nContent-Disposition: form-data; name="f"; filename="f.bin"\r\n\r\n`),
      file,
      Buffer.from(
        `\r\n${part('blob', 'xx', 'application/octet-stream')}${part('b', '2', 'text/plain; charset=utf-8')}--B--`,
      ),
    ]);
    expect(await send('POST', '/x', body, MULTIPART)).toEqual({ status: 200, answer: { a: '1', b: '2' } });
  });

  test('multipart bodies may have a preamble, an epilogue and parts without name', async () => {
    const body = `preamble\r\n${part('a', '1')}--B\r\nContent-Type: text/plain\r\n\r\nx\r\n--B\r\nContent-Disposition: form-data\r\n\r\nx\r\n--B--\r\nepilogue`;
    expect(await send('POST', '/x', body, MULTIPART)).toEqual({ status: 200, answer: { a: '1' } });
  });

  test('multipart fields that could reach a prototype are dropped', async () => {
    const body = multipart(['__proto__[x]', '1'], ['a[constructor][prototype]', '1'], ['b', '2']);
    expect(await send('POST', '/x', body, MULTIPART)).toEqual({ status: 200, answer: { b: '2' } });
  });

  test.each([
    ['without a boundary', 'multipart/form-data', multipart(['a', '1'])],
    ['with an empty boundary', 'multipart/form-data; boundary=', multipart(['a', '1'])],
    ['with a boundary that is too long', `multipart/form-data; boundary=${'b'.repeat(300)}`, multipart(['a', '1'])],
    ['with another boundary', 'multipart/form-data; boundary=C', multipart(['a', '1'])],
    ['cut within a header', MULTIPART, '--B\r\nContent-Disp'],
    ['cut within a text', MULTIPART, part('a', '1').slice(0, -3)],
    ['cut within a file', MULTIPART, part('f"; filename="x', '1').slice(0, -3)],
    ['cut before the end', MULTIPART, part('a', '1')],
    ['cut within the end', MULTIPART, `${part('a', '1')}--B-`],
    ['of some other text', MULTIPART, 'a=1'],
    ['with a text that is no UTF-8', MULTIPART, Buffer.from(multipart(['a', '\xff']), 'latin1')],
  ])('multipart bodies %s are rejected as malformed', async (_name, type, body) => {
    expect(await send('POST', '/x', body, type)).toEqual(MALFORMED);
  });

  test('any multipart body is either parsed or rejected', async () => {
    const pieces = fc.array(
      fc.oneof(
        fc.constantFrom('--B', '--B--', '\r\n', '\r', '\n', '-', '\r\n\r\n', ':', ';', 'B', '\0', '"'),
        fc.constantFrom(
          'Content-Disposition: form-data; name="a"',
          '; filename="f"',
          'Content-Type: x',
          part('a[]', 'x'),
        ),
        fc.string({ unit: 'binary', maxLength: 4 }),
      ),
      { maxLength: 12 },
    );
    await fc.assert(
      fc.asyncProperty(pieces, async (texts) => {
        expect([200, 400]).toContain((await send('POST', '/x', texts.join(''), MULTIPART)).status);
      }),
      { numRuns: 300 },
    );
  });
});

describe('large bodies', () => {
  const head = `POST /x HTTP/1.1\r\nHost: x\r\nContent-Type: ${FORM}\r\n`;
  const next = 'GET /x?next=1 HTTP/1.1\r\nHost: x\r\n\r\n';

  test('bodies of exactly the allowed size are accepted', async () => {
    const value = 'x'.repeat(MAX_BYTES - 2);
    expect(await send('POST', '/x', `a=${value}`, FORM)).toEqual({ status: 200, answer: { a: value } });
  });

  test('bodies above the limit are rejected', async () => {
    expect(await send('POST', '/x', `a=${'x'.repeat(MAX_BYTES - 1)}`, FORM)).toEqual(TOO_LARGE);
    expect(await send('POST', '/x', 'x'.repeat(4 * MAX_BYTES), 'text/plain')).toEqual(TOO_LARGE);
  });

  test('bodies whose Content-Length is too large are rejected before they are sent', async () => {
    expect(await raw(`${head}Content-Length: ${MAX_BYTES + 1}\r\n\r\n`)).toEqual(TOO_LARGE);
    expect(await raw(`${head}Content-Length: 99999999999\r\n\r\n`)).toEqual(TOO_LARGE);
  });

  test('chunked bodies are rejected when the chunks exceed the limit', async () => {
    const chunk = `4000\r\n${'x'.repeat(0x4000)}\r\n`;
    expect(await raw(`${head}Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(3)}0\r\n\r\n`)).toMatchObject({
      status: 200,
    });
    expect(await raw(`${head}Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(5)}`)).toEqual(TOO_LARGE);
  });

  test('the connection can be reused after a large body was sent completely', async () => {
    const socket = await open();
    socket.write(`${head}Content-Length: ${8 * MAX_BYTES}\r\n\r\n`);
    expect(await answerFrom(socket)).toEqual(TOO_LARGE);
    socket.write('x'.repeat(8 * MAX_BYTES) + next);
    expect(await answerFrom(socket)).toEqual({ status: 200, answer: { next: '1' } });
    socket.destroy();
  });

  test('a client that sends the complete body and half-closes the connection receives the response', async () => {
    const body = 'x'.repeat(32 * MAX_BYTES);
    expect(await raw(`${head}Connection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`)).toEqual(TOO_LARGE);
    expect(await raw(`POST /x HTTP/1.0\r\nContent-Length: ${body.length}\r\n\r\n${body}`)).toEqual(TOO_LARGE);
    expect(await raw(`${head}Connection: close\r\nContent-Length: ${body.length}\r\n\r\n`)).toEqual(TOO_LARGE);
  });

  test('an endless body is cut off after the response was sent', async () => {
    const socket = await open();
    const answer = answerFrom(socket);
    const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()));
    socket.on('error', () => {});
    socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n`);
    const chunk = `100000\r\n${'x'.repeat(0x100000)}\r\n`;
    const sendOn = () => void (socket.writable && socket.write(chunk, (error) => error ?? sendOn()));
    sendOn();
    expect(await answer).toEqual(TOO_LARGE);
    await closed;
  });
});

describe('clients that disconnect', () => {
  test.each([
    [
      'in the middle of a body',
      `POST /x HTTP/1.1\r\nHost: x\r\nContent-Type: ${FORM}\r\nContent-Length: 100\r\n\r\na=1`,
    ],
    ['between chunks', 'POST /x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\na=1\r\n'],
    [
      'before a multipart body',
      `POST /x HTTP/1.1\r\nHost: x\r\nContent-Type: ${MULTIPART}\r\nContent-Length: 100\r\n\r\n`,
    ],
  ])('clients that disconnect %s leave no pending request', async (_name, start) => {
    const outcome = nextOutcome();
    const requested = new Promise<IncomingMessage>((resolve) => server.once('request', resolve));
    const socket = await open();
    socket.write(start);
    await requested;
    socket.destroy();
    expect(await outcome).toMatchObject({ status: 'rejected', reason: { message: 'Malformed request body' } });
  });

  test('a disconnect is noticed even when the body was not read yet', async () => {
    const gone = await new Promise<IncomingMessage>((resolve) => {
      const other = createServer((request) => request.on('close', () => resolve(request)).on('error', () => {}));
      other.listen(0, '127.0.0.1', () => {
        const socket = connect((other.address() as AddressInfo).port, '127.0.0.1');
        socket.write('POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\na');
        other.once('request', () => {
          socket.destroy();
          other.close();
        });
      });
    });
    await expect(readParameters(gone, { maxBytes: MAX_BYTES })).rejects.toThrow('Malformed request body');
  });
});

type Answer = { status: number; answer: unknown };

function answerTo(outcome: PromiseSettledResult<unknown>): [status: number, answer: unknown] {
  if (outcome.status === 'fulfilled') return [200, outcome.value];
  const { reason } = outcome;
  return reason instanceof BadInputError
    ? [reason.status, { error: reason.message }]
    : [500, { error: String(reason) }];
}

/** A raw request on its own connection, because fetch forbids GET bodies and normalizes paths. */
function send(
  method: string,
  path: string,
  body: string | Buffer = '',
  type?: string,
  headers: Record<string, string> = {},
) {
  const bytes = Buffer.from(body);
  const lines = [
    `${method} ${path} HTTP/1.1`,
    'Host: x',
    `Content-Length: ${bytes.length}`,
    ...(type === undefined ? [] : [`Content-Type: ${type}`]),
    ...Object.entries(headers).map((header) => header.join(': ')),
  ];
  return raw(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), bytes]));
}

async function raw(request: string | Buffer): Promise<Answer> {
  const socket = await open();
  socket.write(request);
  const answer = await answerFrom(socket);
  socket.destroy();
  return answer;
}

function open(): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1', () => resolve(socket));
    socket.once('error', reject);
  });
}

/** The next complete response; rejects when the connection ends before it. */
function answerFrom(socket: Socket): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let received = Buffer.alloc(0);
    const collect = (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      const answer = wholeAnswer(received);
      if (answer === undefined) return;
      socket.off('data', collect);
      resolve(answer);
    };
    socket.on('data', collect);
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('The connection was closed without an answer')));
  });
}

function wholeAnswer(received: Buffer): Answer | undefined {
  const end = received.indexOf('\r\n\r\n');
  const head = received.toString('latin1', 0, end);
  const body = received.subarray(end + 4);
  if (end === -1 || body.length < Number(/content-length: (\d+)/i.exec(head)?.[1])) return undefined;
  return { status: Number(head.split(' ')[1]), answer: JSON.parse(body.toString()) };
}

function nextOutcome(): Promise<PromiseSettledResult<unknown>> {
  return new Promise((resolve) => {
    onOutcome = () => resolve(outcomes.at(-1) as PromiseSettledResult<unknown>);
  });
}

function part(name: string, value: string, type?: string): string {
  const typeLine = type === undefined ? '' : `Content-Type: ${type}\r\n`;
  return `--B\r\nContent-Disposition: form-data; name="${name}"\r\n${typeLine}\r\n${value}\r\n`;
}

function multipart(...fields: [name: string, value: string][]): string {
  return `${fields.map(([name, value]) => part(name, value)).join('')}--B--\r\n`;
}
