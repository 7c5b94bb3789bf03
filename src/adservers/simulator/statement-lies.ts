import { fromTimestamp, toTimestamp } from '../../platform/clock.ts';
import { DAY_MS, HOUR_MS } from '../../platform/hours.ts';
import type { Statement, StatementRow } from '../../sales/ad-server/statement.ts';
import type { LieControl } from './controls.ts';

const MINUTE_MS = 60_000;

/** The statement with its first row, or how far it reaches, made untrue in one way. Without rows there is nothing to spoil. Pure. */
export function spoiled(statement: Statement, lie: LieControl): Statement {
  if (lie === 'going_back') return { ...statement, complete_until: dayBefore(statement.complete_until) };
  const [first, ...others] = statement.rows;
  return first === undefined ? statement : { ...statement, rows: [...LIES[lie](first), ...others] };
}

const LIES: Record<Exclude<LieControl, 'going_back'>, (row: StatementRow) => StatementRow[]> = {
  negative: (row) => [{ ...row, counts: { ...row.counts, impressions: -row.counts.impressions - 1 } }],
  future: (row) => [row, { ...row, hour: moved(row.hour, 3650 * DAY_MS) }],
  foreign: (row) => [row, { ...row, package_id: `${row.package_id}_of_somebody_else` }],
  thousandfold: (row) => {
    const { impressions, clicks } = row.counts;
    const counts = { ...row.counts, impressions: impressions * 1000, clicks: clicks * 1000 };
    return [{ ...row, counts, ...(row.spend_minor !== undefined && { spend_minor: row.spend_minor * 1000 }) }];
  },
  misaligned: (row) => [{ ...row, hour: moved(row.hour, 17 * MINUTE_MS) }],
  clicks_over_impressions: (row) => [{ ...row, counts: { ...row.counts, clicks: row.counts.impressions + 1 } }],
};

function dayBefore(instants: Statement['complete_until']): Statement['complete_until'] {
  if (typeof instants === 'string') return moved(instants, -24 * HOUR_MS);
  return Object.fromEntries(Object.entries(instants).map(([id, instant]) => [id, moved(instant, -24 * HOUR_MS)]));
}

function moved(instant: string, byMs: number): string {
  return toTimestamp(fromTimestamp(instant) + byMs);
}
