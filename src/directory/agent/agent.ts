import { z } from 'zod';
import { OrganizationId } from '../../platform/organization-id.ts';
import type { CollectionSpec } from '../../platform/store/collection.ts';

/** What an agent does, by the tasks it answers (rule R12). */
export const AgentType = z.enum(['sales', 'creative', 'signals', 'governance', 'brand', 'unknown']);
export type AgentType = z.infer<typeof AgentType>;

/** Who sees an agent in an operator look-up (rule C.resources.operator-agents). */
export const AgentVisibility = z.enum(['public', 'members_only', 'private']);
export type AgentVisibility = z.infer<typeof AgentVisibility>;

/** An agent that an organization operates. */
export const Agent = z.object({
  agent_id: z.string(),
  /** Canonical (see `canonicalAgentUrl`); no two agents share one. */
  url: z.string(),
  organization_id: OrganizationId,
  name: z.string().max(400),
  type: AgentType,
  visibility: AgentVisibility,
  created_at: z.string(),
  updated_at: z.string(),
  revision: z.number().int(),
});
export type Agent = z.infer<typeof Agent>;

export const agents: CollectionSpec<Agent> = {
  name: 'agents',
  key: 'agent_id',
  schema: Agent,
  indexes: [
    { name: 'url', fields: ['url'], unique: true },
    { name: 'organization', fields: ['organization_id', 'created_at'] },
    { name: 'visibility', fields: ['visibility', 'url'], holds: [] },
    { name: 'visibility_type', fields: ['visibility', 'type', 'url'], holds: [] },
  ],
};
