import { describe, expect, it } from 'vitest';
import { addressKey, forwardedAddress } from '../../src/platform/client-address.ts';

describe('what an address counts as in limits [R14]', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:db8::5:0:0:1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
    ['1:2:3::6:7:8', '1:2:3:0::/64'],
    ['', ''],
  ])('[R14] %s counts as %s', (address, key) => {
    expect(addressKey(address)).toBe(key);
  });
});

it.each([
  ['192.0.2.1', '198.51.100.7', 0, '192.0.2.1'],
  ['192.0.2.1', undefined, 1, '192.0.2.1'],
  ['192.0.2.1', '198.51.100.7', 1, '198.51.100.7'],
  ['192.0.2.1', '203.0.113.9, 198.51.100.7', 1, '198.51.100.7'],
  ['192.0.2.1', '203.0.113.9, 198.51.100.7', 2, '203.0.113.9'],
  ['192.0.2.1', '203.0.113.9', 5, '203.0.113.9'],
  ['192.0.2.1', ' , ', 1, '192.0.2.1'],
])('[R14] %s that forwards %j behind %d proxies is %s', (peer, forwarded, proxies, address) => {
  expect(forwardedAddress(peer, forwarded, proxies)).toBe(address);
});
