import { z } from 'zod';
import { CreativeReasonCode } from '../creative/creative.ts';
import { AdInstant } from './port-values.ts';

/** What an ad server says of a creative that was uploaded to it. */
export const CreativeAnswer = z.discriminatedUnion('verdict', [
  z.strictObject({ verdict: z.literal('undecided'), ask_again_at: AdInstant }),
  z.strictObject({ verdict: z.literal('approved'), native_id: z.string(), ask_again_at: AdInstant.optional() }),
  z.strictObject({
    verdict: z.enum(['rejected', 'suspended']),
    /** Shown to the buyer. */
    reason: z.string(),
    reason_code: CreativeReasonCode,
  }),
]);
export type CreativeAnswer = z.infer<typeof CreativeAnswer>;
