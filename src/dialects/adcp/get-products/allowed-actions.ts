import type { JsonObject } from '../../../platform/json-object.ts';
import { validActions } from '../../../sales/media-buy/buyer-actions.ts';
import { MediaBuyId } from '../../../sales/media-buy/media-buy-id.ts';
import { MediaBuyStatus } from '../../../sales/media-buy/media-buy.ts';
import type { PendingReason } from '../../../sales/media-buy/media-buy.ts';
import type { Product } from '../../../sales/product/product.ts';
import { isOfRelease, modeOf, PUBLIC_ACTIONS } from '../media-buys/public-actions.ts';
import type { PublicAction } from '../media-buys/public-actions.ts';
import type { Release } from '../release.ts';
import { publicBuyStatus } from '../statuses.ts';

/** What a product is told with, besides itself. */
export interface ProductFacts {
  release: Release;
  /** There are totals above which a person at the seller is asked. */
  hasApproval: boolean;
}

/**
 * What may be done with what is bought of a product, and as what a media buy stands then: nothing in 3.0. It says what media buys say of
 * themselves (`actionsTold`), of all in which they can stand. Pure.
 *
 * @param isCanonical for the lists of 3.2, which have names of their own, for what there is a task for.
 */
export function allowedActions(
  product: Pick<Product, 'pricing_options' | 'targeting'>,
  { release, hasApproval }: ProductFacts,
  isCanonical = false,
): JsonObject {
  if (release === '3.0') return {};
  const fitting = PUBLIC_ACTIONS.filter(
    (one) =>
      isOfRelease(one, release) &&
      isSold(one, product) &&
      (isCanonical ? one.task !== undefined && one.isOfBuysAlone !== true : one.isCanonical !== true),
  );
  const allowed_actions = fitting.map((one) => ({
    ...{ action: one.action, modes: modesOf(one, hasApproval) },
    allowed_statuses: statusesFor(one),
  }));
  return { allowed_actions };
}

function isSold(
  { needs }: PublicAction,
  { pricing_options, targeting }: Parameters<typeof allowedActions>[0],
): boolean {
  if (needs === undefined) return true;
  if (needs === 'frequency_cap') return targeting.frequency_cap;
  return pricing_options.some(({ pricing_model }) => pricing_model === 'cpm-auction');
}

function modesOf(one: PublicAction, hasApproval: boolean): string[] {
  return [modeOf(one, hasApproval)];
}

/** As what a buy can stand: it waits for something, or nothing is left to wait for. */
const WAITS: readonly (PendingReason | null)[] = ['creatives', 'start_time', null];
const ANY_BUY = MediaBuyId.parse('mb_any');

const STANDINGS = MediaBuyStatus.options.flatMap((status) =>
  WAITS.filter((reason) => (status === 'pending' ? reason !== null : status === 'paused' || reason === null)).map(
    (pending_reason) => {
      const buy = { media_buy_id: ANY_BUY, status, pending_reason, on_hold: null };
      const packages = [{ creative_ids: pending_reason === 'creatives' ? [] : ['one'] }];
      const ours = validActions(buy, { mayWait: true });
      return { ours, told: publicBuyStatus({ ...buy, packages }, () => false), hasBegun: pending_reason === null };
    },
  ),
);

function statusesFor({ of, isBeforeFlight }: PublicAction): string[] {
  const fitting = STANDINGS.filter(({ ours, hasBegun }) => ours.includes(of) && !(isBeforeFlight === true && hasBegun));
  return [...new Set(fitting.map(({ told }) => told))];
}
