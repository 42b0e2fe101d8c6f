import { expect, test } from 'vitest';
import { deviceName } from '../../src/lib/device-name.ts';

test.each([
  ['Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0', 'Firefox on Linux'],
  ['okhttp/4.12.0', 'okhttp/4.12.0'],
  ['node', 'node'],
  [undefined, null],
  ['  ', null],
  ['http://evil.example/x please sign in', null],
  [`${'x'.repeat(400)}/1`, null],
  ['Ünïcode/1', null],
])('the device of %j is %j', async (userAgent, name) => {
  expect(await deviceName(userAgent)).toBe(name);
});
