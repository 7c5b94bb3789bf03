import { canonicalDigest } from '../../platform/crypto/canonical-json.ts';
import type { AdOrder } from './ad-order.ts';

/**
 * SHA-256 in lower-case hex over the RFC 8785 form of an order without its `digest` and `version`: two orders of one digest
 * ask for the same. Pure.
 */
export function orderDigestOf(order: Omit<AdOrder, 'digest' | 'version'>): string {
  const { digest: _digest, version: _version, ...content } = order as AdOrder;
  return canonicalDigest(content);
}
