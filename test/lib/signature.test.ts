import { describe, expect, test } from 'vitest';
import { isSignedBy, type ParameterPair, sign, signedText } from '../../src/lib/signature.ts';

const KEYS: ParameterPair[] = [
  ['application_id', '92'],
  ['auth_key', 'AUTHKEY'],
];

describe('the vectors of the contract', () => {
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
  ])('%s', (text, pairs, sha1, sha256) => {
    expect(signedText(pairs)).toBe(text);
    expect(sign(pairs, 'secret', 'sha1')).toBe(sha1);
    expect(sign(pairs, 'secret', 'sha256')).toBe(sha256);
  });
});

test('the signature itself is not signed', () => {
  expect(signedText([...KEYS, ['signature', 'x']])).toBe('application_id=92&auth_key=AUTHKEY');
});

test('pairs are sorted by their bytes, not by UTF-16 code units', () => {
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

test('a signature in upper case, cut, lengthened or by the other hash is wrong', () => {
  const right = sign(KEYS, 'secret', 'sha1');
  const isRight = (signature: string) => isSignedBy(signature, KEYS, 'secret', 'sha1');
  expect(isRight(right)).toBe(true);
  for (const wrong of [right.toUpperCase(), right.slice(1), `${right}0`, '', sign(KEYS, 'secret', 'sha256')]) {
    expect(isRight(wrong)).toBe(false);
  }
  expect(isSignedBy(right, KEYS, 'Secret', 'sha1')).toBe(false);
});
