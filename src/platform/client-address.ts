import { isIPv6 } from 'node:net';

/**
 * What an address counts as in limits: IPv4 as it is, also when mapped into IPv6; IPv6 by its /64, since one household
 * holds a whole one (rule R14).
 */
export function addressKey(address: string): string {
  const bare = address.replace(/%.*$/, '');
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(bare)?.[1];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(bare)) return bare;
  const [head = '', tail] = bare.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  // A dotted quad stands for two groups.
  const groups = left.length + right.length + (bare.includes('.') ? 1 : 0);
  const filled = tail === undefined ? left : [...left, ...Array<string>(8 - groups).fill('0'), ...right];
  return `${filled
    .slice(0, 4)
    .map((group) => parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}

/**
 * Who calls behind so many proxies of ours, each of which adds whom it heard to the end of `X-Forwarded-For`; without any, the
 * peer itself. What stands before theirs is what a caller wrote, and is not believed.
 */
export function forwardedAddress(peer: string, forwardedFor: string | undefined, trustedProxies: number): string {
  const told = (forwardedFor ?? '')
    .split(',')
    .map((address) => address.trim())
    .filter((address) => address !== '');
  return [peer, ...told.reverse()][Math.min(trustedProxies, told.length)] ?? peer;
}
