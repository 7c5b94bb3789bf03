import { fromTimestamp } from '../../platform/clock.ts';
import { HOUR_MS } from '../../platform/hours.ts';
import type { AdOrder } from '../../sales/ad-server/ad-order.ts';
import type { Statement } from '../../sales/ad-server/statement.ts';
import { CannotStage, demand } from './demand.ts';
import { at } from './stage.ts';
import type { Stage } from './stage.ts';

const MINUTE_MS = 60_000;
const MOST_PAGES = 1000;

/** All pages of a statement as one. */
export interface Stated {
  rows: Statement['rows'];
  /** Up to where every bucket of this buy has come. */
  completeUntilMs(order: Pick<AdOrder, 'media_buy_id'>): number;
  /** Before when nothing will be restated; undefined: everything may be. */
  finalUntilMs(order: Pick<AdOrder, 'media_buy_id'>): number | undefined;
}

/**
 * What the ad server states of some orders in a time, all pages; demands that every row is of a bucket that was asked for, on
 * the described grain, and comes once.
 */
export async function stated(
  { adServer, description }: Stage,
  orders: readonly AdOrder[],
  { fromMs, untilMs }: { fromMs: number; untilMs: number },
): Promise<Stated> {
  const { pages, last } = await statedPages(adServer, orders, { fromMs, untilMs });
  const rows = pages.flatMap((page) => page.rows);
  const seen = new Set<string>();
  const { offset_minutes, by_creative, spend } = description.statements;
  for (const row of rows) {
    const hourMs = fromTimestamp(row.hour);
    const order = orders.find(({ media_buy_id }) => media_buy_id === row.media_buy_id);
    demand(order !== undefined, 'statements', 'rows of the buys that were asked for', row);
    const packages = order.lines.map(({ package_id }) => package_id);
    demand(packages.includes(row.package_id), 'statements', `one of the packages ${packages.join(', ')}`, row);
    demand(hourMs >= fromMs && hourMs < untilMs, 'statements', `buckets in ${at(fromMs)}..${at(untilMs)}`, row);
    const isOnGrain = (hourMs - offset_minutes * MINUTE_MS) % HOUR_MS === 0;
    demand(isOnGrain, 'statements', `buckets that begin ${offset_minutes} minutes after an hour of UTC`, row);
    demand(by_creative || row.creative_id === undefined, 'statements', 'no creatives, as described', row);
    demand(spend !== 'stated' || row.spend_minor !== undefined, 'statements', 'the spend, as described', row);
    const { impressions, clicks } = row.counts;
    const areCounts = impressions >= 0 && clicks >= 0 && clicks <= impressions;
    demand(areCounts, 'statements', 'counts of zero and above, clicks within impressions', row);
    const key = JSON.stringify([row.media_buy_id, row.package_id, row.creative_id, row.hour]);
    demand(!seen.has(key), 'statements', 'each hour of a line once', row);
    seen.add(key);
  }
  const instantOf = (
    value: string | Record<string, string> | undefined,
    { media_buy_id }: { media_buy_id: string },
  ) => {
    const instant = typeof value === 'object' ? value[media_buy_id] : value;
    return instant === undefined ? undefined : fromTimestamp(instant);
  };
  return {
    rows,
    completeUntilMs: (order) => {
      const ms = instantOf(last.complete_until, order);
      demand(ms !== undefined, 'statements', 'complete_until of every buy that was asked for', last.complete_until);
      return ms;
    },
    finalUntilMs: (order) => instantOf(last.final_until, order),
  };
}

/** Every page as it came, nothing demanded but that they end. */
export async function statedPages(
  adServer: Stage['adServer'],
  orders: readonly Pick<AdOrder, 'media_buy_id'>[],
  { fromMs, untilMs }: { fromMs: number; untilMs: number },
): Promise<{ pages: Statement[]; last: Statement }> {
  const query = { media_buy_ids: orders.map(({ media_buy_id }) => media_buy_id), from: at(fromMs), until: at(untilMs) };
  const pages: Statement[] = [];
  let last = await adServer.statements(query);
  for (pages.push(last); last.cursor !== undefined; pages.push(last)) {
    demand(pages.length < MOST_PAGES, 'statements', `an end within ${MOST_PAGES} pages`, pages.length);
    last = await adServer.statements({ ...query, cursor: last.cursor });
  }
  return { pages, last };
}

/** What rows come to together. Pure. */
export function totalOf(rows: Statement['rows']): { impressions: number; clicks: number; spend_minor: number } {
  return rows.reduce(
    (sum, { counts, spend_minor = 0 }) => ({
      impressions: sum.impressions + counts.impressions,
      clicks: sum.clicks + counts.clicks,
      spend_minor: sum.spend_minor + spend_minor,
    }),
    { impressions: 0, clicks: 0, spend_minor: 0 },
  );
}

/** What an order has been stated so far, from its beginning to now. */
export async function statedOf(stage: Stage, order: AdOrder): Promise<Statement['rows']> {
  const fromMs = fromTimestamp(order.created_at) - 2 * HOUR_MS;
  const { rows } = await stated(stage, [order], { fromMs, untilMs: Math.max(fromMs + HOUR_MS, stage.flightMs(order)) });
  return rows;
}

/** What rows of a line come to in minor units: as stated, or by its price where the caller computes. Pure. */
export function spendOf(
  { description }: Pick<Stage, 'description'>,
  rows: readonly Pick<Statement['rows'][number], 'counts' | 'spend_minor'>[],
  { pricing: { model, rate_minor } }: Pick<AdOrder['lines'][number], 'pricing'>,
): number {
  if (description.statements.spend === 'stated') return rows.reduce((sum, { spend_minor = 0 }) => sum + spend_minor, 0);
  return costOfCounts(rows, { model, rate_minor });
}

/** What counts cost in minor units, by the line's price. Pure. */
export function costOfCounts(
  rows: readonly Pick<Statement['rows'][number], 'counts'>[],
  { model, rate_minor }: AdOrder['lines'][number]['pricing'],
): number {
  const unitsOf: Partial<Record<typeof model, (counts: Statement['rows'][number]['counts']) => number>> = {
    cpm: ({ impressions }) => impressions / 1000,
    'cpm-auction': ({ impressions }) => impressions / 1000,
    vcpm: ({ viewable = 0 }) => viewable / 1000,
    cpc: ({ clicks }) => clicks,
    cpcv: ({ completions = 0 }) => completions,
  };
  const units = unitsOf[model];
  if (units === undefined) throw new CannotStage(`what ${model} spends can not be computed from counts`);
  return rows.reduce((sum, { counts }) => sum + units(counts) * rate_minor, 0);
}
