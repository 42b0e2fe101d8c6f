import { expect, test } from 'vitest';
import { readRange } from '../../src/lib/byte-ranges.ts';

test.each([
  ['bytes=0-0', 10, { start: 0, end: 0 }],
  ['bytes=0-9', 10, { start: 0, end: 9 }],
  ['bytes=3-', 10, { start: 3, end: 9 }],
  ['bytes=3-100', 10, { start: 3, end: 9 }],
  ['bytes=-3', 10, { start: 7, end: 9 }],
  ['bytes=-100', 10, { start: 0, end: 9 }],
  [' Bytes = 1 - 2 ', 10, { start: 1, end: 2 }],
  ['bytes=10-', 10, 'outside'],
  ['bytes=10-20', 10, 'outside'],
  ['bytes=-0', 10, 'outside'],
  ['bytes=0-', 0, 'outside'],
  ['bytes=-1', 0, 'outside'],
  ['bytes=99999999999999999999-', 10, 'outside'],
  [undefined, 10, undefined],
  ['bytes=-', 10, undefined],
  ['bytes=5-3', 10, undefined],
  ['bytes=0-1,3-4', 10, undefined],
  ['lines=0-1', 10, undefined],
  ['bytes=a-b', 10, undefined],
  ['bytes', 10, undefined],
])('readRange parses %j of %i bytes', (header, size, range) => {
  expect(readRange(header, size)).toEqual(range);
});
