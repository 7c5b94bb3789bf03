import { z } from 'zod';
import type { Agent } from '../../directory/agent/agent.ts';
import { AgentType, AgentVisibility } from '../../directory/agent/agent.ts';
import { canonicalAgentUrl } from '../../directory/agent/canonical-agent-url.ts';
import { isBadPort } from '../../platform/outbound/bad-ports.ts';
import { DisplayName } from '../create-organization/schema.ts';

/** An https URL, in canonical form once parsed. */
export const AgentUrl = z
  .string()
  .max(2000, 'send at most 2000 characters')
  .transform((text, check) => {
    const url = canonicalAgentUrl(text);
    // Escaping makes some longer than they were sent.
    const isFit = url?.startsWith('https://') === true && url.length <= 2000;
    const { port } = new URL(isFit ? url : 'https://none.example');
    if (isFit && !isBadPort(Number(port || 443))) return url;
    check.addIssue({
      code: 'custom',
      message: isFit
        ? `send a URL at another port: nobody calls an agent at ${port}, which is another protocol's`
        : 'send an https URL of at most 2000 characters, escaped, without user name and password',
    });
    return z.NEVER;
  });

/** An agent as its owner describes it (rule R9). */
export const AgentRequest = z.object({
  url: AgentUrl,
  type: AgentType,
  name: DisplayName.optional().describe("Default: the URL's host"),
  visibility: AgentVisibility.optional().describe('Default for a new agent: private'),
});

/** Strict, since an agent's URL does not change: it is another agent. */
export const AgentChange = z.strictObject({
  type: AgentType.optional(),
  name: DisplayName.optional(),
  visibility: AgentVisibility.optional(),
});

export const AgentParams = z.object({ agent_id: z.string().min(1).max(100) });

/** An agent as its owner sees it. */
export const AgentView = z.object({
  agent_id: z.string(),
  organization_id: z.string(),
  url: z.string(),
  name: z.string(),
  type: AgentType,
  visibility: AgentVisibility,
  created_at: z.string(),
  updated_at: z.string(),
});

export const AgentRegistered = AgentView.extend({
  org_auto_created: z.literal(true).optional().describe('There when this call made (or adopted) the organization'),
  profile_auto_created: z.literal(true).optional().describe('There when this call made the member profile'),
});

export function viewOf({ revision: _revision, ...view }: Agent): z.infer<typeof AgentView> {
  return view;
}
