import { toTimestamp } from '../../../src/platform/clock.ts';
import { HOUR_MS } from '../../../src/platform/hours.ts';
import type { MediaBuy } from '../../../src/sales/media-buy/media-buy.ts';
import type { Json } from '../../tasks/support/calls.ts';
import type { BuyerStep } from './step.ts';

type Of<Name extends BuyerStep['do']> = Extract<BuyerStep, { do: Name }>;

const HOOK = 'http://127.0.0.1:9/webhooks';
const COUNTRIES = ['US', 'CA', 'FR'];

/** A buyer's request as it is sent, with what of the world it is made of. */
export interface Sender {
  baseUrl: string;
  nowMs: number;
  /** Where webhooks go; default: nowhere that answers. */
  hook?: string;
}

export function creativeIdOf(n: number): string {
  return `banner-${n}`;
}

function creativeOf(n: number, mark: string, { baseUrl }: Sender): Json {
  const image = { url: `https://cdn.acme.example/${n}.png`, width: 300, height: 250 };
  const format_id = { agent_url: baseUrl, id: 'display_300x250' };
  return { creative_id: creativeIdOf(n), name: `Banner${mark}`, format_id, assets: { image } };
}

/** @param n how many buys were asked for before. */
export function createInput(step: Of<'create'>, n: number, sender: Sender): Json {
  const startMs = sender.nowMs + step.startsIn * HOUR_MS;
  const line = (i: number) => ({
    buyer_ref: `line-${i}`,
    product_id: 'gazette_run_of_site',
    pricing_option_id: 'ros_fixed_usd',
    budget: step.isLarge ? 12_000.5 : 4_000.25,
    ...(step.isTargeted && { targeting_overlay: { geo: { countries: ['US'] } } }),
    ...(step.creative !== null && { creatives: [creativeOf(step.creative, '', sender)] }),
  });
  const url = sender.hook ?? HOOK;
  return {
    buyer_ref: `walk-${n}${step.mark}`,
    brand_manifest: { name: 'Acme Outdoor', url: 'https://acme.example' },
    packages: Array.from({ length: step.lines }, (_, i) => line(i)),
    start_time: step.startsIn === 0 ? 'asap' : toTimestamp(startMs),
    end_time: toTimestamp(startMs + step.hours * HOUR_MS),
    ...(step.tells && {
      push_notification_config: { url, operation_id: `create-${n}` },
      reporting_webhook: { url, reporting_frequency: 'daily' },
    }),
  };
}

export function updateInput(step: Of<'update'>, buy: MediaBuy, { hook = HOOK }: Sender): Json {
  return {
    media_buy_id: buy.media_buy_id,
    updates: updatesOf(step, buy),
    ...(step.namesRevision && { revision: buy.revision }),
    push_notification_config: { url: hook, operation_id: 'update' },
  };
}

function updatesOf({ change, line, amount }: Of<'update'>, buy: MediaBuy): Json {
  const package_id = (buy.packages[line] ?? buy.packages[0])?.package_id ?? '';
  const money = amount / 100;
  switch (change) {
    case 'raise':
      return { budget_change: money };
    case 'raise_far':
      return { budget_change: 15_000 + money };
    case 'cut':
      return { budget_change: -money };
    case 'cut_line':
      return { packages: [{ package_id, budget: 2_500 + money }] };
    case 'pause':
      return { status: 'paused' };
    case 'resume':
      return { status: 'active' };
    case 'cancel':
      return { status: 'canceled' };
    case 'pause_line':
      return { packages: [{ package_id, paused: true }] };
    case 'resume_line':
      return { packages: [{ package_id, paused: false }] };
    case 'target':
      return { targeting: { geo: { countries: [COUNTRIES[amount % 3]] } } };
    case 'creatives':
      return { packages: [{ package_id, creative_ids: [creativeIdOf(amount % 5)] }] };
    case 'end_later':
      return { end_time: toTimestamp(Date.parse(buy.end_time) + ((amount % 12) - 3) * HOUR_MS) };
    case 'raise_and_pause':
      return { status: 'paused', budget_change: money };
    case 'webhook':
      return { reporting_webhook: { url: `${HOOK}/${amount}`, reporting_frequency: 'hourly' } };
  }
}

export function syncInput(step: Of<'sync'>, buy: MediaBuy | undefined, sender: Sender): Json {
  const package_ids = buy?.packages.map(({ package_id }) => package_id);
  return {
    creatives: [creativeOf(step.creative, step.mark, sender)],
    ...(package_ids && { assignments: { [creativeIdOf(step.creative)]: package_ids } }),
    ...(step.isDry && { dry_run: true }),
    push_notification_config: { url: sender.hook ?? HOOK, operation_id: 'sync' },
  };
}
