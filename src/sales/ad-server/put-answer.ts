import { z } from 'zod';
import { AdInstant, Minor } from './port-values.ts';
import { LineState } from './line-state.ts';
import { Native } from './native.ts';

/** Why an ad server cannot run an order so, in the seller's words for it. */
export const ReasonCode = z.enum([
  'no_inventory',
  'budget_below_spend',
  'targeting',
  'pricing',
  'format',
  'creative',
  'frequency_cap',
  'pacing',
  'dates',
  'advertiser',
  'product_config',
  'policy',
  'limit',
  'other',
]);
export type ReasonCode = z.infer<typeof ReasonCode>;

export const Reason = z.strictObject({
  code: ReasonCode,
  /** A JSON pointer (RFC 6901) into the order. */
  pointer: z.string(),
  /** Shown to the buyer: no secrets, and no ids of the ad server's own. */
  message: z.string(),
  package_id: z.string().optional(),
  creative_id: z.string().optional(),
  /** The least budget that would be taken now; with `budget_below_spend`. */
  least_minor: Minor.optional(),
  suggestion: z.string().optional(),
});
export type Reason = z.infer<typeof Reason>;

/**
 * What became of a `put`. `done`: this version holds. `pending`: not decided yet; ask again with the same. `refused`: nothing
 * of this version holds or ever will, and the one before does. `stale`: that higher version was put before.
 */
export const PutAnswer = z.discriminatedUnion('outcome', [
  z.strictObject({ outcome: z.literal('done'), native: Native, lines: z.array(LineState) }),
  z.strictObject({
    outcome: z.literal('pending'),
    ask_again_at: AdInstant,
    waiting_for: z.enum(['forecast', 'person', 'processing', 'quota']),
    /** In words, for the operator. */
    note: z.string(),
    native: Native.optional(),
  }),
  z.strictObject({ outcome: z.literal('refused'), reasons: z.array(Reason).min(1) }),
  z.strictObject({
    outcome: z.literal('stale'),
    /** The highest version that is used up, be it refused or pending. */
    version: z.int().min(1),
  }),
]);
export type PutAnswer = z.infer<typeof PutAnswer>;

/** What an ad server foretells of an order; a promise of nothing. */
export const CheckAnswer = z.discriminatedUnion('outcome', [
  z.strictObject({ outcome: z.literal('done') }),
  z.strictObject({ outcome: z.literal('refused'), reasons: z.array(Reason).min(1) }),
  z.strictObject({ outcome: z.literal('unknown') }),
]);
export type CheckAnswer = z.infer<typeof CheckAnswer>;
