import { z } from 'zod';
import { OrganizationId } from '../../platform/organization-id.ts';
import { AgentType, AgentVisibility } from '../agent/agent.ts';
import { canonicalAgentUrl } from '../agent/canonical-agent-url.ts';
import { AuthorizationSource } from '../authorization/authorization.ts';
import { normalizeDomain } from '../domain/normalize-domain.ts';
import { COMPANY_TYPES, MembershipTier, SubscriptionStatus } from '../organization/organization.ts';
import { PublisherSource, RegistryProperty } from '../publisher/publisher.ts';

/** A text that is written as it is kept: as the function writes it, which knows what it is not. */
const written = (as: (text: string) => string | undefined, what: string) =>
  z.string().superRefine((text, context) => {
    const canonical = as(text);
    if (canonical === undefined) context.addIssue({ code: 'custom', message: `this is not ${what}` });
    else if (canonical !== text) context.addIssue({ code: 'custom', message: `write it as ${canonical}` });
  });
const Domain = written((text) => normalizeDomain(text)?.domain, 'a domain name');
const AgentUrl = written(canonicalAgentUrl, 'the http or https URL of an agent');

/** One entry of the registry's seed file: an organization, its card and its agents. */
export const SeedOrganization = z.strictObject({
  organization_id: OrganizationId.min(1).max(100),
  name: z.string().min(1).max(200),
  corporate_domain: Domain,
  company_type: z.enum(COMPANY_TYPES).nullable().default(null),
  membership_tier: MembershipTier.nullable().default(null),
  subscription_status: SubscriptionStatus.nullable().default(null),
  is_founding_member: z.boolean().default(false),
  /** On record, but claimed by nobody. */
  is_prospect: z.boolean().default(false),
  profile: z.strictObject({ slug: z.string(), is_public: z.boolean() }).optional(),
  agents: z
    .array(z.strictObject({ url: AgentUrl, name: z.string(), type: AgentType, visibility: AgentVisibility }))
    .default([]),
});
export type SeedOrganization = z.infer<typeof SeedOrganization>;

export const SeedPublisher = z.strictObject({
  publisher_domain: Domain,
  source: PublisherSource,
  verified: z.boolean(),
  properties: z.array(RegistryProperty),
  authorized_agents: z.array(
    z.strictObject({ url: AgentUrl, authorized_for: z.string().max(1000), source: AuthorizationSource }),
  ),
});
export type SeedPublisher = z.infer<typeof SeedPublisher>;

/** What a registry begins with, so that every answer shows something; `catalog/registry-seed.json`. */
export const RegistrySeed = z.strictObject({
  organizations: z.array(SeedOrganization),
  publishers: z.array(SeedPublisher),
});
export type RegistrySeed = z.infer<typeof RegistrySeed>;
