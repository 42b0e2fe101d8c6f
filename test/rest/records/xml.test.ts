import { beforeAll, expect, test } from 'vitest';
import { useApp } from '../../support/app/app.ts';
import { MULTIPART } from '../../support/clients/raw-http.ts';
import { rest } from '../../support/clients/rest.ts';
import { createRecordCast, newCar, type RecordCast } from '../../support/fixtures/cars.ts';
import { created, UNKNOWN_ID } from '../../support/fixtures/chat-cast.ts';
import { apiKey, type Caller } from '../../support/fixtures/users.ts';

useApp();

const PROLOG = '<?xml version="1.0" encoding="UTF-8"?>';
const error = (sentence: string) => `<errors><error>${sentence}</error></errors>`;
const MAY_NOT = error("You don't have appropriate permissions to do this operation");
const MISSING = error("The resource wasn't found");

let cast: RecordCast;
let id: string;
beforeAll(async () => {
  cast = await createRecordCast();
  id = await newCar(
    { make: '<a&b>', year: 5, price: 1.5, sold: true, built: '2020-01-01', place: '1,2.5', tags: 'x,y' },
    cast.olga,
  );
});

/** Status, and the body after the XML prolog; an empty body has no Content-Type either. */
async function xml(method: string, path: string, as: Caller, form?: string): Promise<[number, string]> {
  const { status, text, headers } = await rest(method, path, { as, form });
  expect(headers.get('content-type')).toBe(text === '' ? null : 'application/xml; charset=utf-8');
  expect(text === '' || text.startsWith(PROLOG)).toBe(true);
  return [status, text.slice(PROLOG.length)];
}

const OPEN = '<read><access>open</access></read>';
const PERMISSIONS = `<permissions>${OPEN}<update><access>owner</access></update><delete><access>owner</access></delete></permissions>`;
const TIMES = '<created-at type="integer">1795196819</created-at><updated-at type="integer">1795196819</updated-at>';
const LISTS = ['sizes', 'rates', 'flags', 'dates', 'places'].map((name) => `<${name} nil="true"/>`).join('');
/** Like JSON, except that names with a leading `_` come last. */
const shown = (permissions: string) =>
  `${TIMES}<user-id type="integer">${cast.olga.id}</user-id>${permissions}<make>&lt;a&amp;b&gt;</make>` +
  '<year type="integer">5</year><price type="float">1.5</price><sold type="boolean">true</sold>' +
  '<built type="datetime">2020-01-01T00:00:00Z</built>' +
  '<place type="array"><value type="integer">1</value><value type="float">2.5</value></place><motor nil="true"/>' +
  `<tags type="array"><value>x</value><value>y</value></tags>${LISTS}<_id>${id}</_id><_parent-id nil="true"/>`;

test('a record has the root element record', async () => {
  expect(await xml('GET', `/data/cars/${id}.xml`, cast.mallory)).toEqual([
    200,
    `<record>${shown(PERMISSIONS)}</record>`,
  ]);
  const [status, made] = await xml('POST', '/data/cars.xml', cast.olga, 'make=x');
  expect([status, made]).toEqual([201, expect.stringMatching(/^<record>.*<make>x<\/make>.*<\/record>$/)]);
  const [, changed] = await xml('PUT', `/data/cars/${id}.xml`, cast.olga, 'year=5');
  expect(changed).toBe(`<record>${shown(PERMISSIONS)}</record>`);
  const [below] = await xml('POST', `/data/cars/${id}/cars.xml`, cast.olga, 'make=x');
  expect(below).toBe(201);
});

test('a list has the root element records with the items of the JSON', async () => {
  const page = '<class-name>cars</class-name><skip type="integer">0</skip><limit type="integer">100</limit>';
  const items = `<items type="array"><item>${shown('')}</item></items>`;
  expect(await xml('GET', `/data/cars.xml?_id=${id}`, cast.olga)).toEqual([200, `<records>${page}${items}</records>`]);
  expect(await xml('GET', '/data/cars.xml?make=none', cast.olga)).toEqual([
    200,
    `<records>${page}<items type="array"/></records>`,
  ]);
  expect(await xml('GET', `/data/cars.xml?_id=${id}&count=1`, cast.olga)).toEqual([
    200,
    `<records>${page}<items><count type="integer">1</count></items></records>`,
  ]);
  expect(await xml('GET', `/data/cars.xml?_id=${id}&group_by=make&year[calc]=sum`, cast.olga)).toEqual([
    200,
    `<records>${page}<items type="array"><item><year type="integer">5</year><_id>&lt;a&amp;b&gt;</_id></item></items></records>`,
  ]);
  expect(await xml('GET', `/data/cars/${id},abc.xml`, cast.olga)).toEqual([
    200,
    `<records><class-name>cars</class-name>${items}<not-found><ids type="array"><value>abc</value></ids></not-found></records>`,
  ]);
  const [status, children] = await xml('GET', `/data/cars/${id}/cars.xml`, cast.olga);
  expect([status, children]).toEqual([
    200,
    expect.stringMatching(/^<records>.*<items type="array"><item>.*<\/records>$/),
  ]);
});

test('several records of one request have the root element records', async () => {
  const [status, made] = await xml('POST', '/data/cars/multi.xml', cast.olga, 'record[1][make]=x');
  expect([status, made]).toEqual([
    201,
    expect.stringMatching(/^<records><class-name>cars<\/class-name><items type="array"><item>.*<\/records>$/),
  ]);
  expect(await xml('PUT', '/data/cars/multi.xml', cast.olga, `record[1][id]=${UNKNOWN_ID}`)).toEqual([
    200,
    `<records><class-name>cars</class-name><not-found><ids type="array"><value>${UNKNOWN_ID}</value></ids></not-found><items type="array"/></records>`,
  ]);
  const criteria = await xml('PUT', '/data/cars/by_criteria.xml', cast.olga, 'search_criteria[make]=none&year=1');
  expect(criteria).toEqual([
    200,
    '<records><class-name>cars</class-name><skip type="integer">0</skip><limit type="integer">100</limit><total-found type="integer">0</total-found><items type="array"/></records>',
  ]);
});

test('deletions respond with the root element result or with an empty body', async () => {
  const own = await newCar({ make: 'bin' }, cast.olga);
  expect(await xml('DELETE', `/data/cars/${own},abc.xml`, cast.olga)).toEqual([
    200,
    `<result><SuccessfullyDeleted><ids type="array"><value>${own}</value></ids></SuccessfullyDeleted><NotFound><ids type="array"><value>abc</value></ids></NotFound></result>`,
  ]);
  expect(await xml('DELETE', '/data/cars/by_criteria.xml', cast.olga, 'make=bin')).toEqual([
    200,
    '<result><total-deleted type="integer">0</total-deleted></result>',
  ]);
  expect(await xml('DELETE', `/data/cars/${await newCar({}, cast.olga)}.xml`, cast.olga)).toEqual([200, '']);
});

test('permissions alone have the root element record', async () => {
  expect(await xml('GET', `/data/cars/${id}.xml?permissions=1`, cast.olga)).toEqual([
    200,
    `<record>${PERMISSIONS}<record-id>${id}</record-id></record>`,
  ]);
});

test('error texts become error elements, and an empty object has none', async () => {
  expect(await xml('GET', '/data/none.xml', cast.olga)).toEqual([403, error('Undefined class')]);
  expect(await xml('PUT', `/data/cars/${id}.xml`, cast.mallory, 'make=x')).toEqual([403, MAY_NOT]);
  expect(await xml('DELETE', '/data/cars/abc.xml', cast.olga)).toEqual([404, MISSING]);
  expect(await xml('POST', '/data/cars.xml', cast.olga, 'year=x&price=y')).toEqual([
    422,
    '<errors><error>Field year should be an integer</error><error>Field price should be a number</error></errors>',
  ]);
  expect(await xml('POST', `/data/cars/${id}/cars.xml`, cast.olga, 'year=x')).toEqual([400, '<errors/>']);
  expect(await xml('PUT', '/data/cars/multi.xml', cast.olga, 'record=')).toEqual([400, '<errors/>']);
});

test('the token may be a parameter of XML paths', async () => {
  const [status] = await xml('GET', `/data/cars/${id}.xml?token=${cast.olga.token}`, { headers: {} });
  expect(status).toBe(200);
  expect(await xml('POST', `/data/cars.xml?token=${'0'.repeat(40)}`, { headers: {} }, 'make=x')).toEqual([
    401,
    error('Required session does not exist'),
  ]);
});

test('an uploaded file responds with the root element result, and a download with its content', async () => {
  const body =
    '--B\r\nContent-Disposition: form-data; name="file"; filename="x.txt"\r\nContent-Type: text/plain\r\n\r\nhello\r\n--B--\r\n';
  const path = `/data/cars/${id}/file.xml?field_name=motor`;
  const put = await rest('POST', path, { as: cast.olga, form: body, headers: { 'Content-Type': MULTIPART } });
  expect([put.status, put.text]).toEqual([
    200,
    expect.stringMatching(
      /<result><file-id>[0-9a-f]{24}<\/file-id><name>x\.txt<\/name><size type="integer">5<\/size><content-type>text\/plain<\/content-type><_id>[0-9a-f]{24}<\/_id><\/result>$/,
    ),
  ]);
  expect((await rest('GET', path, { as: cast.olga })).text).toBe('hello');
  expect(await xml('DELETE', path, cast.olga)).toEqual([200, '']);
  expect(await xml('DELETE', path, cast.olga)).toEqual([404, MISSING]);
});

test('classes are available as XML', async () => {
  const { _id } = await created('/class', { name: 'Bike', fields: { gears: 'Integer_a' } }, apiKey);
  const open = '<access>open</access>';
  const bike =
    '<name>Bike</name><application-id type="integer">92</application-id><user-id type="integer">0</user-id>' +
    `<acl><create>${open}<primary type="boolean">true</primary></create><read>${open}</read><update><access>owner</access></update><delete><access>owner</access></delete></acl>` +
    `<custom-fields type="array"><item><name>gears</name><type>Integer</type><is-array>1</is-array></item></custom-fields><_id>${_id}</_id>`;
  expect(await xml('GET', '/class/Bike.xml', apiKey)).toEqual([200, `<class>${bike}</class>`]);
  expect(await xml('PUT', '/class/Bike.xml', apiKey)).toEqual([200, `<class>${bike}</class>`]);
  expect((await xml('GET', '/class.xml', apiKey))[1]).toContain(`<classes><items type="array"><item>${bike}</item>`);
  expect((await xml('POST', '/class.xml', apiKey, 'name=Made'))[1]).toMatch(/^<class><name>Made<\/name>/);
  expect(await xml('POST', '/class.xml', apiKey, 'name=Made')).toEqual([422, error('Name has already been taken')]);
  expect(await xml('DELETE', '/class/Bike.xml', apiKey)).toEqual([200, '']);
  expect(await xml('GET', '/class.xml', cast.olga)).toEqual([403, MAY_NOT]);
});
