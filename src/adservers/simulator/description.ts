import type { AdLine } from '../../sales/ad-server/ad-order.ts';
import { Pacing } from '../../sales/ad-server/ad-order.ts';
import type { Description } from '../../sales/ad-server/description.ts';
import { AssetKind } from '../../sales/format/format.ts';
import { LineTargeting } from '../../sales/targeting/line-targeting.ts';

const DELIVERY_TYPES = ['guaranteed', 'non_guaranteed'];
/** How it is paid: the models that delivery can be played by. */
const PRICING_MODELS: readonly AdLine['pricing']['model'][] = ['cpm', 'cpm-auction', 'flat-fee'];
/** Noon hours are counted anew the next morning; and a day is what a person has to restate one. */
export const RESTATES_HOURS = 24;
/** Impressions a day that a product is said to have when its configuration does not say. */
const IMPRESSIONS_PER_DAY = 1_000_000;
export const MOST_LINES = 400;

/** What the simulated ad server can do. Targeting and frequency caps are kept, and change nothing of what is delivered. */
export function describeSimulator(clock_speed: number): Description {
  return {
    adapter: 'simulator',
    protocol: 1,
    clock_speed,
    currencies: 'any',
    pricing: PRICING_MODELS.map((model) => ({ model, delivery_types: DELIVERY_TYPES })),
    targeting: Object.fromEntries(LineTargeting.keyof().options.map((axis) => [axis, true as const])),
    cap_units: ['minute', 'hour', 'day', 'week', 'month', 'lifetime'],
    daily_cap: true,
    pacing: [...Pacing.options],
    creative_kinds: [...AssetKind.options],
    uploads_creatives: true,
    reviews_creatives: true,
    budget_cut: 'exact',
    approval: 'none',
    forecast: true,
    inventory: true,
    statements: {
      time_zone: 'UTC',
      offset_minutes: 0,
      delay_minutes: 0,
      restates_hours: RESTATES_HOURS,
      by_creative: false,
      spend: 'stated',
      metrics: ['impressions', 'clicks'],
    },
    limits: { calls_per_second: 1000, reports_per_hour: 1_000_000, lines_per_order: MOST_LINES },
    product_config_schema: {
      type: 'object',
      properties: { impressions_per_day: { type: 'integer', minimum: 0 } },
    },
  };
}

export function isPlayable(model: AdLine['pricing']['model']): boolean {
  return PRICING_MODELS.includes(model);
}

/** How many impressions a line's product has a day. */
export function impressionsPerDay({ config }: Pick<AdLine, 'config'>): number {
  const told = config['impressions_per_day'];
  return typeof told === 'number' && Number.isInteger(told) && told >= 0 ? told : IMPRESSIONS_PER_DAY;
}
