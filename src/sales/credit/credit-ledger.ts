import { z } from 'zod';
import { MAX_MINOR } from '../../platform/money.ts';
import { OrganizationId } from '../../platform/organization-id.ts';
import type { CollectionSpec } from '../../platform/store/collection.ts';
import { MediaBuyId } from '../media-buy/media-buy-id.ts';

/** What a media buy is about to come to, on the way into its row. */
export const CreditClaim = z.object({
  media_buy_id: MediaBuyId,
  /** Whole, in minor units. */
  total_minor: z.int().min(0).max(MAX_MINOR),
  /** The row it is worked out on, as that counts its writes; 0: there is none yet. Once the row is another, the claim is nothing any more. */
  row_version: z.int().min(0),
});
export type CreditClaim = z.infer<typeof CreditClaim>;

/**
 * What is claimed of a buyer's credit in one currency and has not come into the rows of its media buys. Whoever claims writes this row, so that of two who
 * looked at the same sum one looks again (rule B3.credit).
 */
export const CreditLedger = z.object({
  /** See {@link creditKey}. */
  credit_key: z.string(),
  claims: z.array(CreditClaim),
  revision: z.int().min(1),
});
export type CreditLedger = z.infer<typeof CreditLedger>;

export const CreditLedgers: CollectionSpec<CreditLedger> = {
  name: 'credit_ledgers',
  key: 'credit_key',
  schema: CreditLedger,
  indexes: [],
};

export function creditKey(organization_id: OrganizationId, currency: string): string {
  return `${organization_id} ${currency}`;
}
