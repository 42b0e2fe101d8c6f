import { beforeAll, expect, test } from 'vitest';
import { useApp } from '../../support/app/app.ts';
import { DEFAULT_PERMISSIONS, NOW, SOME_ID } from '../../support/fixtures/cars.ts';
import { created } from '../../support/fixtures/chat-cast.ts';
import { apiKey } from '../../support/fixtures/users.ts';
import { json, outcome, real, replay, replayBare, useSampleUsers } from '../../support/fixtures/wire-samples.ts';

useApp();
useSampleUsers();

const MAKE =
  '{"make":"AB","tags":["a"],"nested":{"x":1},"value":100,"permissions":{"update":{"access":"open_for_groups","groups":["g1"]}}}';
const PERMISSIONS = { ...DEFAULT_PERMISSIONS, update: { access: 'open_for_groups', users_groups: ['g1'] } };
const ABOUT = {
  _id: SOME_ID,
  _parent_id: null,
  created_at: NOW,
  updated_at: NOW,
  user_id: 7,
  permissions: PERMISSIONS,
};

beforeAll(async () => {
  const fields = { make: 'String', model: 'String', value: 'Integer', tags: 'String_a', motors: 'File' };
  await created('/class', { name: 'cars', fields }, apiKey);
});

test('the samples create a record and ignore names that are not fields', async () => {
  const answer = await replay('POST', '/data/cars.json', 'J', MAKE);
  expect(outcome(answer)).toEqual([201, { ...ABOUT, make: 'AB', model: null, value: 100, tags: ['a'], motors: null }]);
  real.REC = json(answer)._id;
});

test('the samples list records', async () => {
  const rest =
    'limit=2&make[or]=AB%2CCD&output[include]=make%2Cmodel&skip=1&sort_desc=_id&tags[all]=a%2Cb&value[gt]=50';
  const none = await replay('GET', `/data/cars.json?_parent_id=x&${rest}`);
  expect([none.status, none.text]).toEqual([200, '{"class_name":"cars","skip":1,"limit":2,"items":[]}']);
  const found = await replay('GET', `/data/cars.json?${rest.replace('skip=1', 'skip=0').replace('a%2Cb', 'a')}`);
  expect(json(found).items).toEqual([{ _id: real.REC, make: 'AB', model: null }]);
});

test('the samples update a record', async () => {
  const body = `{"_id":"${real.REC}","model":"N2","inc":{"value":1},"push":{"tags":["z"]},"add_to_set":{"tags":["q"]}}`;
  const answer = await replay('PUT', '/data/cars/REC.json', 'J', body);
  const changed = { ...ABOUT, make: 'AB', model: 'N2', value: 101, tags: ['a', 'z', 'q'], motors: null };
  expect(outcome(answer)).toEqual([200, changed]);
  const whole = JSON.stringify({ ...json(answer), model: 'N3' });
  expect(outcome(await replay('PUT', '/data/cars/REC.json', 'J', whole))).toEqual([200, { ...changed, model: 'N3' }]);
});

test('the samples upload a file into a field, download it by URL, and delete it', async () => {
  const body =
    '--B\r\nContent-Disposition: form-data; name="field_name"\r\n\r\nmotors\r\n' +
    '--B\r\nContent-Disposition: form-data; name="file"; filename="x.txt"\r\nContent-Type: text/plain\r\n\r\nhello\r\n--B--\r\n';
  const put = await replay('POST', '/data/cars/REC/file.json', 'M', body);
  expect(outcome(put)).toEqual([
    200,
    { _id: real.REC, file_id: SOME_ID, name: 'x.txt', size: 5, content_type: 'text/plain' },
  ]);
  const url = '/data/cars/REC/file.json?field_name=motors&token=TOKEN';
  const got = await replayBare('GET', url, undefined, undefined, {});
  expect([got.status, got.text, got.headers['content-type']]).toEqual([200, 'hello', 'text/plain']);
  expect(outcome(await replay('DELETE', '/data/cars/REC/file.json', 'F', 'field_name=motors'))).toEqual([200, '']);
  expect((await replayBare('GET', url, undefined, undefined, {})).status).toBe(404);
});

test('the samples delete records', async () => {
  const [first, second] = [real.REC, json(await replay('POST', '/data/cars.json', 'J', MAKE))._id];
  real.REC = second;
  expect(outcome(await replay('DELETE', '/data/cars/REC.json'))).toEqual([200, '']);
  real.REC = first!;
  expect(outcome(await replay('DELETE', '/data/cars/REC,REC.json'))).toEqual([
    200,
    { SuccessfullyDeleted: { ids: [first] }, NotFound: { ids: [] } },
  ]);
  await replay('POST', '/data/cars.json', 'J', MAKE.replace('100', '101'));
  await replay('POST', '/data/cars.json', 'J', MAKE);
  const answer = await replay('DELETE', '/data/cars/by_criteria.json', 'F', 'value[gt]=100');
  expect([answer.status, answer.text]).toEqual([200, '{"total_deleted":1}']);
});
