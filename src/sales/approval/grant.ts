import { z } from 'zod';
import { canonicalDigest } from '../../platform/crypto/canonical-json.ts';
import { formatMoneyText } from '../../platform/money.ts';
import type { MediaBuy } from '../media-buy/media-buy.ts';
import type { MediaBuyPackage } from '../media-buy/media-buy-package.ts';

/** The exact terms that a person grants, or is asked to (rule B15). Amounts in minor units of the buy's currency. */
export const ApprovalGrant = z.object({
  /** What the terms were reckoned from: for the record, and not binding. */
  base_revision: z.int(),
  /** 0 for a new buy. */
  base_total_minor: z.int(),
  /** What the buy's total is to be. */
  total_minor: z.int(),
  /** An instant; `asap` where the buyer asks for that, so that a decision may take its time. */
  start_time: z.string(),
  end_time: z.string(),
  packages: z.array(
    z.object({
      package_id: z.string(),
      budget_minor: z.int(),
      /** Of its product, prices, bid and targeting; see {@link ApprovalGrant} `digest`. */
      digest: z.string(),
    }),
  ),
  /** SHA-256 in lower-case hex over the RFC 8785 form of the dates, and of each package's money and targeting. */
  digest: z.string(),
});
export type ApprovalGrant = z.infer<typeof ApprovalGrant>;

/** The parts of a buy that a person grants; `start_time` may be `asap`. */
export type GrantedTerms = Pick<MediaBuy, 'packages' | 'start_time' | 'end_time' | 'total_budget_minor'>;

/** The grant of terms that were reckoned from a buy as it stands; `total_minor`: what its total counts for, 0 while it is new. Pure. */
export function grantOf(
  terms: GrantedTerms,
  base: Pick<MediaBuy, 'revision'> & { total_minor: number },
): ApprovalGrant {
  const { start_time, end_time } = terms;
  const packages = terms.packages.map((line) => ({
    package_id: line.package_id,
    budget_minor: line.budget_minor,
    digest: digestOfTerms(otherTermsOf(line)),
  }));
  return {
    base_revision: base.revision,
    base_total_minor: base.total_minor,
    total_minor: terms.total_budget_minor,
    start_time,
    end_time,
    packages,
    digest: digestOfTerms({ start_time, end_time, packages }),
  };
}

/** The grant that lets a new buy go on as it stands. Pure. */
export function grantOfNewBuy(buy: MediaBuy): ApprovalGrant {
  return grantOf(buy, { revision: buy.revision, total_minor: 0 });
}

/**
 * What of these terms is not granted, in words for people at the seller; nothing when the grant covers them. Less money
 * is covered, in all and in each package; all else must be as granted (rule B15). Pure.
 */
export function notGranted(grant: ApprovalGrant, terms: ApprovalGrant, currency: string): string[] {
  const money = (minor: number) => `${formatMoneyText(minor, currency)} ${currency}`;
  const found: string[] = [];
  if (terms.total_minor > grant.total_minor) {
    found.push(`the total is ${money(terms.total_minor)}, not ${money(grant.total_minor)}`);
  }
  if (terms.start_time !== grant.start_time) found.push(`the start is ${terms.start_time}, not ${grant.start_time}`);
  if (terms.end_time !== grant.end_time) found.push(`the end is ${terms.end_time}, not ${grant.end_time}`);
  const granted = new Map(grant.packages.map((line) => [line.package_id, line]));
  for (const { package_id, budget_minor, digest } of terms.packages) {
    const line = granted.get(package_id);
    granted.delete(package_id);
    if (line === undefined) found.push(`package ${package_id} is new`);
    else if (budget_minor > line.budget_minor) {
      found.push(`package ${package_id} has ${money(budget_minor)}, not ${money(line.budget_minor)}`);
    }
    if (line !== undefined && digest !== line.digest) {
      found.push(`the price, bid or targeting of package ${package_id} is another`);
    }
  }
  for (const package_id of granted.keys()) found.push(`package ${package_id} is gone`);
  return found;
}

/** By name: what a newer release stores beside these is no term of ours. */
function otherTermsOf(line: MediaBuyPackage) {
  const { product_id, pricing_option_id, pricing_model, price_minor, floor_minor, bid_price_minor } = line;
  const { targeting_overlay } = line;
  return { product_id, pricing_option_id, pricing_model, price_minor, floor_minor, bid_price_minor, targeting_overlay };
}

function digestOfTerms(terms: object): string {
  return canonicalDigest(terms);
}
