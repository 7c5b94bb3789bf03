import { z } from 'zod';
import { toTimestamp } from '../../platform/clock.ts';
import type { Clock } from '../../platform/clock.ts';
import { eachAtOnce } from '../../platform/each-at-once.ts';
import { DAY_MS, HOUR_MS } from '../../platform/hours.ts';
import type { OrganizationId } from '../../platform/organization-id.ts';
import type { Collection } from '../../platform/store/collection.ts';
import { DeliveryState } from '../delivery/delivery.ts';
import type { Delivery } from '../delivery/delivery.ts';

/** How far back is counted: 24 hours by the hour, or 30 days by the day. */
export const SUCCESS_RANGES = ['day', 'month'] as const;
export const SuccessRange = z.enum(SUCCESS_RANGES);
export type SuccessRange = z.infer<typeof SuccessRange>;

const STEPS: Record<SuccessRange, { stepMs: number; count: number }> = {
  day: { stepMs: HOUR_MS, count: 24 },
  month: { stepMs: DAY_MS, count: 30 },
};

/** Of one state in one step, so many are counted and no more. */
const MOST = 10_000;

/** What became of an organization's webhooks, by when their events were recorded. */
export const Success = z.object({
  range: SuccessRange,
  step_seconds: z.int(),
  most: z.int().describe('Of one state in one step so many are counted: that number means so many or more'),
  points: z
    .array(
      z.object({
        at: z.string().describe('The first instant of the step, in UTC'),
        deliveries: z.record(DeliveryState, z.int()).describe('How many there are of each state now'),
      }),
    )
    .describe('Oldest first; the last step is the one that it is now'),
});
export type Success = z.infer<typeof Success>;

/** Counts an organization's deliveries of 24 hours or 30 days in an index, without reading them. */
export async function successOf(
  { deliveries, clock }: { deliveries: Collection<Delivery>; clock: Clock },
  organization_id: OrganizationId,
  range: SuccessRange,
): Promise<Success> {
  const { stepMs, count } = STEPS[range];
  const first = Math.floor(clock.now() / stepMs - count + 1) * stepMs;
  const starts = Array.from({ length: count }, (_, i) => first + i * stepMs);
  const counted = (state: DeliveryState, from: number, until: number, most: number) =>
    deliveries.count(
      { organization_id, state, created_at: { gte: toTimestamp(from), lt: toTimestamp(until) } },
      { most },
    );
  const points = starts.map((at) => ({ at: toTimestamp(at), deliveries: { ...NONE } }));
  for (const state of DeliveryState.options) {
    if ((await counted(state, first, first + count * stepMs, 1)) === 0) continue;
    await eachAtOnce(points, AT_ONCE, async (point) => {
      const from = Date.parse(point.at);
      point.deliveries[state] = await counted(state, from, from + stepMs, MOST);
    });
  }
  return { range, step_seconds: stepMs / 1000, most: MOST, points };
}

const AT_ONCE = 6;
const NONE = Object.fromEntries(DeliveryState.options.map((state) => [state, 0])) as Record<DeliveryState, number>;
