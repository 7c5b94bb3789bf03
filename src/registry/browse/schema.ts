import { z } from 'zod';
import { AgentType } from '../../directory/agent/agent.ts';
import { AuthorizationSource } from '../../directory/authorization/authorization.ts';
import { PublisherSource } from '../../directory/publisher/publisher.ts';
import { AuthorizationView } from '../authorization-view.ts';
import { instantParam } from '../instant-param.ts';
import { PageQuery } from '../page-query.ts';
import { wholeNumberParam } from '../whole-number-param.ts';

/** Whether somebody entered it here, or it was found in what others publish, in the public protocol's words. */
const KnownFrom = z.enum(['registered', 'discovered']);

/** Asked for by `strictObject`s: a filter that is not served is refused, never passed over. */
const paging = {
  cursor: PageQuery.shape.cursor.describe('Where the page before ended'),
  limit: wholeNumberParam(1, 200).optional().describe('At most so many; default 50'),
};

const flag = z.literal('true').optional();

export const AgentsQuery = z.strictObject({
  ...paging,
  type: AgentType.optional().describe('Only agents that do this'),
  health: flag.describe('Adds how the last check of each agent went, where there was one; then `limit` is at most 50'),
  capabilities: flag.describe('Accepted; nothing is added: ask the agent by /api/public/discover-agent'),
  properties: flag.describe('Accepted likewise: ask /api/registry/lookup/agent/{agentUrl}/domains'),
});

export const PublishersQuery = z.strictObject({
  ...paging,
  source: PublisherSource.optional().describe('Only publishers known from there'),
});

export const PublishedQuery = z.strictObject(paging);

export const AgentPublishersQuery = z.strictObject({
  ...paging,
  status: z.literal('authorized').optional().describe('Those that may no longer are not told here'),
  since: instantParam().optional().describe('Only what was read at this time or later'),
  include: z.literal('properties').optional().describe('Adds `property_ids`'),
});

/** In the words of the public protocol's directory. */
export const AgentPublishers = z.object({
  agent_url: z.string(),
  directory_indexed_at: z.string().nullable().describe('The latest `last_verified_at` of the page'),
  publishers: z.array(
    z.object({
      publisher_domain: z.string(),
      discovery_method: z.enum(['direct', 'authoritative_location', 'ads_txt_managerdomain']),
      manager_domain: z
        .string()
        .nullable()
        .describe('The host of the file that the publisher points to, or the manager that its ads.txt names'),
      properties_authorized: z.number().int(),
      properties_total: z.number().int(),
      property_ids: z
        .array(z.string())
        .optional()
        .describe('What the agent may sell; a property without an id is called by its first identifier'),
      property_ids_truncated: z
        .literal(true)
        .optional()
        .describe("`property_ids` has the first ones alone, as there is room for; read the publisher's adagents.json"),
      status: z.literal('authorized'),
      last_verified_at: z.string().describe('When what is told was last read'),
      registry_source: AuthorizationSource,
    }),
  ),
  next_cursor: z.string().nullable().describe('Send it as `cursor` for the next page; null: this was the last'),
});

const rest = {
  cursor: z.string().nullable().describe('Send it for the next page; null: this was the last'),
  has_more: z.boolean(),
};

/** A number that is counted no further than 10,000. */
export const COUNTED_TO = 10_000;
const Counted = z.number().int().describe('Counted no further than 10,000');

const sources = z.object({ registered: Counted, discovered: Counted });

/** In the public protocol's words. */
const AgentHealthView = z.object({ online: z.boolean(), checked_at: z.string(), error: z.string().optional() });

export const AgentList = z.object({
  agents: z.array(
    z.object({
      url: z.string(),
      name: z.string(),
      type: AgentType,
      source: KnownFrom,
      added_date: z.string(),
      updated_at: z.string(),
      health: AgentHealthView.optional(),
    }),
  ),
  count: Counted,
  sources,
  ...rest,
});

export const PublisherList = z.object({
  publishers: z.array(
    z.object({
      domain: z.string(),
      source: KnownFrom,
      registry_source: PublisherSource,
      has_valid_adagents: z.boolean().describe('Its own adagents.json, as it was last read, vouches for its agents'),
      property_count: z.number().int(),
      discovered_at: z.string(),
      seen_at: z.string().describe('When what is told was last read from its file, or else last changed here'),
      last_validated: z
        .string()
        .optional()
        .describe('When the look at its file began that counts; absent: nobody looked'),
    }),
  ),
  count: Counted,
  sources,
  ...rest,
});

export const RegistryStats = z.object({
  agents: z.object({ total: Counted, by_type: z.record(AgentType, Counted) }).describe('Public ones'),
  publishers: z.object({ total: Counted, by_source: z.record(PublisherSource, Counted) }),
  counted_to: z.literal(COUNTED_TO).describe('A number that is as large may be larger'),
});

/** An authorization that counts now; `source` has the public protocol's words, so the registry's own are in `registry_source`. */
const { source: _, ...AuthorizationFacts } = AuthorizationView;
const Authorized = { ...AuthorizationFacts, source: KnownFrom, registry_source: AuthorizationSource };

export const DomainLookup = z.object({
  domain: z.string(),
  known: z.boolean().describe('The registry knows this publisher'),
  authorized_agents: z.array(z.object({ url: z.string(), ...Authorized })),
  sales_agents_claiming: z
    .array(z.object({ url: z.string() }))
    .max(0)
    .describe("Empty: the registry takes no agent's own word for whom it sells"),
});

export const AgentDomains = z.object({
  agent_url: z.string(),
  domains: z.array(z.string()),
  count: z.number().int().describe('Of this page'),
  authorizations: z.array(z.object({ publisher_domain: z.string(), ...Authorized })),
  ...rest,
});
