import { z } from 'zod';
import type { TargetingProblem } from './problem.ts';

/** A length of time in the public protocol's form; `campaign` is the whole flight, once. */
const Duration = z
  .strictObject({
    interval: z.int().min(1, 'must be 1 or more').max(1_000_000, 'must be at most 1,000,000'),
    unit: z.enum(['minutes', 'hours', 'days', 'campaign']),
  })
  .refine(({ interval, unit }) => unit !== 'campaign' || interval === 1, {
    path: ['interval'],
    error: 'must be 1 for the unit campaign',
  });
type Duration = z.infer<typeof Duration>;

/**
 * How often one person may see the package, as a buyer sends it: at most `max_impressions` in a `window`, or one and then
 * none for the time of `suppress` (or `suppress_minutes`).
 */
export const FrequencyCapRequest = z
  .strictObject({
    max_impressions: z.int().min(1, 'must be 1 or more').max(1_000_000, 'must be at most 1,000,000').optional(),
    /** What counts as one: an ad server knows devices and cookies. */
    per: z.enum(['individuals', 'households', 'devices', 'accounts', 'cookies', 'custom']).optional(),
    window: Duration.optional(),
    suppress: Duration.optional(),
    suppress_minutes: z.int().min(1, 'must be 1 or more').max(1_000_000, 'must be at most 1,000,000').optional(),
  })
  .superRefine((cap, context) => {
    const { max_impressions, per, window, suppress, suppress_minutes } = cap;
    const note = (path: string[], message: string) => {
      context.addIssue({ code: 'custom', path, message });
    };
    if (max_impressions === undefined && suppress === undefined && suppress_minutes === undefined) {
      note([], 'send max_impressions with its window, or suppress');
    } else if (max_impressions === undefined && (window ?? per) !== undefined) {
      note(['max_impressions'], 'is required with window and per');
    }
    if (max_impressions !== undefined && window === undefined) note(['window'], 'is required with max_impressions');
    if (suppress !== undefined && suppress_minutes !== undefined) {
      note(['suppress_minutes'], 'says the same as suppress; send one of the two');
    }
  })
  .describe('max_impressions with its window, or suppress, or suppress_minutes; per goes with max_impressions.');
export type FrequencyCapRequest = z.infer<typeof FrequencyCapRequest>;

/** A cap as the ad server is told it: at most `max` impressions to one device in `per` units of time. */
export const FrequencyCap = z.strictObject({
  max: z.int().min(1),
  per: z.int().min(1),
  unit: z.enum(['minute', 'hour', 'day', 'week', 'month', 'lifetime']),
});
export type FrequencyCap = z.infer<typeof FrequencyCap>;

const UNITS = { minutes: 'minute', hours: 'hour', days: 'day', campaign: 'lifetime' } as const;

/** The one cap that an ad server holds. Of two that are sent, the count in a window. Pure. */
export function capOf(cap: FrequencyCapRequest): FrequencyCap | undefined {
  const { max_impressions, window, suppress, suppress_minutes } = cap;
  const once = suppress ?? (suppress_minutes === undefined ? undefined : minutes(suppress_minutes));
  const per = max_impressions === undefined ? once : window;
  return per && { max: max_impressions ?? 1, per: per.interval, unit: UNITS[per.unit] };
}

function minutes(interval: number): Duration {
  return { interval, unit: 'minutes' };
}

/** What of a cap no ad server can keep (rule B14). `at`: the cap's place in the request. Pure. */
export function capProblems(cap: FrequencyCapRequest, at: readonly PropertyKey[]): TargetingProblem[] {
  const problems: TargetingProblem[] = [];
  const { max_impressions, per, suppress, suppress_minutes } = cap;
  if (max_impressions !== undefined && (suppress ?? suppress_minutes) !== undefined) {
    const message = 'a package has one cap; send max_impressions with its window, or suppress';
    problems.push({ code: 'UNSUPPORTED_FEATURE', path: at, message });
  }
  if (per !== undefined && per !== 'devices' && per !== 'cookies') {
    const message = `cannot count by ${per}; send devices or cookies, or leave it out`;
    problems.push({ code: 'UNSUPPORTED_FEATURE', path: [...at, 'per'], message, suggestion: 'devices' });
  }
  return problems;
}
