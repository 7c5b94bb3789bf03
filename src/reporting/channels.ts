import { fromTimestamp, toTimestamp } from '../platform/clock.ts';
import { kept } from '../runtime/context-text.ts';
import type { MediaBuy } from '../sales/media-buy/media-buy.ts';
import type { AskedBuyWebhooks } from '../tasks/buy-webhooks.ts';
import { buyChannel } from '../webhooks/registration/buy-channel.ts';
import { floorOf, stretchFrom } from './periods.ts';
import { isLive } from './schedule.ts';
import type { BuySchedule, BuyChannel, ReportingChannel } from './schedule.ts';

/** What the registrations of a buy's two channels are called; with the notification, it makes a delivery one. */
export const CHANNEL_IDS = { push: 'push_notification_config', reporting: 'reporting_webhook' } as const;

/** The row of a buy whose webhooks are set for the first time, with none yet. */
export function blankSchedule({ media_buy_id, organization_id }: MediaBuy): BuySchedule {
  return {
    ...{ media_buy_id, organization_id, due_at: null },
    ...{ push: null, reporting: null, stretches: [], reported_until: null, delayed_until: null, to_adjust: [] },
    ...{ corrections_seen: {}, sequence: 0, unsent: [], flushed_at: null, ended_at: null },
    ...{ lease_id: null, leased_until: null, revision: 1 },
  };
}

export interface Setting {
  /** The buy's revision after the request that sets the webhooks. */
  revision: number;
  asked: AskedBuyWebhooks;
  /** Now, by the wall clock, and where the flight stands. */
  nowMs: number;
  flightMs: number;
}

/**
 * The row with the webhooks that a request sets; undefined when it changes nothing, since a later one was quicker or
 * everything is told. Pure. What is made already keeps its old target.
 */
export function withWebhooks(row: BuySchedule, setting: Setting): BuySchedule | undefined {
  const { revision, asked, nowMs, flightMs } = setting;
  if (row.ended_at !== null) return undefined;
  const isNews = (channel: BuyChannel | null) => channel === null || channel.set_by_revision < revision;
  const push = isNews(row.push) ? asked.push : undefined;
  const reporting = isNews(row.reporting) ? asked.reporting_webhook : undefined;
  if (push === undefined && reporting === undefined) return undefined;
  const echoed = { ...kept(asked), set_by_revision: revision };
  // What impairs the buy is found by itself.
  const withPush: BuySchedule = push
    ? { ...row, push: { registration: { ...push, registration_id: CHANNEL_IDS.push }, ...echoed } }
    : row;
  if (reporting === undefined) return withPush;
  const { reporting_frequency, requested_metrics } = reporting;
  const channel: ReportingChannel = {
    registration: {
      ...buyChannel(reporting, CHANNEL_IDS.reporting, toTimestamp(nowMs)),
      ...(asked.dialect !== undefined && { dialect: asked.dialect }),
    },
    ...echoed,
    reporting_frequency,
    ...(requested_metrics && { requested_metrics: [...new Set(requested_metrics)] }),
    set_at: toTimestamp(flightMs),
  };
  return { ...withPush, due_at: toTimestamp(nowMs), reporting: channel, ...stretched(row, channel, flightMs) };
}

/** The cursors once the channel holds: what was reported is not again, and what is under way keeps its beginning. */
function stretched(
  row: BuySchedule,
  channel: ReportingChannel,
  flightMs: number,
): Partial<Pick<BuySchedule, 'stretches' | 'reported_until' | 'delayed_until'>> {
  const { stretches, reported_until, delayed_until } = row;
  const last = stretches.at(-1);
  if (last === undefined || reported_until === null || delayed_until === null) return {};
  const { reporting_frequency: frequency } = channel;
  if (isLive(row.reporting)) {
    if (last.frequency === frequency) return {};
    const next = stretchFrom(fromTimestamp(delayed_until), frequency, flightMs);
    return { stretches: [...stretches.filter(({ start }) => start !== next.start), next] };
  }
  // Nobody was there to hear of the time since the webhook ended.
  const startMs = Math.max(fromTimestamp(delayed_until), floorOf(flightMs, frequency));
  const next = stretchFrom(startMs, frequency, flightMs);
  const closed = { ...last, until: reported_until };
  const earlier = [...stretches.slice(0, -1), closed].filter(({ start }) => start !== next.start);
  return { stretches: [...earlier, next], reported_until: next.start, delayed_until: next.start };
}
