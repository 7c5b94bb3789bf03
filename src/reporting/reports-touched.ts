import type { MediaBuy } from '../sales/media-buy/media-buy.ts';
import { isTerminalBuy } from '../sales/media-buy/transitions.ts';
import { isLive, REPORTING_IN_BUY, scheduleIn } from './schedule.ts';

/**
 * The buy whose flight has come further, with its webhooks looked at in a moment where that may have to be told: one that hears no
 * reports hears of nothing but its end. Pure.
 * @param now The wall clock's time.
 */
export function withReportsTouched(buy: MediaBuy, now: string): MediaBuy {
  const row = scheduleIn(buy);
  // What cannot be read holds up no flight.
  if (row === undefined || row === null || row instanceof Error || row.ended_at !== null) return buy;
  if (row.due_at !== null && row.due_at <= now) return buy;
  if (!isLive(row.reporting) && !isTerminalBuy(buy.status)) return buy;
  return REPORTING_IN_BUY.write(buy, { ...row, due_at: now, revision: row.revision + 1 });
}
