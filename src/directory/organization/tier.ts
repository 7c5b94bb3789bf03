import type { MembershipTier, Organization } from './organization.ts';

/** What people call each tier (rule R6). */
const TIER_LABELS: Record<MembershipTier, string> = {
  individual_academic: 'Academic',
  individual_professional: 'Professional',
  company_standard: 'Builder',
  company_icl: 'Partner',
  company_leader: 'Leader',
};

export interface ResolvedTier {
  tier: MembershipTier;
  label: string;
  hasApiAccess: boolean;
}

/** The tier an organization has now: only an active, past-due or trialing subscription gives one (rule R6). */
export function resolveTier(
  organization: Pick<Organization, 'membership_tier' | 'subscription_status'>,
): ResolvedTier | undefined {
  const { membership_tier: tier, subscription_status: status } = organization;
  if (tier === null || (status !== 'active' && status !== 'past_due' && status !== 'trialing')) return undefined;
  return { tier, label: TIER_LABELS[tier], hasApiAccess: tier !== 'individual_academic' };
}
