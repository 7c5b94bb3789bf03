import { z } from 'zod';
import { MembershipTier } from '../../directory/organization/organization.ts';
import { AuthorizationView } from '../authorization-view.ts';
import { OPERATOR_SCOPES } from './visible-agents.ts';

/** Strict, as every query is but that of streams: what is misspelt is refused by its name, never passed over. */
export const OperatorQuery = z.strictObject({
  domain: z.string().min(1, 'required; send a domain').describe("The operator's domain, in any spelling"),
  scope: z.enum(OPERATOR_SCOPES).optional().describe('Narrows the answer; never widens it'),
});

export const OperatorMember = z.object({
  slug: z.string(),
  display_name: z.string(),
  membership_tier: MembershipTier.optional(),
  membership_tier_label: z.string().optional(),
  is_founding_member: z.boolean().optional(),
});
export type OperatorMember = z.infer<typeof OperatorMember>;

/** What an operator look-up answers (rules C.resources.operator, C.resources.operator-agents, R5). */
export const OperatorResponse = z.object({
  domain: z.string(),
  member: OperatorMember.nullable(),
  agents: z.array(
    z.object({
      url: z.string(),
      name: z.string(),
      authorized_by: z.array(z.object({ publisher_domain: z.string(), ...AuthorizationView })),
      authorized_by_cursor: z
        .string()
        .optional()
        .describe(
          'There are more: send it as `cursor` to /api/registry/lookup/agent/{agentUrl}/domains. Absent: these are all',
        ),
    }),
  ),
});
export type OperatorResponse = z.infer<typeof OperatorResponse>;
