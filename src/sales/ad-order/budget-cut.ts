import type { MediaBuy } from '../media-buy/media-buy.ts';
import type { OpenChange } from '../media-buy/open-change.ts';
import { withTerms } from '../media-buy/apply-change.ts';
import { holdingOf } from '../media-buy/holding.ts';

/**
 * The packages from which a change takes budget away, of those that may have delivered. What a flat fee costs is not counted,
 * so there is nothing to wait for. Pure.
 */
export function packagesCut(buy: MediaBuy, { change }: Pick<OpenChange, 'change'>): string[] {
  if (change === undefined || (holdingOf(buy)?.state ?? 'held') === 'held') return [];
  const after = new Map(withTerms(buy, change).packages.map((line) => [line.package_id, line.budget_minor]));
  return buy.packages.flatMap(({ package_id, pricing_model, budget_minor }) =>
    pricing_model !== 'flat-fee' && (after.get(package_id) ?? budget_minor) < budget_minor ? [package_id] : [],
  );
}

/** The buy with some packages paused, each by itself: the others go on. Pure. */
export function withPaused(buy: MediaBuy, package_ids: readonly string[]): MediaBuy {
  const packages = buy.packages.map((line) =>
    package_ids.includes(line.package_id) ? { ...line, paused: true } : line,
  );
  return { ...buy, packages };
}

/** Whether the ad server was told already that none of these packages is to deliver. Pure. */
export function areStill(buy: MediaBuy, package_ids: readonly string[]): boolean {
  if (holdingOf(buy)?.state !== 'running') return true;
  return buy.packages.every(({ package_id, paused }) => paused || !package_ids.includes(package_id));
}

/** Whether a buy's cut waits for what its packages have come to. Pure. */
export function awaitsCounts({ stop, open_change }: Pick<MediaBuy, 'stop' | 'open_change'>): boolean {
  return !stop && open_change?.order === null && (open_change.cut?.paused_at ?? null) !== null;
}
