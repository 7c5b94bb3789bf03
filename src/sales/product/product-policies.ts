import { z } from 'zod';

/** As the public protocol writes a length of time; of a notice, the shortest that it knows. */
const AtOnce = z.strictObject({
  interval: z.literal(1, 'must be 1: a cancellation takes hold at once here, and no notice is waited for'),
  unit: z.literal('seconds', 'must be seconds: a cancellation takes hold at once here, and no notice is waited for'),
});

/**
 * What canceling costs, as the public protocol writes it. A cancellation takes hold at once here and ends what is billed, so nothing else
 * can be said: whoever reads of a notice or a fee would count on it.
 */
export const CancellationPolicy = z.strictObject({
  notice_period: AtOnce,
  cancellation_fee: z.strictObject({
    type: z.literal('none', 'must be none: nothing is billed for a cancellation here; leave cancellation_policy out'),
  }),
});
export type CancellationPolicy = z.infer<typeof CancellationPolicy>;

/**
 * What creatives must be beyond their format, as the public protocol writes it. Nothing of it is judged here, so only that which asks
 * nothing can be said.
 */
export const CreativePolicy = z.strictObject({
  co_branding: z.enum(['optional', 'none'], 'must be optional or none: no creative is held to a brand of the seller’s'),
  landing_page: z.literal('any', 'must be any: creatives are not held to where they lead'),
  templates_available: z.literal(false, 'must be false: no templates are served here'),
  provenance_required: z.literal(false, 'must be false: creatives are not held to where they come from').optional(),
});
export type CreativePolicy = z.infer<typeof CreativePolicy>;
