import { getDomain } from 'tldts';
import type { Target } from './url-guard.ts';

/**
 * Whether a redirect from one target to the other stays on the site: the same registrable domain by the public-suffix
 * list, private suffixes included (so two tenants of a hosting company are two sites), or the very same host; and never
 * from `https` to `http`.
 */
export function isSameSite(from: Target, to: Target): boolean {
  if (from.isSecure && !to.isSecure) return false;
  if (from.host === to.host) return true;
  const site = from.isLiteral ? null : getDomain(from.host, { allowPrivateDomains: true });
  return site !== null && !to.isLiteral && site === getDomain(to.host, { allowPrivateDomains: true });
}
