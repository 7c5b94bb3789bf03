import { z } from 'zod';
import { agents, Agent, AgentVisibility } from '../../../directory/agent/agent.ts';
import { AgentCheck } from '../../../directory/agent-check/agent-check.ts';
import { checksOf } from '../../../directory/agent-check/read-checks.ts';
import { Badge, badges, BadgeStep, stepOf } from '../../../directory/badge/badge.ts';
import { hastenCheck } from '../../../directory/scheduled-check/scheduled-check.ts';
import { AppError } from '../../../platform/errors.ts';
import type { Store } from '../../../platform/store/collection.ts';
import { pageEnd, pageView } from '../../../tasks/paging.ts';
import { BuyerAsked, Id, pageQuery } from '../fields.ts';
import { operation } from '../operation.ts';
import { looksOf, LookView } from './looks.ts';

/** So many of an agent's checks are told, the newest. */
const MOST_CHECKS = 20;

/** An agent that an organization registered, and how its checks go. */
export const AgentLine = z
  .object(Agent.shape)
  .pick({ agent_id: true, url: true, organization_id: true, name: true, type: true, visibility: true })
  .extend({
    /** Whether a role of it was verified when it was last checked. */
    is_verified: z.boolean(),
    /** Null: nobody checks it. */
    look: LookView.nullable(),
  });
export type AgentLine = z.infer<typeof AgentLine>;

/** One agent, with its badges and its last checks. */
export const AgentInFull = AgentLine.extend({
  description: z.string().nullable(),
  badges: z.array(
    z
      .object(Badge.shape)
      .pick({ role: true, version: true, status: true, reason: true })
      .extend({ step: BadgeStep.nullable() }),
  ),
  checks: z.array(
    z
      .object(AgentCheck.shape)
      .pick({ checked_at: true, took_ms: true, is_reachable: true, reason: true, version: true }),
  ),
  created_at: z.string(),
  updated_at: z.string(),
});
export type AgentInFull = z.infer<typeof AgentInFull>;

/** Those of one organization, or by who sees them. */
export const listRegistryAgents = operation({
  method: 'get',
  path: '/registry/agents',
  summary: 'List the agents that organizations have registered, by who sees them, or those of one organization.',
  role: 'viewer',
  query: z.strictObject({
    visibility: AgentVisibility.default('public'),
    organization_id: BuyerAsked.optional(),
    ...pageQuery,
  }),
  answer: z.object({ agents: z.array(AgentLine), ...pageView }),
  async handle({ query: { visibility, organization_id, limit, cursor } }, { store }) {
    const page = await store.collection(agents).find({
      ...(organization_id === undefined
        ? { where: { visibility }, sort: { field: 'url', direction: 'asc' } }
        : { where: { organization_id }, sort: { field: 'created_at', direction: 'desc' } }),
      limit,
      ...(cursor !== undefined && { after: cursor }),
    });
    return { agents: await agentLines(store, page.rows), ...pageEnd(page.cursor) };
  },
});

const AgentPath = z.strictObject({ agent_id: Id });

export const showRegistryAgent = operation({
  method: 'get',
  path: '/registry/agents/:agent_id',
  summary: 'Show a registered agent: its badges, and how its last checks went.',
  role: 'viewer',
  params: AgentPath,
  answer: AgentInFull,
  async handle({ params: { agent_id } }, { store }) {
    return agentInFull(store, await knownAgent(store, agent_id));
  },
});

/** A worker looks in a moment; badges come and go as at any other time. */
export const checkRegistryAgent = operation({
  method: 'post',
  path: '/registry/agents/:agent_id/check',
  summary: 'Have a registered agent checked for its badges in a moment, and not only at the next time.',
  role: 'admin',
  action: 'registry.check',
  done: () => 'The agent is checked in a moment.',
  params: AgentPath,
  answer: AgentInFull,
  async handle({ params: { agent_id } }, { store, clock }) {
    const agent = await knownAgent(store, agent_id);
    await hastenCheck({ store, clock }, 'badges', agent.url);
    return agentInFull(store, agent);
  },
});

/** @throws {AppError} `NOT_FOUND`. */
async function knownAgent(store: Store, agent_id: string): Promise<Agent> {
  const row = await store.collection(agents).get(agent_id);
  if (row === undefined) throw new AppError('NOT_FOUND', 'no agent has this id', { field: 'agent_id' });
  return row;
}

async function agentLines(store: Store, rows: readonly Agent[]): Promise<AgentLine[]> {
  const looks = await looksOf(
    store,
    'badges',
    rows.map(({ url }) => url),
  );
  return rows.map(({ agent_id, url, organization_id, name, type, visibility, declared }) => ({
    ...{ agent_id, url, organization_id, name, type, visibility },
    ...{ is_verified: declared?.is_verified === true, look: looks.get(url) ?? null },
  }));
}

async function agentInFull(store: Store, agent: Agent): Promise<AgentInFull> {
  const { url: agent_url, declared, created_at, updated_at } = agent;
  const [[line], earned, checked] = await Promise.all([
    agentLines(store, [agent]),
    store.collection(badges).find({ where: { agent_url }, limit: 100 }),
    checksOf(store, agent, { limit: MOST_CHECKS }),
  ]);
  if (line === undefined) throw new Error('one agent makes one line');
  return {
    ...line,
    description: declared?.description ?? null,
    badges: earned.rows.map(({ role, version, status, reason, step, proof }) => ({
      ...{ role, version, status, reason, step: step === undefined ? null : stepOf({ step, proof }) },
    })),
    checks: checked.rows.map(({ checked_at, took_ms, is_reachable, reason, version }) => ({
      ...{ checked_at, took_ms, is_reachable, reason, version },
    })),
    ...{ created_at, updated_at },
  };
}
