import type { ExecutionResult } from 'graphql';
import { MessageType, type NextMessage, stringifyMessage } from 'graphql-ws';
import { expect, test } from 'vitest';
import { frameOf, nextFrame } from '../../src/graphql/websocket/frames.ts';
import { fc } from '../support/app/properties.ts';

const TRICKY = [
  '"',
  '{}',
  '{}}',
  '\\',
  '\\"',
  '}',
  '"type":"next","payload":{}}',
  '\u2028',
  '\ud800',
  '😀',
  '\u0000',
  '',
];

const id = fc.oneof(fc.constantFrom(...TRICKY), fc.string({ unit: 'binary' })).filter((text) => text !== '');
const text = fc.oneof(fc.constantFrom(...TRICKY), fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }));
const result = fc.record({ data: fc.dictionary(text, fc.oneof(text, fc.jsonValue({ maxDepth: 3 }))) });
const asIs = <Value>(value: Value) => value;

const write = (id: string, payload: unknown) =>
  stringifyMessage({ id, type: MessageType.Next, payload } as NextMessage, undefined);

test('a message with a shared result equals the message that graphql-ws would send to each subscriber', () => {
  fc.assert(
    fc.property(fc.array(id, { minLength: 1, maxLength: 4 }), result, (ids, shared) => {
      for (const id of ids) {
        expect(nextFrame(id, shared, asIs)).toEqual(frameOf(write(id, shared)));
      }
    }),
    { numRuns: 500 },
  );
});

test('subscribers with the same id share the frame of a result', () => {
  const [one, other] = [{ data: { a: 1 } }, { data: { a: 2 } }];
  expect(nextFrame('1', one, asIs)).toBe(nextFrame('1', one, asIs));
  expect(nextFrame('2', one, asIs)).toEqual(frameOf(write('2', one)));
  expect(nextFrame('1', other, asIs)).toEqual(frameOf(write('1', other)));
});

test('a shared result is serialized once, and different results separately', () => {
  let written = 0;
  const present = (value: ExecutionResult) => {
    written++;
    return value;
  };
  const [one, other] = [{ data: { a: 1 } }, { data: { a: 2 } }];
  const frames = [one, other, one, other].map((shared, nth) => nextFrame(`${nth}`, shared, present));
  expect(frames).toEqual([one, other, one, other].map((shared, nth) => frameOf(write(`${nth}`, shared))));
  expect(written).toBe(2);
});
