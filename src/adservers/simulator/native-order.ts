import { z } from 'zod';
import { AdLine } from '../../sales/ad-server/ad-order.ts';
import type { SimulatedLine } from './simulated-order.ts';

/** A line as it stands in the simulated ad server. */
export const NativeLine = AdLine.omit({ state: true }).extend({
  /** `idle`: made, and never released. */
  state: z.enum(['idle', 'running', 'paused', 'ended']),
  /** A person has brought it into this state. */
  by_hand: z.boolean(),
  /** What chance is drawn by, so that the same campaign delivers the same whatever ids it has. */
  seed: z.string(),
  /** Of a line of 0.1.0, which kept no creatives: whether it had any. Goes with the first version that is put. */
  had_creatives: z.boolean().optional(),
});
export type NativeLine = z.infer<typeof NativeLine>;

/** An order as it stands in the simulated ad server. What runs has been released. */
export const NativeOrder = z.strictObject({
  name: z.string(),
  start: z.string(),
  end: z.string(),
  state: z.enum(['held', 'running', 'paused', 'ended']),
  lines: z.array(NativeLine),
  /** Creatives that may not be shown, as `id@version`: the ad server's review has not approved them. */
  unapproved: z.array(z.string()),
});
export type NativeOrder = z.infer<typeof NativeOrder>;

/** A version of a creative in few words. */
export function creativeVersion({ creative_id, version }: { creative_id: string; version: number }): string {
  return `${creative_id}@${version}`;
}

/** The creatives of a line that may be shown. */
export function shownCreatives(line: NativeLine, { unapproved }: Pick<NativeOrder, 'unapproved'>) {
  return line.creatives.filter((creative) => !unapproved.includes(creativeVersion(creative)));
}

/** The line in the words in which delivery is played. */
export function playedLine(line: NativeLine, order: NativeOrder): SimulatedLine {
  const { package_id, seed, budget_minor, pricing, start, end, pacing, daily_cap_minor, state } = line;
  const hasCreatives = line.had_creatives ?? shownCreatives(line, order).length > 0;
  return {
    ...{ package_id, seed, budget_minor, rate_minor: pricing.rate_minor },
    pricing_model: pricing.model === 'cpm-auction' || pricing.model === 'flat-fee' ? pricing.model : 'cpm',
    is_serving: state === 'running' && hasCreatives,
    ...(start !== order.start && { start_time: start }),
    ...(end !== order.end && { end_time: end }),
    ...(pacing !== 'even' && { pacing }),
    ...(daily_cap_minor !== undefined && { daily_cap_minor }),
  };
}
