import { fromTimestamp } from '../../platform/clock.ts';
import { floorHour } from '../../platform/hours.ts';
import type { StatementRow } from '../ad-server/statement.ts';

/** What an hour was counted to be; 0 where the ad server does not count it. */
export interface Counted {
  impressions: number;
  clicks: number;
  viewable: number;
  completions: number;
}

export interface StatedHour extends Counted {
  /** As stated; 0 where nothing is. */
  spend_minor: number;
  /** The ad server counts what became of the impressions. */
  isWatched: boolean;
}

export const UNCOUNTED: StatedHour = {
  ...{ impressions: 0, clicks: 0, viewable: 0, completions: 0 },
  ...{ spend_minor: 0, isWatched: false },
};

/** The hour of UTC that a row belongs to. */
export function hourOf({ hour }: Pick<StatementRow, 'hour'>): number {
  return floorHour(fromTimestamp(hour));
}

/** Rows by package and hour of UTC; those of an hour's creatives are added up. */
export function statedHours(rows: readonly StatementRow[]): ReadonlyMap<string, ReadonlyMap<number, StatedHour>> {
  const lines = new Map<string, Map<number, StatedHour>>();
  for (const row of rows) {
    const line = lines.get(row.package_id) ?? new Map<number, StatedHour>();
    lines.set(row.package_id, line);
    line.set(hourOf(row), sumOf(line.get(hourOf(row)) ?? UNCOUNTED, row));
  }
  return lines;
}

function sumOf(sum: StatedHour, { counts, spend_minor = 0 }: StatementRow): StatedHour {
  const { impressions, clicks, viewable, completions } = counts;
  return {
    impressions: sum.impressions + impressions,
    clicks: sum.clicks + clicks,
    viewable: sum.viewable + (viewable ?? 0),
    completions: sum.completions + (completions ?? 0),
    spend_minor: sum.spend_minor + spend_minor,
    isWatched: sum.isWatched || viewable !== undefined || completions !== undefined,
  };
}
