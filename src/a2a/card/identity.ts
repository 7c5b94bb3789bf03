import { z } from 'zod';

/** What a person says of the agent: `agent-card/identity.json`. Everything else in the card is generated. */
export const CardIdentity = z.strictObject({
  name: z.string().min(1),
  description: z.string().min(1),
  provider: z.strictObject({ organization: z.string().min(1), url: z.url() }),
  /** For people; default: the page about its skills that the agent serves itself. */
  documentation_url: z.url().optional(),
  icon_url: z.url().optional(),
  /** What the card's protocol extension says: the release spoken and the protocols supported. */
  protocol: z.strictObject({ version: z.string().regex(/^\d+\.\d+$/), protocols_supported: z.array(z.string()) }),
});
export type CardIdentity = z.infer<typeof CardIdentity>;
