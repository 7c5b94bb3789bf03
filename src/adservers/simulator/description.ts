import type { AdLine } from '../../sales/ad-server/ad-order.ts';
import { Pacing } from '../../sales/ad-server/ad-order.ts';
import type { Description } from '../../sales/ad-server/description.ts';
import { INVENTORY_KIND } from '../../sales/ad-server/inventory.ts';
import type { InventoryItem } from '../../sales/ad-server/inventory.ts';
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

/** How late the counts of one are that cannot decide on a cut by itself. */
const LAG_MINUTES = 30;

/** What of the simulated ad server whoever runs it chooses. */
export interface SimulatorAbilities {
  /**
   * `exact` (default): refuses a budget below what is spent at that instant. `after_pause`: takes it, as real ones do, and counts
   * come half an hour late.
   */
  budgetCut?: Description['budget_cut'];
  /** Names of ad units, which are then what products must be made of; default: none, and products need none. */
  adUnits?: readonly string[];
}

/** How late counts come, in milliseconds of the flight. */
export function countsLagMs({ budgetCut }: SimulatorAbilities): number {
  return budgetCut === 'after_pause' ? LAG_MINUTES * 60_000 : 0;
}

/** What the simulated ad server can do. Targeting and frequency caps are kept, and change nothing of what is delivered. */
export function describeSimulator(clock_speed: number, abilities: SimulatorAbilities = {}): Description {
  const { budgetCut = 'exact', adUnits = [] } = abilities;
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
    budget_cut: budgetCut,
    approval: 'none',
    forecast: true,
    inventory: true,
    statements: {
      time_zone: 'UTC',
      offset_minutes: 0,
      delay_minutes: countsLagMs(abilities) / 60_000,
      restates_hours: RESTATES_HOURS,
      by_creative: false,
      spend: 'stated',
      metrics: ['impressions', 'clicks'],
    },
    limits: { calls_per_second: 1000, reports_per_hour: 1_000_000, lines_per_order: MOST_LINES },
    product_config_schema: {
      type: 'object',
      properties: {
        impressions_per_day: { type: 'integer', minimum: 0 },
        ...(adUnits.length > 0 && { ad_unit_ids: AD_UNIT_IDS }),
      },
    },
  };
}

const AD_UNIT_IDS = { type: 'array', items: { type: 'string', [INVENTORY_KIND]: 'ad_unit' } };

/** The ad units as inventory. */
export function inventoryOf({ adUnits = [] }: SimulatorAbilities): InventoryItem[] {
  return adUnits.map((native_id) => ({ kind: 'ad_unit', native_id, name: native_id, sizes: [], active: true }));
}

export function isPlayable(model: AdLine['pricing']['model']): boolean {
  return PRICING_MODELS.includes(model);
}

/** How many impressions a line's product has a day. */
export function impressionsPerDay({ config }: Pick<AdLine, 'config'>): number {
  const told = config['impressions_per_day'];
  return typeof told === 'number' && Number.isInteger(told) && told >= 0 ? told : IMPRESSIONS_PER_DAY;
}
