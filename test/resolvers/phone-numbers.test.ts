import { expect, test } from 'vitest';
import { isPhoneRegion, phoneKey, phoneTails } from '../../src/resolvers/address-book/phone-numbers.ts';

test.each<[phone: string, region: string | null, key: string]>([
  ['+44 (0)20 7946 0018', null, '+442079460018'],
  ['020 7946 0018', 'GB', '+442079460018'],
  ['0044 20 7946 0018', 'GB', '+442079460018'],
  ['020 7946 0018', 'DE', '+492079460018'],
  ['020 7946 0018', null, '020 7946 0018'],
  ['011 15-2345-6789', 'AR', '+5491123456789'],
  ['+54 9 11 2345 6789', 'AR', '+5491123456789'],
  ['((()))', 'GB', '((()))'],
  ['call 020 7946 0018', 'GB', 'call 020 7946 0018'],
  ['', 'GB', ''],
])('the phone %s in region %s has the key %s', (phone, region, key) => {
  expect(phoneKey(phone, region)).toBe(key);
});

test.each<[ways: string[], region: string]>([
  [['+44 (0)20 7946 0018', '020 7946 0018', '0044 20 7946 0018', '(020)7946-0018'], 'GB'],
  [['+290 23456', '23456', '00 290 23456'], 'SH'],
  [['+1 212 555 0100', '2125550100', '1 (212) 555-0100'], 'US'],
  [['+54 9 11 2345 6789', '011 15-2345-6789'], 'AR'],
])("the spellings %j share a key and match each other's tails", (ways, region) => {
  expect(new Set(ways.map((phone) => phoneKey(phone, region))).size).toBe(1);
  for (const way of ways) {
    expect(phoneTails(phoneKey(ways[0]!, region))).toContain(way.replace(/[^0-9]/g, '').slice(-7));
  }
});

test('isPhoneRegion accepts upper-case ISO codes only', () => {
  expect(['GB', 'gb', 'XX', '', 'constructor'].map(isPhoneRegion)).toEqual([true, false, false, false, false]);
});
