import { describe, expect, test } from 'vitest';
import { flatten, parseForm, parseJson } from '../../src/lib/bracket-keys.ts';
import { isSignedBy, type ParameterPair, sign, signedText } from '../../src/lib/signature.ts';
import { fc } from '../support/app/properties.ts';

const KEYS: ParameterPair[] = [
  ['application_id', '92'],
  ['auth_key', 'AUTHKEY'],
];

describe('signature samples of the contract', () => {
  test.each<[text: string, pairs: ParameterPair[], sha1: string, sha256: string]>([
    [
      'application_id=1&auth_key=abc123&nonce=111&timestamp=123&user[login]=you&user[owner_id]=1&user[password]=me',
      [
        ['user[password]', 'me'],
        ['user[owner_id]', '1'],
        ['user[login]', 'you'],
        ['timestamp', '123'],
        ['nonce', '111'],
        ['auth_key', 'abc123'],
        ['application_id', '1'],
      ],
      '90d077f8a1c649dd1622df8d432420121e02630b',
      '165aa85fbe71550dfdcbebe88fc61f0fec216d536036aef52c51619161b7c75a',
    ],
    [
      'application_id=92&auth_key=AUTHKEY&nonce=170&timestamp=1795196819&user[login]=bo b+&=%é&user[password]=p@ss wörd/+',
      [
        ...KEYS,
        ['user[password]', 'p@ss wörd/+'],
        ['user[login]', 'bo b+&=%é'],
        ['nonce', '170'],
        ['timestamp', '1795196819'],
      ],
      '5e7c47750e212fb1767c1cc2291796100df6d971',
      'f3ea85786f79f180cae0a4e96e0f44501f07f29b1396260fc1b4a26fd0539284',
    ],
    [
      'application_id=92&auth_key=AUTHKEY&nonce=-577359397&timestamp=1795196819',
      [['timestamp', '1795196819'], ['nonce', '-577359397'], ...KEYS],
      'c8abc971e2941cadcd1050f5ba646536f8c85a38',
      '6215af1f611643d9b4ac860458c66dd16b3967b4fd43ae2192625e5b469ee8ac',
    ],
  ])('the signature of %s matches', (text, pairs, sha1, sha256) => {
    expect(signedText(pairs)).toBe(text);
    expect(sign(pairs, 'secret', 'sha1')).toBe(sha1);
    expect(sign(pairs, 'secret', 'sha256')).toBe(sha256);
  });
});

test('the signature parameter itself is not signed', () => {
  expect(signedText([...KEYS, ['signature', 'x']])).toBe('application_id=92&auth_key=AUTHKEY');
});

test('pairs are sorted by bytes, not by UTF-16 code units', () => {
  // U+FF5E comes after U+1F600 in UTF-16, but before it in UTF-8.
  expect(
    signedText([
      ['\u{1F600}', ''],
      ['\uFF5E', ''],
      ['b', ''],
      ['B', ''],
      ['a[b]', ''],
    ]),
  ).toBe('B=&a[b]=&b=&\uFF5E=&\u{1F600}=');
});

test('an upper-case, shortened, extended or SHA-256 signature is wrong', () => {
  const right = sign(KEYS, 'secret', 'sha1');
  const isRight = (signature: string) => isSignedBy(signature, KEYS, 'secret', 'sha1');
  expect(isRight(right)).toBe(true);
  for (const wrong of [right.toUpperCase(), right.slice(1), `${right}0`, '', sign(KEYS, 'secret', 'sha256')]) {
    expect(isRight(wrong)).toBe(false);
  }
  expect(isSignedBy(right, KEYS, 'Secret', 'sha1')).toBe(false);
});

describe('signatures of arbitrary parameters', () => {
  type Tree = { [name: string]: string | number | Tree };

  const isPlain = (segment: string) =>
    !/[[\]]/.test(segment) && !['', '__proto__', 'constructor', 'prototype', 'signature'].includes(segment);
  const segment = fc
    .oneof(
      fc.constantFrom('user', 'login', 'keys', 'a b', 'ключ', '=&+%'),
      fc.string({ unit: 'grapheme', maxLength: 6 }),
    )
    .filter(isPlain);
  const text = fc.string({ unit: 'grapheme', maxLength: 12 });
  const leaf = fc.oneof(text, fc.integer());
  const objectOf = <Value>(value: fc.Arbitrary<Value>, maxKeys: number) =>
    fc.dictionary(segment, value, { minKeys: 1, maxKeys, noNullPrototype: true });
  const tree: fc.Arbitrary<Tree> = objectOf(fc.oneof(leaf, objectOf(fc.oneof(leaf, objectOf(leaf, 2)), 3)), 6);

  const pairsOf = (fields: Tree): ParameterPair[] =>
    Object.entries(fields).flatMap(([name, value]): ParameterPair[] =>
      typeof value !== 'object'
        ? [[name, String(value)]]
        : pairsOf(value).map(([key, leafText]) => {
            const [first = '', ...rest] = key.split(/(?=\[)/);
            return [`${name}[${first}]${rest.join('')}`, leafText];
          }),
    );
  const pairs = tree.map(pairsOf);
  const shuffled = pairs.chain((given) =>
    fc.tuple(fc.constant(given), fc.shuffledSubarray(given, { minLength: given.length })),
  );

  test('the order of the pairs does not change the signature', () => {
    fc.assert(
      fc.property(shuffled, ([given, reordered]) => {
        expect(signedText(reordered)).toBe(signedText(given));
      }),
    );
  });

  test('a form has the signature that its client computed, in any order and with any escapes', () => {
    const escaped = (given: readonly ParameterPair[]) => new URLSearchParams(given.map(([...pair]) => pair)).toString();
    const withRawBrackets = (given: readonly ParameterPair[]) =>
      escaped(given).replaceAll('%5B', '[').replaceAll('%5D', ']').replaceAll('+', '%20');
    fc.assert(
      fc.property(shuffled, fc.constantFrom(escaped, withRawBrackets), ([given, reordered], print) => {
        expect(signedText(flatten(parseForm(print(reordered))))).toBe(signedText(given));
      }),
    );
  });

  test('JSON has the same signature as a form', () => {
    fc.assert(
      fc.property(tree, (fields) => {
        expect(signedText(flatten(parseJson(JSON.stringify(fields))))).toBe(signedText(pairsOf(fields)));
      }),
    );
  });

  test('a changed, additional or missing pair changes the signature', () => {
    const signature = (given: readonly ParameterPair[]) => sign(given, 'secret', 'sha256');
    fc.assert(
      fc.property(pairs, fc.nat(), text, (given, nth, other) => {
        const place = nth % given.length;
        const [name, value] = given[place]!;
        fc.pre(other !== value);
        expect(signature(given.with(place, [name, other]))).not.toBe(signature(given));
        expect(signature(given.toSpliced(place, 1))).not.toBe(signature(given));
        expect(isSignedBy(signature(given), given.with(place, [name, other]), 'secret', 'sha256')).toBe(false);
      }),
    );
  });
});
