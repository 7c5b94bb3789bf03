import { z } from 'zod';
import { BUYER_ACTIONS } from '../sales/media-buy/buyer-actions.ts';

/**
 * How this agent is called, in words for a developer or a model that sees nothing else. Told in the agent card, by
 * `get_agent_capabilities` and on the documentation's page, all from here.
 */
export const CallingGuide = z.object({
  message: z.string(),
  text: z.string(),
  answer: z.string(),
  /** Where the values of fields come from, by their names. */
  fields: z.record(z.string(), z.string()),
  waiting: z.string(),
  webhooks: z.string(),
  /** What to send for each of a media buy's `valid_actions`. */
  valid_actions: z.record(z.enum(BUYER_ACTIONS), z.string()),
  /** Addresses; `{skill}` stands for a skill's id. */
  schemas: z.object({ input: z.string(), output: z.string() }),
});
export type CallingGuide = z.infer<typeof CallingGuide>;
