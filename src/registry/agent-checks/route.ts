import { z } from 'zod';
import { CheckedRole } from '../../directory/agent-check/agent-check.ts';
import { checksOf, healthOf } from '../../directory/agent-check/read-checks.ts';
import { BadgeStep, stepOf } from '../../directory/badge/badge.ts';
import { findCheck } from '../../directory/scheduled-check/scheduled-check.ts';
import { AppError } from '../../platform/errors.ts';
import { EncodedUrl } from '../badge/subject.ts';
import { endpoint } from '../endpoint.ts';
import { PageQuery } from '../page-query.ts';
import { wholeNumberParam } from '../whole-number-param.ts';
import { visibleAgent } from './visible-agent.ts';

const Count = z.int().min(0);

const AgentChecks = z.object({
  agent_url: z.string(),
  health: z.object({
    status: z.enum(['reachable', 'unreachable', 'unknown']).describe('By the newest check; unknown: there was none'),
    checked_at: z.string().nullable(),
    reason: z.string().nullable().describe('Why it was unreachable'),
    last_reachable_at: z.string().nullable().describe('Among the checks that are kept'),
    next_check_at: z.string().nullable().describe('Or, while a check is under way, when it would be taken up again'),
    checks: Count.describe('Of those that are kept'),
    reachable_checks: Count,
  }),
  checks: z.array(
    z.object({
      ...{ checked_at: z.string(), took_ms: Count.describe('The whole check, which is several requests') },
      ...{ reachable: z.boolean(), reason: z.string().nullable() },
      version: z.string().nullable().describe("The protocol's release that the agent named, if that is known"),
      roles: z
        .array(CheckedRole.extend({ step: BadgeStep.nullable().describe('null: not even declared') }))
        .describe('What was found of each role; none of an agent that was not reachable'),
    }),
  ),
  cursor: z.string().nullable().describe('Send it for the next page; null: this was the last'),
  has_more: z.boolean(),
});

/** Rule R11.history. */
export const listAgentChecks = endpoint({
  id: 'listAgentChecks',
  method: 'get',
  path: '/api/registry/agents/{encodedUrl}/checks',
  tag: 'Badges',
  summary: "Read an agent's health and how its checks went, newest first",
  description:
    'Each check reads the card, calls the tasks that only read, and looks at the keys; it is what badges rest on. Of the last 90 days the newest 100 daily ones are kept, and the newest 10 that its owner asked for. Whoever sees the agent sees its checks.',
  access: 'optional',
  effect: 'read',
  limit: 'browse',
  params: z.object({ encodedUrl: EncodedUrl }),
  query: z.strictObject({
    limit: wholeNumberParam(1, 100).optional().describe('Checks at most; default 50'),
    cursor: PageQuery.shape.cursor.describe('Where the page before ended'),
  }),
  responses: { 200: { description: 'Its health, and a page of checks', schema: AgentChecks } },

  async handle({ params: { encodedUrl: url }, query: { limit = 50, cursor: after } }, { store, caller, baseUrl }) {
    const agent = await visibleAgent({ store, caller, ownUrl: baseUrl() }, url);
    if (agent === undefined)
      throw new AppError('NOT_FOUND', 'no such agent is registered, or you may not see it', { field: 'encodedUrl' });
    const [health, page, due] = await Promise.all([
      healthOf(store, agent),
      checksOf(store, agent, { limit, after }),
      findCheck({ store }, 'badges', url),
    ]);
    const checks = page.rows.map(({ checked_at, took_ms, is_reachable: reachable, reason, version, roles }) => ({
      ...{ checked_at, took_ms, reachable, reason, version },
      roles: roles.map(({ step, ...role }) => ({ ...role, step: step && stepOf({ step, proof: role.proof }) })),
    }));
    return {
      body: {
        agent_url: url,
        health: { ...health, next_check_at: due?.due_at ?? null },
        ...{ checks, cursor: page.cursor ?? null, has_more: page.cursor !== undefined },
      },
    };
  },
});
