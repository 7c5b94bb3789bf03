import { z } from 'zod';
import { OrganizationId } from '../../platform/organization-id.ts';
import type { CollectionSpec } from '../../platform/store/collection.ts';
import { owingIndex } from '../search/owed-index.ts';

/** What an agent does, by the tasks it answers (rule R12). */
export const AgentType = z.enum(['sales', 'creative', 'signals', 'governance', 'brand', 'unknown']);
export type AgentType = z.infer<typeof AgentType>;

/** Who sees an agent in an operator look-up (rule C.resources.operator-agents). */
export const AgentVisibility = z.enum(['public', 'members_only', 'private']);
export type AgentVisibility = z.infer<typeof AgentVisibility>;

/** What an agent says of itself by its card and its capabilities, as far as it is searched by. */
export const AgentDeclared = z.object({
  /** The beginning of it. */
  description: z.string(),
  /** In the protocol's words. */
  channels: z.array(z.string()),
  /** ISO 3166-1 alpha-2. */
  countries: z.array(z.string()),
  /** Whether a role of it was verified. */
  is_verified: z.boolean(),
});
export type AgentDeclared = z.infer<typeof AgentDeclared>;

/** An agent that an organization operates. */
export const Agent = z.object({
  agent_id: z.string(),
  /** Canonical (see `canonicalAgentUrl`); no two agents share one. */
  url: z.string(),
  organization_id: OrganizationId,
  name: z.string().max(400),
  type: AgentType,
  visibility: AgentVisibility,
  /** What it said of itself when it was last checked and answered; absent before. */
  declared: AgentDeclared.optional(),
  /** Null or absent: it is not yet found by what it says now (`search/keep-searchable.ts`). */
  indexed_as: z.string().nullable().optional(),
  created_at: z.string(),
  updated_at: z.string(),
  revision: z.number().int(),
});
export type Agent = z.infer<typeof Agent>;

export const agents: CollectionSpec<Agent> = {
  name: 'agents',
  key: 'agent_id',
  schema: Agent,
  tells: ['organization_id'],
  indexes: [
    { name: 'url', fields: ['url'], unique: true },
    { name: 'organization', fields: ['organization_id', 'created_at'] },
    { name: 'visibility', fields: ['visibility', 'url'], holds: [] },
    { name: 'visibility_type', fields: ['visibility', 'type', 'url'], holds: [] },
    { name: 'indexed', fields: ['indexed_as'] },
  ],
  onChange: owingIndex(({ url, name, type, visibility, declared }) => [url, name, type, visibility, declared ?? null]),
};
