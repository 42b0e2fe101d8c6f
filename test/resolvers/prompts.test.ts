import { expect, test } from 'vitest';
import { dialogParts, type QuotedMessage } from '../../src/resolvers/ai/prompts.ts';
import { fc } from '../support/app/properties.ts';

const AT = '2026-11-20T17:46:59.000Z';
const message = (text: string): QuotedMessage => ({ from: 'Bob', at: AT, text });
const textsOf = (parts: string[]) =>
  parts.flatMap((part) => (JSON.parse(part) as QuotedMessage[]).map(({ text }) => text));

test('no messages yield no parts', () => {
  expect(dialogParts([])).toEqual([]);
});

test('parts contain all messages in order, with any text', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 2000 }), { maxLength: 60 }), (texts) => {
      const parts = dialogParts(texts.map(message));
      for (const part of parts) expect(part.length).toBeLessThan(26_000);
      expect(textsOf(parts)).toEqual(texts.map((text) => (text.length > 2000 ? `${text.slice(0, 2000)}…` : text)));
    }),
  );
});

test('a dialog that is too long loses its oldest messages, and long messages are truncated', () => {
  const texts = Array.from({ length: 1000 }, (_, nth) => `${nth} ${'x'.repeat(3000)}`);
  const parts = dialogParts(texts.map(message));
  expect(parts).toHaveLength(16);
  const kept = textsOf(parts);
  expect(kept).toEqual(texts.slice(-kept.length).map((text) => `${text.slice(0, 2000)}…`));
});

test('a text truncated within a surrogate pair is well-formed', () => {
  const [text] = textsOf(dialogParts([message(`${'x'.repeat(1999)}😀😀`)]));
  expect(text).toBe(`${'x'.repeat(1999)}\ufffd…`);
});
