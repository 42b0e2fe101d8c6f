import { beforeAll, expect, test } from 'vitest';
import { errorsXml, type XmlRoot, xmlOf } from '../../../src/rest/http/xml.ts';
import { useApp } from '../../support/app/app.ts';
import { MULTIPART } from '../../support/clients/raw-http.ts';
import { rest } from '../../support/clients/rest.ts';
import { CAR_FIELDS, newCar } from '../../support/fixtures/cars.ts';
import { createChatCast, created, UNKNOWN_ID } from '../../support/fixtures/chat-cast.ts';
import { apiKey, type Caller } from '../../support/fixtures/users.ts';

// `xml-writer.test.ts` fixes the XML of each JSON value, so these tests only compare both forms of a response.

useApp();

let callers: Record<string, Caller>;
/** Ids by their placeholders in paths and forms. */
let ids: Record<string, string>;

beforeAll(async () => {
  const chat = await createChatCast();
  callers = chat.callers;
  await created('/class', { name: 'cars', fields: CAR_FIELDS }, apiKey);
  const car = await newCar(
    { make: '<a&b>', year: 5, price: 1.5, sold: true, built: '2020-01-01', place: '1,2.5', tags: 'x,y' },
    chat.alice,
  );
  const child = await rest('POST', `/data/cars/${car}/cars.json`, { as: chat.alice, form: 'make=x' });
  await created('/class', { name: 'Bike', fields: { gears: 'Integer_a' } }, apiKey);
  ids = { GROUP: chat.group, PAIR: chat.pair, HELLO: chat.hello, CAR: car, CHILD: child.body._id, NONE: UNKNOWN_ID };
});

const filled = (text: string) => text.replace(/\b[A-Z]{3,}\b/g, (name) => ids[name] ?? name);

const send = (method: string, path: string, as: string, form?: string) =>
  rest(method, filled(path), { as: callers[as], form: form === undefined ? undefined : filled(form) });

/** Requests that have the same response when they are repeated. Without a root: an error. */
test.each<[root: XmlRoot | undefined, caller: string, request: string, form?: string]>([
  ['dialog', 'alice', 'GET /chat/Dialog/GROUP'],
  ['dialog', 'alice', 'PUT /chat/Dialog/GROUP', 'name=N&is_join_required=1'],
  ['dialogs', 'alice', 'GET /chat/Dialog?_id=GROUP'],
  ['dialogs', 'alice', 'GET /chat/Dialog?_id=abc'],
  ['dialogs', 'alice', 'GET /chat/Dialog?count=1'],
  ['result', 'carol', 'GET /chat/Dialog/GROUP/notifications'],
  ['result', 'carol', 'PUT /chat/Dialog/GROUP/notifications', 'enabled=0'],
  ['chat-message', 'bob', 'GET /chat/Message/HELLO'],
  ['chat-messages', 'bob', 'GET /chat/Message?chat_dialog_id=GROUP&mark_as_read=0'],
  ['chat-messages', 'bob', 'GET /chat/Message?chat_dialog_id=GROUP&count=1'],
  ['result', 'carol', 'GET /chat/Message/unread?chat_dialog_ids=GROUP,NONE,abcdefabcdefabcdefabcdef'],
  ['result', 'carol', 'GET /chat/Message/unread'],
  ['result', 'alice', 'PUT /chat/Message', 'delivered=1&chat_dialog_id=GROUP'],
  ['result', 'alice', 'PUT /chat/Message/HELLO', 'message=new'],
  ['record', 'mallory', 'GET /data/cars/CAR'],
  ['record', 'alice', 'GET /data/cars/CAR?permissions=1'],
  ['record', 'alice', 'PUT /data/cars/CAR', 'year=5'],
  ['records', 'alice', 'GET /data/cars?_id=CAR'],
  ['records', 'alice', 'GET /data/cars?make=none'],
  ['records', 'alice', 'GET /data/cars?_id=CAR&count=1'],
  ['records', 'alice', 'GET /data/cars?_id=CAR&group_by=make&year[calc]=sum'],
  ['records', 'alice', 'GET /data/cars/CAR,abc'],
  ['records', 'alice', 'GET /data/cars/CAR/cars'],
  ['records', 'alice', 'PUT /data/cars/multi', 'record[1][id]=NONE'],
  ['records', 'alice', 'PUT /data/cars/by_criteria', 'search_criteria[make]=none&year=1'],
  ['result', 'alice', 'DELETE /data/cars/by_criteria', 'make=none'],
  ['class', 'key', 'GET /class/Bike'],
  ['class', 'key', 'PUT /class/Bike'],
  ['classes', 'key', 'GET /class'],
  [undefined, 'alice', 'DELETE /chat/Dialog/NONE,abc'],
  [undefined, 'key', 'GET /chat/Dialog/GROUP/notifications'],
  [undefined, 'alice', 'POST /chat/Dialog', 'type=2'],
  [undefined, 'alice', 'GET /chat/Dialog?name[%3Cb%3E]=1'],
  [undefined, 'bob', 'PUT /chat/Message/HELLO', 'message=mine'],
  [undefined, 'bob', 'PUT /chat/Message', 'read=1'],
  [undefined, 'bob', 'PUT /chat/Message/HELLO', ''],
  [undefined, 'carol', 'GET /chat/Message/unread?chat_dialog_ids=NONE'],
  [undefined, 'alice', 'GET /data/none'],
  [undefined, 'mallory', 'PUT /data/cars/CAR', 'make=x'],
  [undefined, 'alice', 'DELETE /data/cars/abc'],
  [undefined, 'alice', 'POST /data/cars', 'year=x&price=y'],
  [undefined, 'alice', 'POST /data/cars/CAR/cars', 'year=x'],
  [undefined, 'alice', 'PUT /data/cars/multi', 'record='],
  [undefined, 'key', 'POST /class', 'name=Bike'],
  [undefined, 'alice', 'GET /class'],
])('the XML response has the root %s for the request of %s: %s %s', async (root, caller, request, form) => {
  const [method, path] = request.split(' ') as [string, string];
  const suffixed = (suffix: string) => path.replace(/(?=\?)|(?<!\?.*)$/, suffix);
  const json = await send(method, suffixed('.json'), caller, form);
  const xml = await send(method, suffixed('.xml'), caller, form);
  expect(json.status < 400).toBe(root !== undefined);
  const text = root === undefined ? errorsXml(json.body) : json.text && xmlOf(json.body, root);
  expect([xml.status, xml.text]).toEqual([json.status, text]);
  expect(xml.headers.get('content-type')).toBe(text === '' ? null : 'application/xml; charset=utf-8');
});

/** Requests in order, each sent once. */
test.each<[caller: string, request: string, form: string | undefined, xml: RegExp]>([
  ['alice', 'POST /chat/Message.xml', 'chat_dialog_id=PAIR&message=hi', /^<chat-message>.*<\/chat-message>$/],
  ['bob', 'DELETE /chat/Message/HELLO.xml', undefined, /^<result><SuccessfullyDeleted>.*<NotFound>.*<\/result>$/],
  ['alice', 'POST /chat/Dialog.xml', 'type=2&name=N&occupants_ids=1', /^<dialog>.*<name>N<\/name>.*<\/dialog>$/],
  ['bob', 'DELETE /chat/Dialog/GROUP.xml', undefined, /^$/],
  ['alice', 'DELETE /chat/Dialog/GROUP,NONE.xml', 'force=1', /^<result><SuccessfullyDeleted>.*<NotFound>.*<\/result>$/],
  ['alice', 'POST /data/cars.xml', 'make=x', /^<record>.*<make>x<\/make>.*<\/record>$/],
  ['alice', 'POST /data/cars/CAR/cars.xml', 'make=x', /^<record>.*<make>x<\/make>.*<\/record>$/],
  ['alice', 'POST /data/cars/multi.xml', 'record[1][make]=x', /^<records>.*<items type="array"><item>.*<\/records>$/],
  ['alice', 'DELETE /data/cars/CHILD,abc.xml', undefined, /^<result><SuccessfullyDeleted>.*<NotFound>.*<\/result>$/],
  ['alice', 'DELETE /data/cars/CAR.xml', undefined, /^$/],
  ['key', 'POST /class.xml', 'name=Made', /^<class><name>Made<\/name>.*<\/class>$/],
  ['key', 'DELETE /class/Made.xml', undefined, /^$/],
])('the XML response to the request of %s has its root: %s', async (caller, request, form, xml) => {
  const [method, path] = request.split(' ') as [string, string];
  const { status, text } = await send(method, path, caller, form);
  expect([status, text.replace(/^<\?xml[^>]*\?>/, '')]).toEqual([
    method === 'POST' ? 201 : 200,
    expect.stringMatching(xml),
  ]);
});

test('an uploaded file responds with the root element result, and a download with its content', async () => {
  const body =
    '--B\r\nContent-Disposition: form-data; name="file"; filename="x.txt"\r\nContent-Type: text/plain\r\n\r\nhello\r\n--B--\r\n';
  const path = `/data/cars/${await newCar({}, callers.alice!)}/file.xml?field_name=motor`;
  const put = await rest('POST', path, { as: callers.alice, form: body, headers: { 'Content-Type': MULTIPART } });
  expect([put.status, put.text]).toEqual([200, expect.stringMatching(/<result><file-id>.*<\/result>$/)]);
  expect((await rest('GET', path, { as: callers.alice })).text).toBe('hello');
  expect((await rest('DELETE', path, { as: callers.alice })).text).toBe('');
  expect((await rest('DELETE', path, { as: callers.alice })).text).toBe(
    errorsXml({ errors: ["The resource wasn't found"] }),
  );
});
