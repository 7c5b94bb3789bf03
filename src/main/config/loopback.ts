import { isIP } from 'node:net';
import { forbiddenRule } from '#receiver/node/address-guard';

/** Whether a host, as a name or an address, is this machine and nobody else reaches it there. */
export function isLoopbackHost(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '').toLowerCase();
  if (isIP(bare) !== 0) return forbiddenRule(bare) === 'loopback';
  return bare === 'localhost' || bare.endsWith('.localhost');
}
