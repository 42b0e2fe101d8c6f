import { expect } from 'vitest';
import { create } from 'xmlbuilder2';

/** Characters that XML 1.0 forbids, although the parser below accepts them. */
const NOT_XML = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/u;

export function expectXml(text: string): void {
  expect(NOT_XML.exec(text)?.[0]).toBeUndefined();
  expect(create(text).root().node.nodeName).toMatch(/^[a-z-]+$/i);
}
