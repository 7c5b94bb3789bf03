import { DAY_MS, HOUR_MS } from '../../platform/hours.ts';

/** The lengths of a timeseries' steps that are on offer (rule B10). */
export const GRANULARITIES = ['hourly', 'daily', 'monthly'] as const;
export type Granularity = (typeof GRANULARITIES)[number];

/** A step of a timeseries in milliseconds: from its first instant, up to but without its end. */
export interface Step {
  fromMs: number;
  untilMs: number;
}

/** The steps of UTC that a range is made of, the first and the last cut to it. */
export function stepsIn({ fromMs, untilMs }: Step, granularity: Granularity): Step[] {
  const steps: Step[] = [];
  for (let atMs = fromMs; atMs < untilMs;) {
    const nextMs = Math.min(untilMs, nextStart(atMs, granularity));
    steps.push({ fromMs: atMs, untilMs: nextMs });
    atMs = nextMs;
  }
  return steps;
}

/** The first instant of UTC after this one at which a step of this length begins. */
export function nextStart(ms: number, granularity: Granularity): number {
  if (granularity === 'hourly') return (Math.floor(ms / HOUR_MS) + 1) * HOUR_MS;
  if (granularity === 'daily') return (Math.floor(ms / DAY_MS) + 1) * DAY_MS;
  const date = new Date(ms);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1);
}
