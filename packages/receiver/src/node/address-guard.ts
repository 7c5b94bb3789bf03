import { BlockList, isIPv4, SocketAddress } from 'node:net';
import { dottedIPv4, ipv6Words } from './ipv6-words.ts';

type RangeRule =
  | 'benchmarking'
  | 'carrier-grade NAT'
  | 'cloud metadata'
  | 'documentation'
  | 'link-local'
  | 'loopback'
  | 'multicast'
  | 'private'
  | 'reserved'
  | 'unspecified';

/** Why an address is forbidden. `embedded …`: an IPv6 address that carries a forbidden IPv4 one. */
export type AddressRule = RangeRule | `embedded ${RangeRule}` | 'malformed';

/**
 * The rule that forbids connecting to this address, or undefined for a public one (rule W16). IPv4 is public
 * unless listed (IANA special-purpose registry, and the metadata addresses of clouds that lie in public space); IPv6 is
 * forbidden unless in 2000::/3 and not listed. IPv4-mapped and NAT64 (RFC 6052) addresses are as good as the IPv4
 * address in them. Total: what is no IP address, or has a zone id, is `malformed`.
 */
export function forbiddenRule(address: string): AddressRule | undefined {
  if (isIPv4(address)) return ipv4Rule(address);
  const words = ipv6Words(address);
  if (words === undefined) return 'malformed';
  const exact = firstMatch(EXACT_IPV6, address, 'ipv6');
  if (exact !== undefined) return exact;
  for (const inner of embeddedIPv4(words)) {
    const rule = ipv4Rule(inner);
    if (rule !== undefined) return `embedded ${rule}`;
  }
  if (isMapped(words) || isNat64(words)) return undefined;
  return firstMatch(FORBIDDEN_IPV6, address, 'ipv6') ?? (isGlobalUnicast(words) ? undefined : 'reserved');
}

type Range = readonly [network: string, prefix: number];

const FORBIDDEN_IPV4 = rangesByRule('ipv4', {
  'cloud metadata': [
    ['169.254.169.254', 32], // the common one
    ['169.254.170.2', 32], // AWS ECS
    ['169.254.170.23', 32], // AWS EKS
    ['169.254.0.23', 32], // Tencent
    ['169.254.42.42', 32], // Scaleway
    ['100.100.100.200', 32], // Alibaba
    ['192.0.0.192', 32], // Oracle
    ['168.63.129.16', 32], // Azure
  ],
  unspecified: [['0.0.0.0', 8]],
  loopback: [['127.0.0.0', 8]],
  private: [
    ['10.0.0.0', 8],
    ['172.16.0.0', 12],
    ['192.168.0.0', 16],
  ],
  'link-local': [['169.254.0.0', 16]],
  'carrier-grade NAT': [['100.64.0.0', 10]],
  documentation: [
    ['192.0.2.0', 24],
    ['198.51.100.0', 24],
    ['203.0.113.0', 24],
    ['233.252.0.0', 24],
  ],
  benchmarking: [['198.18.0.0', 15]],
  multicast: [['224.0.0.0', 4]],
  reserved: [
    ['192.0.0.0', 24],
    ['192.31.196.0', 24],
    ['192.52.193.0', 24],
    ['192.88.99.0', 24],
    ['192.175.48.0', 24],
    ['240.0.0.0', 4],
  ],
});

const EXACT_IPV6 = rangesByRule('ipv6', {
  unspecified: [['::', 128]],
  loopback: [['::1', 128]],
  'cloud metadata': [
    ['fd00:ec2::254', 128], // AWS
    ['fd00:ec2::23', 128], // AWS EKS
    ['fd20:ce::254', 128], // Google
    ['fd00:42::42', 128], // Scaleway
  ],
});

const FORBIDDEN_IPV6 = rangesByRule('ipv6', {
  private: [
    ['fc00::', 7],
    ['fec0::', 10],
  ],
  'link-local': [['fe80::', 10]],
  multicast: [['ff00::', 8]],
  documentation: [
    ['2001:db8::', 32],
    ['3fff::', 20],
  ],
  benchmarking: [['2001:2::', 48]],
  reserved: [
    ['2001::', 23],
    ['2620:4f:8000::', 48],
    ['3ffe::', 16],
  ],
});

type RuleRanges = readonly (readonly [RangeRule, BlockList])[];

function rangesByRule(family: 'ipv4' | 'ipv6', rules: Partial<Record<RangeRule, readonly Range[]>>): RuleRanges {
  return Object.entries(rules).map(([rule, ranges]) => {
    const list = new BlockList();
    for (const [network, prefix] of ranges) list.addSubnet(network, prefix, family);
    return [rule as RangeRule, list] as const;
  });
}

function firstMatch(rules: RuleRanges, address: string, family: 'ipv4' | 'ipv6'): RangeRule | undefined {
  const parsed = new SocketAddress({ address, family }); // once, not by each list
  return rules.find(([, list]) => list.check(parsed))?.[0];
}

function ipv4Rule(address: string): RangeRule | undefined {
  return firstMatch(FORBIDDEN_IPV4, address, 'ipv4');
}

/** Every IPv4 address that a known transition mechanism would read out of these words. */
function embeddedIPv4(words: readonly number[]): string[] {
  const [w0 = 0, w1 = 0, w2 = 0, w3 = 0, w4 = 0, w5 = 0, w6 = 0, w7 = 0] = words;
  const last = dottedIPv4(w6, w7);
  const isCompatible = startsWith(words, [0, 0, 0, 0, 0, 0]);
  const isTranslated = startsWith(words, [0, 0, 0, 0, 0xffff, 0]);
  const isIsatap = (w4 & ~UNIVERSAL_AND_GROUP_BITS) === 0 && w5 === 0x5efe;
  const found: string[] = [];
  const isLocalNat64 = startsWith(words, [0x64, 0xff9b, 1]);
  if (isMapped(words) || isCompatible || isTranslated || isNat64(words) || isLocalNat64 || isIsatap) found.push(last);
  if (w0 === SIX_TO_FOUR) found.push(dottedIPv4(w1, w2));
  if (startsWith(words, TEREDO)) found.push(dottedIPv4(w2, w3), dottedIPv4(w6 ^ 0xffff, w7 ^ 0xffff));
  return found;
}

const UNIVERSAL_AND_GROUP_BITS = 0x0300;
const SIX_TO_FOUR = 0x2002;
const TEREDO = [0x2001, 0];

function isMapped(words: readonly number[]): boolean {
  return startsWith(words, [0, 0, 0, 0, 0, 0xffff]);
}

function isNat64(words: readonly number[]): boolean {
  return startsWith(words, [0x64, 0xff9b, 0, 0, 0, 0]);
}

function isGlobalUnicast(words: readonly number[]): boolean {
  return (words[0] ?? 0) >> 13 === 1;
}

function startsWith(words: readonly number[], prefix: readonly number[]): boolean {
  return prefix.every((word, i) => words[i] === word);
}
