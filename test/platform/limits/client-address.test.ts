import { describe, expect, test } from 'vitest';
import { clientAddress, clientNetwork } from '../../../src/platform/limits/client-address.ts';

const seen = (forwardedFor: string | undefined, proxies: number, socketAddress = '10.0.0.1') =>
  clientAddress({ socketAddress, forwardedFor }, proxies);

describe('clientAddress', () => {
  test('clientAddress is the peer address without a proxy and ignores the header', () => {
    expect(seen('1.1.1.1', 0)).toBe('10.0.0.1');
    expect(seen(undefined, 2)).toBe('10.0.0.1');
  });

  test('clientAddress counts proxies from the right, so that forged entries on the left are ignored', () => {
    expect(seen('6.6.6.6, 1.1.1.1', 1)).toBe('1.1.1.1');
    expect(seen('6.6.6.6, 1.1.1.1,10.0.0.2', 2)).toBe('1.1.1.1');
    expect(seen('1.1.1.1', 3)).toBe('1.1.1.1');
  });

  test('clientAddress ignores ports and blank entries', () => {
    expect(seen('1.1.1.1:4711', 1)).toBe('1.1.1.1');
    expect(seen('[2001:db8::1]:80', 1)).toBe('2001:db8::1');
    expect(seen('1.1.1.1, ', 1)).toBe('10.0.0.1');
  });
});

describe('clientNetwork', () => {
  test.each([
    ['1.2.3.4', '1.2.3.4'],
    ['::ffff:1.2.3.4', '1.2.3.4'],
    ['::FFFF:102:304', '1.2.3.4'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2:ffff:ffff:ffff:ffff', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['64:ff9b::1.2.3.4', '64:ff9b:0:0::/64'],
    ['unknown', 'unknown'],
    ['1::2::3', '1::2::3'],
    ['2001:xyz::1', '2001:xyz::1'],
    ['', ''],
  ])('clientNetwork maps %s → %s', (address, network) => {
    expect(clientNetwork(address)).toBe(network);
  });
});
