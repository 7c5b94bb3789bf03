import { z } from 'zod';
import { AgentType } from '../../directory/agent/agent.ts';
import { canonicalAgentUrl } from '../../directory/agent/canonical-agent-url.ts';

export const DiscoverQuery = z.strictObject({
  url: z
    .string({ error: 'required; send the URL of an agent' })
    .max(2000, 'send at most 2000 characters')
    .transform((text, check) => {
      const url = canonicalAgentUrl(/^[a-z][a-z0-9+.-]*:/i.test(text.trim()) ? text : `https://${text.trim()}`);
      if (url !== undefined) return url;
      check.addIssue({ code: 'custom', message: 'send an http or https URL without user name and password' });
      return z.NEVER;
    })
    .describe("The agent's URL; without a scheme, https"),
});

const Count = z.int().min(0).optional();

/** What an agent says of itself (rules C.resources.discovery, R12). */
export const AgentDiscovered = z.object({
  name: z.string(),
  protocols: z.array(z.string()),
  type: AgentType,
  tools_count: z.int().min(0),
  tools: z.array(z.object({ name: z.string(), description: z.string() })),
  stats: z
    .object({ format_count: Count, product_count: Count, publisher_count: Count })
    .describe(
      'What the agent tells anybody who asks; a count it keeps to itself is absent. Publishers on record here are counted to 10,000',
    ),
  description: z.string(),
});
export type AgentDiscovered = z.infer<typeof AgentDiscovered>;

/** Errors of discovery add `message` (rule C.resources.error). */
export const DiscoveryError = z.object({ error: z.string(), message: z.string() });
