import { expect, test } from 'vitest';
import { isOlder } from '../../../src/rest/http/versions.ts';

test.each([
  ['2.57.9', true],
  ['2.57', true],
  ['2', true],
  ['1.0.0', true],
  [' 2.9.100 ', true],
  ['2.58.0', false],
  ['2.58', false],
  ['2.100', false],
  ['3', false],
  ['0.9.9', false],
  ['0.1.1', false],
  ['', false],
  ['v2', false],
  ['2.58.0.1', false],
  ['2.', false],
  ['-1', false],
  [undefined, false],
])('isOlder(%o) compared with 2.58.0 is %s', (stated, older) => {
  expect(isOlder(stated, '2.58.0')).toBe(older);
});
