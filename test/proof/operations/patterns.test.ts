// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are sources
import { expect, test } from 'vitest';
import { patternsBelow, patternsIn } from '../../../scripts/patterns/collect.ts';
import { problemsOf } from '../../../scripts/patterns/judge.ts';

const problemsIn = (text: string) => problemsOf(patternsIn('planted.ts', text), []);

test.each([
  ['a literal', 'const isSpaced = /^\\s*(\\d*)\\s*-$/.test(text);'],
  ['a literal that is slow because it is not anchored', 'text.replace(/=+$/, "");'],
  ['a literal inside a class', 'class A { #run() { return [{ a: /^(a+)+$/ }]; } }'],
  ['a new RegExp', 'const slow = new RegExp("^(\\\\d+\\\\.?\\\\d*)$", "u");'],
  ['a RegExp of globalThis', 'const slow = new globalThis.RegExp("(a|a)*b");'],
  ['a call of RegExp with constants', 'const A = "a+"; const slow = RegExp(`^(?:${A})+$`);'],
  ['a raw template', 'const slow = new RegExp(String.raw`^\\w*\\d*x$`);'],
  ['a string argument of match', 'text.match("a*a*b");'],
])('%s with quadratic time is rejected', (_name, text) => {
  expect(problemsIn(text)).toEqual([expect.stringMatching(/^planted\.ts:1: .* (polynomial|exponential)/)]);
});

test('a pattern that is not constant is rejected', () => {
  for (const text of ['new RegExp(name);', 'new RegExp(`^${name()}`);', 'text.search(name);']) {
    expect(problemsIn(text)).toEqual([expect.stringContaining('build the pattern from constants')]);
  }
});

test('linear patterns pass, also if they are built from constants', () => {
  const text = 'const A = "[a-z]+"; text.match(/^[a-z]+$/) ?? new RegExp(`^${A}@${A}$`).test(text);';
  expect(problemsIn(text)).toEqual([]);
});

test('a listed pattern passes only in its file, and must occur there', () => {
  const entry = { file: 'planted.ts', literal: '/=+$/', bound: 10, reason: 'test' };
  expect(problemsOf(patternsIn('planted.ts', 'a.replace(/=+$/, "")'), [entry])).toEqual([]);
  expect(problemsOf(patternsIn('other.ts', 'a.replace(/=+$/, "")'), [entry])).toHaveLength(2);
});

test('all source folders are checked', () => {
  const files = new Set(patternsBelow('src', 'packages/client/src').map(({ place }) => place.split(':')[0]));
  expect(files.size).toBeGreaterThan(80);
  expect(files).toContain('src/lib/casts.ts');
});
