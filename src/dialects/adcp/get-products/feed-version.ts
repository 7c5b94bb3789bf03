import { canonicalDigest } from '../../../platform/crypto/canonical-json.ts';
import type { JsonObject } from '../../../platform/json-object.ts';
import type { Catalog } from '../../../sales/catalog.ts';

/** By what a buyer knows that the catalog, and its prices, are as they were. */
export interface FeedVersions {
  wholesale_feed_version: string;
  pricing_version: string;
}

/** By whether a person at the seller may be asked, which products say of what may be done with them. */
export type FeedVersionsFor = (hasApproval: boolean) => FeedVersions;

/** Of a catalog as it stands: all of it is read for that. Pure. */
export function feedVersionsOf({ products }: Catalog): FeedVersionsFor {
  const all = [...products.values()];
  const version = (value: unknown) => canonicalDigest(JSON.parse(JSON.stringify(value)) as JsonObject).slice(0, 32);
  const pricing_version = version(all.map(({ product_id, pricing_options }) => ({ product_id, pricing_options })));
  const [alone, asked] = [false, true].map((hasApproval) => ({
    wholesale_feed_version: version([hasApproval, all]),
    pricing_version,
  })) as [FeedVersions, FeedVersions];
  return (hasApproval) => (hasApproval ? asked : alone);
}
