import { describe, expect, test } from 'vitest';
import { isOutside, isPublicAddress, lookupPublic } from '../../src/gateways/public-addresses.ts';

describe('public addresses', () => {
  test.each([
    '8.8.8.8',
    '1.1.1.1',
    '172.15.255.255',
    '172.32.0.1',
    '192.167.1.1',
    '100.128.0.1',
    '223.255.255.255',
    '2606:4700:4700::1111',
    '2a00:1450:4001::1',
  ])('isPublicAddress accepts %s', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });
});

describe('row 27: private addresses', () => {
  test.each([
    '127.0.0.1',
    '127.255.0.1',
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.0.1',
    '192.0.0.170',
    '198.18.0.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:8.8.8.8',
    '64:ff9b::7f00:1',
    '64:ff9b:1::1',
    'fe80::1',
    'fc00::1',
    'fd12::1',
    'ff02::1',
    '2001::1',
    '2001:db8::1',
    '2002:7f00:1::',
    '3fff::1',
    'localhost',
    '',
    '1.2.3',
  ])('isPublicAddress rejects %s', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});

test.each<[url: string, isIt: boolean]>([
  ['https://example.com/v1', true],
  ['https://localhost', true],
  ['http://8.8.8.8', true],
  ['http://127.0.0.1:80', false],
  ['http://2130706433', false],
  ['http://0x7f.1', false],
  ['http://[::1]', false],
  ['http://[::ffff:7f00:1]', false],
  ['http://[2606:4700:4700::1111]', true],
])('the URL %s passes the check without a lookup: %s', (url, isIt) => {
  expect(isOutside(new URL(url))).toBe(isIt);
});

test('a lookup fails for a name that resolves to a private address', async () => {
  for (const all of [true, false]) {
    const code = await new Promise((resolve) => {
      lookupPublic('localhost', { all }, (error) => resolve(error?.code));
    });
    expect(code).toBe('ENOTPUBLIC');
  }
});
