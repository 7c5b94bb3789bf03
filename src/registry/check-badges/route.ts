import { z } from 'zod';
import { agents } from '../../directory/agent/agent.ts';
import { badges, BadgeProof, BadgeRole, BadgeStep, stepOf } from '../../directory/badge/badge.ts';
import { AppError } from '../../platform/errors.ts';
import { managedOrganizations } from '../auth/managed-organizations.ts';
import { refreshBadges } from '../badge/refresh-badges.ts';
import { endpoint } from '../endpoint.ts';
import { AgentParams } from '../my-agents/schema.ts';

/** Badges are issued and revoked by a real check of the agent (rule R11). */
export const checkBadges = endpoint({
  id: 'checkBadges',
  method: 'post',
  path: '/api/me/agents/{agent_id}/badges/check',
  tag: 'Badges',
  summary: "Check one of one's own agents, and issue or revoke its badges",
  description:
    'Reads the card, the tasks and the webhook keys of the agent, calls the tasks that only read, and answers at once. Agents are checked once a day besides.',
  access: 'required',
  effect: 'write',
  limit: 'check_badges',
  params: AgentParams,
  responses: {
    200: {
      description: 'Its badges as they are now, and what is missing for the others',
      schema: z.object({
        agent_url: z.string(),
        reachable: z.boolean(),
        reason: z.string().nullable().describe('Why it could not be read; null: it was'),
        badges: z.array(
          z.object({
            role: BadgeRole,
            version: z.string(),
            status: z.enum(['earned', 'revoked']),
            step: BadgeStep.describe(
              'Of an earned badge: declared by the agent, protected by a credential, or verified',
            ),
            proof: BadgeProof.nullable().describe('What was seen'),
            reason: z.string().nullable(),
          }),
        ),
        missing: z.array(z.object({ role: BadgeRole, reason: z.string() })),
      }),
    },
  },

  async handle({ params }, call) {
    const managed = await managedOrganizations(call.store, call.caller);
    const agent = await call.store.collection(agents).get(params.agent_id);
    if (!agent || !managed.some((row) => row.organization_id === agent.organization_id))
      throw new AppError('NOT_FOUND', 'no such agent');
    const refreshed = await refreshBadges({ ...call, ownUrl: call.baseUrl(), isAsked: true }, agent.url);
    if (refreshed === undefined) throw new AppError('NOT_FOUND', 'no such agent');
    const { outcome } = refreshed;
    const { rows } = await call.store.collection(badges).find({ where: { agent_url: agent.url }, limit: 1000 });
    return {
      body: {
        agent_url: agent.url,
        reachable: outcome.kind === 'judged',
        reason: outcome.kind === 'judged' ? null : outcome.reason,
        badges: rows.map(({ role, version, status, step, proof = null, reason }) => ({
          ...{ role, version, status, step: stepOf({ step, proof }), proof, reason },
        })),
        missing: outcome.kind === 'judged' ? [...outcome.failed].map(([role, reason]) => ({ role, reason })) : [],
      },
    };
  },
});
