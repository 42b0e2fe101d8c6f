import type { ExecutionResult } from 'graphql';
import { MessageType, type NextMessage, stringifyMessage } from 'graphql-ws';
import { expect, test } from 'vitest';
import { isPlaceholder, nextMessage, SENT, textOf } from '../../src/graphql/websocket/shared-text.ts';
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
        expect(nextMessage(id, textOf(shared, asIs))).toBe(write(id, shared));
      }
    }),
    { numRuns: 500 },
  );
});

test('isPlaceholder recognizes the placeholder of a shared message and no other message', () => {
  fc.assert(
    fc.property(id, result, fc.oneof(text, fc.jsonValue({ maxDepth: 2 })), (id, shared, payload) => {
      expect(isPlaceholder(write(id, SENT))).toBe(true);
      const others = [
        { id, type: MessageType.Complete },
        { id, type: MessageType.Next, payload: shared },
        { id, type: MessageType.Next, payload: { data: { type: 'next', payload: {} } } },
        { id, type: MessageType.Error, payload: [{ message: '{}' }] },
        { type: MessageType.Pong, payload: { payload, type: 'next', x: {} } },
        { type: MessageType.Pong, payload: { type: 'next', payload: {} } },
        { type: MessageType.Pong, payload: {} },
        { type: MessageType.ConnectionAck },
      ] as unknown as NextMessage[];
      for (const other of others) expect(isPlaceholder(stringifyMessage(other, undefined))).toBe(false);
    }),
  );
});

test('a shared result is serialized once, and different results separately', () => {
  let written = 0;
  const present = (value: ExecutionResult) => {
    written++;
    return value;
  };
  const [one, other] = [{ data: { a: 1 } }, { data: { a: 2 } }];
  const messages = [one, other, one, other].map((shared) => nextMessage('x', textOf(shared, present)));
  expect(messages).toEqual([one, other, one, other].map((shared) => write('x', shared)));
  expect(written).toBe(2);
});
