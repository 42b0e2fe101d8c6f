import { MessageType, type NextMessage, stringifyMessage } from 'graphql-ws';
import { expect, test } from 'vitest';
import { SharedText, withSharedText } from '../../src/graphql/websocket/shared-text.ts';
import { fc } from '../support/properties.ts';

const TRICKY = ['"', '@', '"@"', '"@"}', '\\', '\\"', '}', '{"a":"@"}', '\u2028', '\ud800', '😀', '\u0000', ''];

const id = fc.oneof(fc.constantFrom(...TRICKY), fc.string({ unit: 'binary' })).filter((text) => text !== '');
const text = fc.oneof(fc.constantFrom(...TRICKY), fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }));
const result = fc.record({ data: fc.dictionary(text, fc.jsonValue({ maxDepth: 3 })) });
const asIs = <Value>(value: Value) => value;

/** A message as the library writes it. */
const write = (id: string, payload: unknown) =>
  stringifyMessage({ id, type: MessageType.Next, payload } as NextMessage, undefined);

test('a message with a shared answer is the one that it would be without sharing, for each who shares it', () => {
  fc.assert(
    fc.property(fc.array(id, { minLength: 1, maxLength: 4 }), result, (ids, answer) => {
      for (const id of ids) {
        expect(withSharedText(write(id, new SharedText(answer, asIs)))).toBe(write(id, answer));
      }
    }),
    { numRuns: 500 },
  );
});

test('other messages are sent as they are, also after one that was written and not sent', () => {
  fc.assert(
    fc.property(id, result, fc.jsonValue({ maxDepth: 2 }), (id, answer, payload) => {
      const others = [
        { id, type: MessageType.Complete },
        { id, type: MessageType.Error, payload: [{ message: '@' }] },
        { type: MessageType.Pong, payload: { payload, x: '@' } },
        { type: MessageType.ConnectionAck },
      ] as unknown as NextMessage[];
      for (const other of others) {
        write(id, new SharedText(answer, asIs));
        const message = stringifyMessage(other, undefined);
        expect(withSharedText(message)).toBe(message);
        expect(withSharedText(message)).toBe(message);
      }
    }),
  );
});

test('an answer is written once, however many share it, and each answer apart from all others', () => {
  let written = 0;
  const show = <Value>(value: Value) => {
    written++;
    return value;
  };
  const [one, other] = [{ data: { a: 1 } }, { data: { a: 2 } }];
  const messages = [one, other, one, other].map((answer) => withSharedText(write('x', new SharedText(answer, show))));
  expect(messages).toEqual([one, other, one, other].map((answer) => write('x', answer)));
  expect(written).toBe(2);
});
