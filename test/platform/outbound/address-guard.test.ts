import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forbiddenRule } from '#receiver/node/address-guard';

const VERDICTS: Record<string, readonly string[]> = {
  public: [
    '1.1.1.1',
    '8.8.8.8',
    '9.255.255.255',
    '11.0.0.0',
    '93.184.216.34',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.0',
    '168.63.129.15',
    '169.253.255.255',
    '169.255.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '191.255.255.255',
    '192.0.1.0',
    '192.167.255.255',
    '192.169.0.0',
    '198.17.255.255',
    '198.20.0.0',
    '223.255.255.255',
    '2000::1',
    '2001:200::1',
    '2001:4860:4860::8888',
    '2606:4700:4700::1111',
    '2a00:1450:4001:830::200e',
    '::ffff:8.8.8.8',
    '::FFFF:808:808',
    '64:ff9b::8.8.8.8',
    '2002:808:808::1',
    '2606:4700::5efe:8.8.8.8',
    '2606:4700::200:5efe:808:808',
  ],
  unspecified: ['0.0.0.0', '0.0.0.1', '0.255.255.255', '::', '0:0:0:0:0:0:0:0'],
  loopback: ['127.0.0.1', '127.0.0.0', '127.1.2.3', '127.255.255.255', '::1', '0:0:0:0:0:0:0:1'],
  private: [
    '10.0.0.0',
    '10.255.255.255',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.0.1',
    '192.168.255.255',
    'fc00::1',
    'fd00::1',
    'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
    'fec0::1',
  ],
  'link-local': ['169.254.0.1', '169.254.255.255', 'fe80::1', 'febf::1'],
  'carrier-grade NAT': ['100.64.0.0', '100.127.255.255'],
  benchmarking: ['198.18.0.0', '198.19.255.255', '2001:2::1'],
  documentation: [
    '192.0.2.0',
    '192.0.2.255',
    '198.51.100.1',
    '203.0.113.1',
    '233.252.0.1',
    '2001:db8::1',
    '2001:db8:ffff::1',
    '3fff::1',
    '3fff:fff::1',
  ],
  multicast: ['224.0.0.1', '239.255.255.255', 'ff02::1', 'ff0e::1'],
  reserved: [
    '192.0.0.0',
    '192.0.0.170',
    '192.88.99.1',
    '192.31.196.1',
    '192.52.193.1',
    '192.175.48.1',
    '240.0.0.0',
    '255.255.255.255',
    '::8.8.8.8',
    '::808:808',
    '::ffff:0:8.8.8.8',
    '64:ff9b:1::808:808',
    '100::1',
    '1::1',
    '1fff:ffff::1',
    '2001:0:808:808::f7f7:f7f7',
    '2001:10::1',
    '2001:20::1',
    '2001:1ff::1',
    '2620:4f:8000::1',
    '3ffe::1',
    '4000::1',
    '5f00::1',
    'e000::1',
  ],
  'cloud metadata': [
    '169.254.169.254',
    '169.254.170.2',
    '169.254.170.23',
    '100.100.100.200',
    '192.0.0.192',
    '168.63.129.16',
    'fd00:ec2::254',
    'fd20:ce::254',
  ],
  'embedded loopback': [
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '0:0:0:0:0:ffff:7f00:0001',
    '::127.0.0.1',
    '::7f00:1',
    '::ffff:0:127.0.0.1',
    '64:ff9b::127.0.0.1',
    '64:ff9b::7f00:1',
    '64:ff9b:1::127.0.0.1',
    '2002:7f00:1::1',
    '::5efe:7f00:1',
    '2606:4700::5efe:127.0.0.1',
    '2606:4700::200:5efe:7f00:1',
    '2606:4700::300:5efe:7f00:1',
    'fe80::5efe:127.0.0.1',
    '2001:0:7f00:1::f7f7:f7f7',
    '2001:0:808:808::80ff:fffe',
  ],
  'embedded private': ['::ffff:10.0.0.1', '2002:a00:1::1', '64:ff9b::192.168.1.1', '2001:db8::5efe:172.16.0.1'],
  'embedded cloud metadata': ['::ffff:169.254.169.254', '64:ff9b::a9fe:a9fe', '2002:a9fe:a9fe::', '::a9fe:a9fe'],
  'embedded unspecified': ['::ffff:0.0.0.0', '64:ff9b::'],
  malformed: [
    '',
    'localhost',
    '127.1',
    '0x7f.0.0.1',
    '2130706433',
    '1.2.3',
    '1.2.3.4.5',
    '256.1.1.1',
    ':::',
    '1::2::3',
    '[::1]',
    'fe80::1%eth0',
    '2606:4700::1%1',
    ' 8.8.8.8',
  ],
};

const ROWS = Object.entries(VERDICTS).flatMap(([verdict, addresses]) => addresses.map((a) => [a, verdict] as const));

const word = fc.integer({ min: 0, max: 0xffff });
const hex = (high: number, low: number): string => `${high.toString(16)}:${low.toString(16)}`;
const dotted = (high: number, low: number): string => `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`;

/** How each transition mechanism writes an IPv4 address (as two words) into an IPv6 one; `x` and `y` are free words. */
const EMBEDDINGS: Record<string, (high: number, low: number, x: number, y: number) => string> = {
  mapped: (high, low) => `::ffff:${hex(high, low)}`,
  'mapped, dotted': (high, low) => `::ffff:${dotted(high, low)}`,
  compatible: (high, low) => `0:0:0:0:0:0:${hex(high, low)}`,
  translated: (high, low) => `::ffff:0:${hex(high, low)}`,
  NAT64: (high, low) => `64:ff9b::${hex(high, low)}`,
  'local NAT64': (high, low, x) => `64:ff9b:1:${x.toString(16)}:0:0:${hex(high, low)}`,
  '6to4': (high, low, x, y) => `2002:${hex(high, low)}:${x.toString(16)}::${y.toString(16)}`,
  ISATAP: (high, low, x, y) => `2a00:${hex(x, y)}:0:0:5efe:${hex(high, low)}`,
  'ISATAP, universal': (high, low, x, y) => `2a00:${hex(x, y)}:0:200:5efe:${hex(high, low)}`,
  'Teredo server': (high, low, x, y) => `2001:0:${hex(high, low)}:0:0:${hex(x, y)}`,
  'Teredo client': (high, low, x, y) => `2001:0:808:808:${hex(x, y)}:${hex(high ^ 0xffff, low ^ 0xffff)}`,
};

describe('the address guard', () => {
  it.each(ROWS)('[W16] %s is %s', (address, verdict) => {
    expect(forbiddenRule(address) ?? 'public').toBe(verdict);
  });

  it.each(Object.entries(EMBEDDINGS))('[W16] forbids every forbidden IPv4 address embedded as %s', (_name, embed) => {
    const forbiddenWords = fc
      .oneof(
        fc.tuple(word, word),
        fc.constantFrom([0x7f00, 1], [0xa9fe, 0xa9fe], [0x0a00, 1], [0xc0a8, 1], [0x6440, 1]),
      )
      .filter(([high = 0, low = 0]) => forbiddenRule(dotted(high, low)) !== undefined);
    fc.assert(
      fc.property(forbiddenWords, word, word, ([high = 0, low = 0], x, y) => {
        expect(forbiddenRule(embed(high, low, x, y))).toBeDefined();
      }),
    );
  });

  it('[W16] gives the same verdict on every spelling of an IPv6 address', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(word, fc.constant(0)), { minLength: 8, maxLength: 8 }), (words) => {
        const full = words.map((w) => w.toString(16).padStart(4, '0')).join(':');
        const short = new URL(`http://[${full}]/`).hostname.slice(1, -1);
        expect(forbiddenRule(short)).toBe(forbiddenRule(full));
        expect(forbiddenRule(full.toUpperCase())).toBe(forbiddenRule(full));
      }),
    );
  });

  it('[W16] allows no IPv6 address outside 2000::/3 but those that stand for a public IPv4 one', () => {
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        const first = parseInt(new URL(`http://[${address}]/`).hostname.slice(1), 16);
        const standsForIPv4 = /^(::ffff:|64:ff9b::)/.test(new URL(`http://[${address}]/`).hostname.slice(1));
        if (first >> 13 !== 1 && !standsForIPv4) expect(forbiddenRule(address)).toBeDefined();
      }),
    );
  });

  it('[W16] has a verdict on any string', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.ipV4Extended(), fc.ipV6()), (text) => {
        expect(['string', 'undefined']).toContain(typeof forbiddenRule(text));
      }),
    );
  });
});
