import { z } from 'zod';
import { canonicalAgentUrl } from '../../directory/agent/canonical-agent-url.ts';
import { REASONS } from '../../directory/authorization/judge.ts';
import type { VerdictCode } from '../../directory/authorization/judge.ts';
import { DomainParam } from '../domain-query.ts';

export const AskedAgent = z
  .string()
  .max(2000)
  .transform((text, context) => {
    const url = canonicalAgentUrl(text);
    if (url === undefined) context.addIssue({ code: 'custom', message: "send the agent's http or https URL" });
    return url ?? z.NEVER;
  })
  .describe("The agent's URL, in any spelling");

export const CODES = z.enum(Object.keys(REASONS) as [VerdictCode, ...VerdictCode[]]);

const names = z.array(z.string().max(300)).min(1).max(1000).optional();

/** Some of a publisher's properties, in the words of the public registry and of adagents.json. */
export const InventorySelector = z.strictObject({
  publisher_domain: DomainParam,
  property_types: names.describe('Only properties of these types'),
  property_ids: names.describe('Only those with these property_ids'),
  tags: names.describe('Only those with one of these tags'),
  property_tags: names.describe('The same as `tags`'),
  selection_type: z
    .enum(['all', 'by_id', 'by_tag'])
    .optional()
    .describe('As adagents.json has it; what is selected follows from the other members'),
});
export type InventorySelector = z.infer<typeof InventorySelector>;

export const ProductInventory = z.strictObject({
  agent_url: AskedAgent,
  publisher_properties: z
    .array(InventorySelector)
    .min(1, 'send at least one selector')
    .max(100, 'send at most 100 selectors'),
});
export type ProductInventory = z.infer<typeof ProductInventory>;
