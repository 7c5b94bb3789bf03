import { toTimestamp } from '../platform/clock.ts';
import { readHealth } from '../sales/impairment/impairment-view.ts';
import type { Impairment } from '../sales/impairment/impairment.ts';
import type { MediaBuy } from '../sales/media-buy/media-buy.ts';
import type { Notification } from '../webhooks/delivery/notification.ts';
import type { ReportingDependencies } from './dependencies.ts';
import { endedAt } from './flight-end.ts';
import { dueImpairments, impairmentNotification, untoldImpairments } from './impairment-notification.ts';
import { isLive } from './schedule.ts';
import type { BuyChannel, BuySchedule } from './schedule.ts';

/**
 * What the row becomes by the impairments that are to be told now; undefined when there are none. When the buy is over,
 * those that were raised or cleared before go first, and then there is silence (rule C.states.media-buys).
 */
export async function nextImpairments(
  deps: ReportingDependencies,
  row: BuySchedule,
  buy: MediaBuy,
): Promise<Partial<BuySchedule> | undefined> {
  const { media_buy_id } = buy;
  const nowMs = deps.clock.now();
  const untold = await untoldImpairments(deps.impairments, media_buy_id);
  const over = endedAt(buy);
  const due =
    over === undefined
      ? dueImpairments(untold, nowMs, deps.impairmentWindowMs)
      : untold.filter(({ untold_since }) => (untold_since ?? '') <= over);
  const channels = [row.push, row.reporting].filter(isLive);
  if (due.length > 0 && channels.length > 0 && row.flushed_at === null) {
    const health = (await readHealth(deps.impairments, [media_buy_id]))(media_buy_id);
    const unsent: BuySchedule['unsent'] = [];
    for (const impairment of due) {
      const given = { impairment, health, nowMs, idempotency_key: deps.ids.newId() };
      const news = await firstTold(channels, (one) => deps.inDialect(impairmentNotification(buy, one, given), buy));
      const { impairment_id, revision } = impairment;
      if (news !== undefined) unsent.push({ news, impairment: { impairment_id, revision } });
    }
    if (unsent.length > 0) return { unsent };
  }
  await silence(deps, over === undefined ? due : untold);
  return over === undefined || row.flushed_at !== null ? undefined : { flushed_at: toTimestamp(nowMs) };
}

/** What is told on the first of the channels whose dialect has a word for it: who registered both is told once. */
async function firstTold(
  channels: readonly BuyChannel[],
  tell: (channel: BuyChannel) => Promise<Notification | undefined>,
): Promise<Notification | undefined> {
  for (const channel of channels) {
    const told = await tell(channel);
    if (told !== undefined) return told;
  }
  return undefined;
}

/** Nobody hears of these states any more; they stay readable with the buy. */
export async function silence(
  { impairments }: Pick<ReportingDependencies, 'impairments'>,
  untold: readonly Impairment[],
): Promise<void> {
  for (const { impairment_id, revision } of untold) {
    await impairments.update(impairment_id, (row) =>
      row.revision === revision ? { ...row, untold_since: null } : undefined,
    );
  }
}
