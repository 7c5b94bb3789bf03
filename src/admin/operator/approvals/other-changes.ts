import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { formatMoney } from '../../../platform/money.ts';
import type { Approval } from '../../../sales/approval/approval.ts';
import { creativeIdOf } from '../../../sales/creative/creative-ref.ts';
import { MediaBuyStatus } from '../../../sales/media-buy/media-buy.ts';
import type { MediaBuy } from '../../../sales/media-buy/media-buy.ts';
import type { MediaBuyPackage } from '../../../sales/media-buy/media-buy-package.ts';
import { overlayFor } from '../../../tasks/update-media-buy/retarget.ts';

const Overlay = z.record(z.string(), z.unknown());
const from = <T extends z.ZodType>(value: T) => z.object({ before: value, after: value }).optional();

/** What an update would change besides dates and money, as its request says; what stays as it is has no field. */
export const OtherChangesView = z.object({
  /** Of the whole media buy. */
  status: z.object({ before: MediaBuyStatus, after: z.enum(['active', 'paused', 'canceled']) }).optional(),
  packages: z.array(
    z.object({
      package_id: z.string(),
      product_name: z.string(),
      /** It has no such package yet. */
      is_new: z.boolean(),
      paused: from(z.boolean()),
      /** A decimal of the buy's currency; null: it has none. */
      bid_price: from(z.number().nullable()),
      /** Null: it aims at nothing. */
      targeting_overlay: from(Overlay.nullable()),
      /** As the buyer calls them. */
      creative_ids: from(z.array(z.string())),
    }),
  ),
});
export type OtherChangesView = z.infer<typeof OtherChangesView>;

/** Of a stored request; one of 0.1.0 may have more, and is read all the same. */
const Asked = z.object({
  status: z.enum(['active', 'paused', 'canceled']).optional(),
  targeting: Overlay.optional(),
  packages: z
    .array(
      z.object({
        package_id: z.string(),
        ...{ bid_price: z.number().optional(), paused: z.boolean().optional() },
        targeting_overlay: Overlay.optional(),
        creative_ids: z.array(z.string()).optional(),
        creatives: z.array(z.object({ creative_id: z.string() })).optional(),
      }),
    )
    .optional(),
});

/** What of a package may change besides its money. */
interface Terms {
  paused: boolean;
  bid_price: number | null;
  targeting_overlay: Record<string, unknown> | null;
  creative_ids: string[];
}

/** Null where the request does not say, in words that are read here. Pure. */
export function otherChanges(
  buy: MediaBuy,
  { request, new_packages = [] }: Pick<Approval, 'request' | 'new_packages'>,
): OtherChangesView | null {
  const { success, data: asked } = Asked.safeParse(request['updates']);
  if (!success) return null;
  const stand = buy.packages.map((line) => {
    const before = termsOf(line, buy.currency);
    return changesOf(line, before, askedOf(line, before, asked));
  });
  const added = new_packages.map((line) => ({
    ...changesOf(line, NONE, termsOf(line, buy.currency)),
    is_new: true,
  }));
  return {
    ...(asked.status !== undefined &&
      asked.status !== buy.status && { status: { before: buy.status, after: asked.status } }),
    packages: [...stand, ...added].filter((one) => Object.keys(one).length > UNCHANGED_FIELDS),
  };
}

/** What a package has that is not there. */
const NONE: Terms = { paused: false, bid_price: null, targeting_overlay: null, creative_ids: [] };

/** Those that name a package. */
const UNCHANGED_FIELDS = 3;

function termsOf(
  { paused, bid_price_minor, targeting_overlay, creative_ids }: MediaBuyPackage,
  currency: string,
): Terms {
  const bid_price = bid_price_minor === null ? null : formatMoney(bid_price_minor, currency);
  return { paused, bid_price, targeting_overlay, creative_ids: creative_ids.map(creativeIdOf) };
}

function askedOf(line: MediaBuyPackage, before: Terms, asked: z.infer<typeof Asked>): Terms {
  const own = asked.packages?.find(({ package_id }) => package_id === line.package_id);
  const named = own?.creative_ids ?? before.creative_ids;
  return {
    paused: own?.paused ?? before.paused,
    bid_price: own?.bid_price ?? before.bid_price,
    targeting_overlay: overlayFor(line, asked) ?? before.targeting_overlay,
    creative_ids: [...new Set([...named, ...(own?.creatives ?? []).map(({ creative_id }) => creative_id)])],
  };
}

function changesOf(
  { package_id, product_name }: MediaBuyPackage,
  before: Terms,
  after: Terms,
): OtherChangesView['packages'][number] {
  const changed = <F extends keyof Terms>(field: F, isSame: boolean) =>
    !isSame && { [field]: { before: before[field], after: after[field] } };
  return {
    ...{ package_id, product_name, is_new: false },
    ...changed('paused', before.paused === after.paused),
    ...changed('bid_price', before.bid_price === after.bid_price),
    ...changed('targeting_overlay', isDeepStrictEqual(before.targeting_overlay ?? {}, after.targeting_overlay ?? {})),
    ...changed('creative_ids', isDeepStrictEqual(before.creative_ids.toSorted(), after.creative_ids.toSorted())),
  };
}
