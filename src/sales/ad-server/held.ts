import { z } from 'zod';
import { AdInstant } from './port-values.ts';
import { LineState } from './line-state.ts';
import { Native } from './native.ts';

/** What an ad server holds of a buy. */
export const Held = z.discriminatedUnion('found', [
  z.strictObject({ found: z.literal(false) }),
  z.strictObject({
    found: z.literal(true),
    /** The version that holds; absent when the ad server cannot tell. */
    version: z.int().min(1).optional(),
    state: z.enum(['draft', 'awaiting_person', 'held', 'running', 'paused', 'ended', 'refused']),
    native: Native,
    lines: z.array(LineState),
    /** Where the order stands otherwise than it was put; `pointer` is a JSON pointer into it. What one side lacks is absent. */
    differences: z.array(
      z.strictObject({ pointer: z.string(), ours: z.unknown().optional(), theirs: z.unknown().optional() }),
    ),
    as_of: AdInstant,
  }),
]);
export type Held = z.infer<typeof Held>;
