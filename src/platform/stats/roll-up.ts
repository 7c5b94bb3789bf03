import { fromTimestamp, toTimestamp } from '../clock.ts';
import type { Clock } from '../clock.ts';
import { DAY_MS, floorHour, HOUR_MS } from '../hours.ts';
import type { Collection, Store } from '../store/collection.ts';
import { StatSpans, addedUp } from './stat-span.ts';
import type { StatSpan } from './stat-span.ts';

/** How long an hour is kept, in milliseconds. */
const KEPT_MS = 90 * DAY_MS;

/** After its end an hour is left open for so long, for processes whose store was away; what comes later is in no hour. */
export const OPEN_MS = 5 * 60_000;

/**
 * Makes one row of each hour that is over, from those of its minutes. Safe to repeat, and for two at once: the hour's id is the
 * hour, so that one row is there.
 */
export async function rollUpHours({ store, clock }: { store: Store; clock: Clock }): Promise<void> {
  const spans = store.collection(StatSpans);
  const untilMs = floorHour(clock.now() - OPEN_MS);
  let fromMs = await hoursEnd(spans);
  for (;;) {
    const [next] = await spansOf(spans, 'minute', { fromMs, untilMs, limit: 1 });
    if (next === undefined) return;
    const atMs = floorHour(fromTimestamp(next.at));
    const minutes = await spansOf(spans, 'minute', { fromMs: atMs, untilMs: atMs + HOUR_MS });
    const at = toTimestamp(atMs);
    await spans.insert({
      ...{ stat_id: `hour ${at}`, span: 'hour', at, ...addedUp(minutes) },
      ...{ expires_at: toTimestamp(atMs + KEPT_MS), revision: 1 },
    });
    fromMs = atMs + HOUR_MS;
  }
}

/** The end of the last hour that has its row, in milliseconds; 0 where none has. */
export async function hoursEnd(spans: Collection<StatSpan>): Promise<number> {
  const { rows } = await spans.find({ where: { span: 'hour' }, sort: { field: 'at', direction: 'desc' }, limit: 1 });
  return rows[0] === undefined ? 0 : fromTimestamp(rows[0].at) + HOUR_MS;
}

/** Those that begin within a time, oldest first. @param limit default: all. */
export async function spansOf(
  spans: Collection<StatSpan>,
  span: StatSpan['span'],
  { fromMs, untilMs, limit = Infinity }: { fromMs: number; untilMs: number; limit?: number },
): Promise<StatSpan[]> {
  const found: StatSpan[] = [];
  let after: string | undefined;
  do {
    const { rows, cursor } = await spans.find({
      where: { span, at: { gte: toTimestamp(fromMs), lt: toTimestamp(untilMs) } },
      sort: { field: 'at', direction: 'asc' },
      limit: Math.min(1_000, limit),
      ...(after !== undefined && { after }),
    });
    found.push(...rows);
    after = cursor;
  } while (after !== undefined && found.length < limit);
  return found;
}
