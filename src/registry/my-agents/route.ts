import { z } from 'zod';
import { agents } from '../../directory/agent/agent.ts';
import type { Agent } from '../../directory/agent/agent.ts';
import { removeAgent, subjectsOfAgent } from '../../directory/agent/remove-agent.ts';
import { announcing } from '../../directory/feed/announcing.ts';
import { ensureProfile } from '../../directory/member-profile/ensure-profile.ts';
import { scheduleCheck } from '../../directory/scheduled-check/scheduled-check.ts';
import { toTimestamp } from '../../platform/clock.ts';
import { AppError } from '../../platform/errors.ts';
import type { OrganizationId } from '../../platform/organization-id.ts';
import { managedOrganizations } from '../auth/managed-organizations.ts';
import { endpoint } from '../endpoint.ts';
import type { EndpointCall } from '../endpoint.ts';
import { readAll } from '../read-all.ts';
import { notTheirs, organizationForHost, stillHasHost } from './owned-organization.ts';
import { AgentChange, AgentParams, AgentRegistered, AgentRequest, AgentView, viewOf } from './schema.ts';

const LIMIT = 'my_agents';

/** Registers an agent or changes it (rules C.endpoints.my-agents, R9). */
export const registerAgent = endpoint({
  id: 'registerAgent',
  method: 'post',
  path: '/api/me/agents',
  tag: 'Agents',
  summary: 'Register an agent, or change a registered one',
  description:
    "An agent is known by its URL's canonical form. A person's first agent makes the organization (from the e-mail's domain) and the member profile.",
  access: 'required',
  effect: 'write',
  limit: LIMIT,
  body: AgentRequest,
  responses: {
    200: { description: 'The agent was known and is changed', schema: AgentRegistered },
    201: { description: 'A new agent', schema: AgentRegistered },
  },

  async handle({ body }, call) {
    const host = new URL(body.url).hostname;
    const { organization, wasMade } = await organizationForHost(call, host);
    const profileMade = await ensureProfile(call, organization);
    const { agent, isNew } = await upsertAgent(call, organization.organization_id, body);
    // Taken meanwhile, by who may have looked for agents there before this one was.
    if (!(await stillHasHost(call.store, organization.organization_id, host))) {
      await removeAgent(call, agent);
      throw notTheirs();
    }
    await scheduleCheck(call, 'badges', agent.url);
    return {
      status: isNew ? 201 : 200,
      body: {
        ...viewOf(agent),
        ...(wasMade && { org_auto_created: true }),
        ...(profileMade && { profile_auto_created: true }),
      },
    };
  },
});

/** The caller's agents, of all visibilities (rule R9). */
export const listMyAgents = endpoint({
  id: 'listMyAgents',
  method: 'get',
  path: '/api/me/agents',
  tag: 'Agents',
  summary: "List one's own agents",
  access: 'required',
  effect: 'read',
  limit: LIMIT,
  responses: {
    200: { description: 'All of them, oldest first', schema: z.object({ agents: z.array(AgentView) }) },
  },

  async handle(_input, { store, caller }) {
    const ids = (await managedOrganizations(store, caller)).map((row) => row.organization_id);
    const rows = ids.length === 0 ? [] : await readAll(store.collection(agents), { organization_id: { in: ids } });
    rows.sort((a, b) => a.created_at.localeCompare(b.created_at));
    return { body: { agents: rows.map(viewOf) } };
  },
});

/** Changes what is given of an agent (rule R9). */
export const changeAgent = endpoint({
  id: 'changeAgent',
  method: 'patch',
  path: '/api/me/agents/{agent_id}',
  tag: 'Agents',
  summary: "Change one of one's own agents",
  access: 'required',
  effect: 'write',
  limit: LIMIT,
  params: AgentParams,
  body: AgentChange,
  responses: { 200: { description: 'As it is now', schema: AgentView } },

  async handle({ params, body }, call) {
    const agent = await ownAgent(call, params.agent_id);
    const changed = await announcing(call, await subjectsOfAgent(call.store, agent), () =>
      change(call, agent.agent_id, body),
    );
    if (!changed) throw unknownAgent();
    return { body: viewOf(changed) };
  },
});

/** Deletes an agent and revokes its badges (rule R9). */
export const deleteAgent = endpoint({
  id: 'deleteAgent',
  method: 'delete',
  path: '/api/me/agents/{agent_id}',
  tag: 'Agents',
  summary: "Delete one of one's own agents",
  description: 'Its badges are revoked.',
  access: 'required',
  effect: 'write',
  limit: LIMIT,
  params: AgentParams,
  responses: { 204: { description: 'It is gone' } },

  async handle({ params }, call) {
    const agent = await ownAgent(call, params.agent_id);
    await removeAgent(call, agent);
    return { status: 204 };
  },
});

/** @throws {AppError} `NOT_FOUND` for another's agent as for an unknown one. */
async function ownAgent({ store, caller }: EndpointCall, agentId: string): Promise<Agent> {
  const managed = await managedOrganizations(store, caller);
  const agent = await store.collection(agents).get(agentId);
  if (!agent || !managed.some((row) => row.organization_id === agent.organization_id)) throw unknownAgent();
  return agent;
}

function unknownAgent(): AppError {
  return new AppError('NOT_FOUND', 'no such agent');
}

/** By insert, so that two at once make one agent. @throws {AppError} `CONFLICT` for another organization's agent. */
async function upsertAgent(
  call: EndpointCall,
  organization_id: OrganizationId,
  given: z.infer<typeof AgentRequest>,
): Promise<{ agent: Agent; isNew: boolean }> {
  const rows = call.store.collection(agents);
  const now = toTimestamp(call.clock.now());
  const fresh: Agent = {
    agent_id: `agent_${call.ids.newId()}`,
    organization_id,
    url: given.url,
    type: given.type,
    name: given.name ?? new URL(given.url).hostname,
    visibility: given.visibility ?? 'private',
    created_at: now,
    updated_at: now,
    revision: 1,
  };
  for (;;) {
    const isKnown = (await rows.count({ url: given.url })) > 0;
    if (!isKnown) call.budgets.checkRows('agents', await rows.count({ organization_id }));
    const { inserted } = await announcing(call, [{ kind: 'agent', key: fresh.agent_id }], () => rows.insert(fresh));
    if (inserted) return { agent: fresh, isNew: true };
    const known = (await rows.find({ where: { url: given.url }, limit: 1 })).rows[0];
    // It was deleted in between: insert again.
    if (!known) continue;
    if (known.organization_id !== organization_id)
      throw new AppError('CONFLICT', 'another organization has registered this agent');
    const agent = await announcing(call, await subjectsOfAgent(call.store, known), () =>
      change(call, known.agent_id, given),
    );
    if (agent) return { agent, isNew: false };
  }
}

async function change(
  { store, clock }: EndpointCall,
  agentId: string,
  { name, type, visibility }: z.infer<typeof AgentChange>,
): Promise<Agent | undefined> {
  const result = await store.collection(agents).update(agentId, (row) => ({
    ...row,
    name: name ?? row.name,
    type: type ?? row.type,
    visibility: visibility ?? row.visibility,
    updated_at: toTimestamp(clock.now()),
  }));
  return result?.row;
}
