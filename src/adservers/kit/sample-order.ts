import { randomUUID } from 'node:crypto';
import { toTimestamp } from '../../platform/clock.ts';
import { DAY_MS } from '../../platform/hours.ts';
import { impressionsFor } from '../../platform/money.ts';
import type { AdCreative, AdLine, AdOrder } from '../../sales/ad-server/ad-order.ts';
import type { Description } from '../../sales/ad-server/description.ts';
import { orderDigestOf } from '../../sales/ad-server/order-digest.ts';
import { MediaBuyId } from '../../sales/media-buy/media-buy-id.ts';

/** What the kit's orders are made of where an ad server does not take anything: each has a default. */
export interface KitTerms {
  /** Of `AdOrder.ad_server_id`; default `default`. */
  ad_server_id?: string;
  advertiser?: AdOrder['advertiser'];
  /** Default: USD if it is sold, else the first that the description names. */
  currency?: string;
  product_id?: string;
  /** The product's `implementation_config`; default: empty. */
  config?: AdLine['config'];
  /** Default: 5.00 per thousand if `cpm` is described, else the first model that is. */
  pricing?: AdLine['pricing'];
  delivery_type?: AdLine['delivery_type'];
  /** Minor units; default 1,000.00. Large enough that a line does not spend it within six hours of a flight of 30 days. */
  budget_minor?: number;
  /** What a creative is made of; default: an image of 300x250 of the first described kind. */
  creative?: Partial<Pick<AdCreative, 'kind' | 'width' | 'height' | 'duration_ms' | 'assets' | 'click_url' | 'config'>>;
}

/** What an order is before it has a version and a digest. */
export type UnsealedOrder = Omit<AdOrder, 'version' | 'digest'>;

/** The order under a version. Pure. */
export function sealed(order: UnsealedOrder & Partial<AdOrder>, version: number): AdOrder {
  return { ...order, version, digest: orderDigestOf(order) };
}

/** The next version of an order, with some of it otherwise. Pure. */
export function nextVersion(order: AdOrder, changes: Partial<UnsealedOrder> = {}): AdOrder {
  return sealed({ ...order, ...changes }, order.version + 1);
}

/** The order with one line otherwise, in the same version: for `nextVersion`. Pure. */
export function withLine(order: AdOrder, index: number, changes: Partial<AdLine>): Pick<AdOrder, 'lines'> {
  return { lines: order.lines.map((line, i) => (i === index ? { ...line, ...changes } : line)) };
}

/** A new order of one line a creative set, in the state `running`, that begins now and takes thirty days. */
export function sampleOrder(
  description: Description,
  terms: KitTerms,
  { nowMs, creatives, lines = 1 }: { nowMs: number; creatives: AdLine['creatives']; lines?: number },
): UnsealedOrder {
  const id = randomUUID();
  const [created_at, end] = [toTimestamp(nowMs), toTimestamp(nowMs + 30 * DAY_MS)];
  return {
    media_buy_id: MediaBuyId.parse(`kit_${id}`),
    created_at,
    ad_server_id: terms.ad_server_id ?? 'default',
    advertiser: sampleAdvertiser(terms),
    name: `conformance ${id}`,
    currency: terms.currency ?? sampleCurrency(description),
    start: created_at,
    end,
    state: 'running',
    lines: Array.from({ length: lines }, (_, i) =>
      sampleLine(description, terms, { package_id: `kit_${id}_${i + 1}`, start: created_at, end, creatives }),
    ),
  };
}

/** A line for an order; its goal is what the budget buys. */
function sampleLine(
  description: Description,
  terms: KitTerms,
  own: Pick<AdLine, 'package_id' | 'start' | 'end' | 'creatives'>,
): AdLine {
  const { model, delivery_types } = described(description);
  const pricing = terms.pricing ?? { model, rate_minor: model === 'flat-fee' ? 100_000 : 500 };
  return priced(
    {
      ...own,
      name: `line ${own.package_id}`,
      product_id: terms.product_id ?? 'kit_product',
      delivery_type: terms.delivery_type ?? (delivery_types.includes('guaranteed') ? 'guaranteed' : 'non_guaranteed'),
      config: terms.config ?? {},
      pricing,
      budget_minor: 0,
      pacing: description.pacing.includes('even') ? 'even' : 'asap',
      state: 'running',
      targeting: {},
    },
    pricing,
    terms.budget_minor ?? 100_000,
  );
}

/** The line at another price or budget, with the goal that follows from them. Pure. */
export function priced(line: AdLine, pricing: AdLine['pricing'], budget_minor: number): AdLine {
  const { goal: _goal, ...rest } = line;
  const unit = GOAL_UNITS[pricing.model];
  if (unit === undefined) return { ...rest, pricing, budget_minor };
  const { rate_minor } = pricing;
  const units = unit.per === 1000 ? impressionsFor(budget_minor, rate_minor) : Math.floor(budget_minor / rate_minor);
  return { ...rest, pricing, budget_minor, goal: { unit: unit.unit, units } };
}

type Goal = NonNullable<AdLine['goal']>;

/** What a budget buys, and for how many the rate is. */
const GOAL_UNITS: Record<AdLine['pricing']['model'], { unit: Goal['unit']; per: 1 | 1000 } | undefined> = {
  cpm: { unit: 'impressions', per: 1000 },
  'cpm-auction': { unit: 'impressions', per: 1000 },
  vcpm: { unit: 'viewable', per: 1000 },
  cpc: { unit: 'clicks', per: 1 },
  cpcv: { unit: 'completions', per: 1 },
  'flat-fee': undefined,
};

/** A creative that no ad server has seen. */
export function sampleCreative(description: Description, terms: KitTerms): AdCreative {
  const creative_id = `kit_creative_${randomUUID()}`;
  const { organization_id } = sampleAdvertiser(terms);
  return {
    organization_id,
    creative_id,
    version: 1,
    name: `conformance ${creative_id}`,
    kind: description.creative_kinds[0] ?? 'image',
    width: 300,
    height: 250,
    assets: { image: { url: `https://creatives.example/${creative_id}.png`, width: 300, height: 250 } },
    click_url: 'https://advertiser.example/',
    advertiser: sampleAdvertiser(terms),
    config: {},
    ...terms.creative,
  };
}

function sampleAdvertiser(terms: KitTerms): AdOrder['advertiser'] {
  return terms.advertiser ?? { organization_id: 'org_kit', name: 'Conformance', domain: 'advertiser.example' };
}

function sampleCurrency({ currencies }: Description): string {
  return currencies === 'any' || currencies.includes('USD') ? 'USD' : (currencies[0] ?? 'USD');
}

/** The model to sell by when nothing else is asked: `cpm` if there is one. */
function described({ pricing }: Description): { model: AdLine['pricing']['model']; delivery_types: string[] } {
  const known = pricing.flatMap(({ model, delivery_types }) =>
    model in GOAL_UNITS ? [{ model: model as AdLine['pricing']['model'], delivery_types }] : [],
  );
  return known.find(({ model }) => model === 'cpm') ?? known[0] ?? { model: 'cpm', delivery_types: ['guaranteed'] };
}
