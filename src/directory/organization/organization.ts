import { z } from 'zod';
import { MAX_MINOR } from '../../platform/money.ts';
import { OrganizationId } from '../../platform/organization-id.ts';
import type { CollectionSpec } from '../../platform/store/collection.ts';

/** Kinds of company (rule C.resources.organization-request). */
export const COMPANY_TYPES = ['adtech', 'agency', 'brand', 'publisher', 'data', 'ai', 'other'] as const;

/** Annual revenue bands in US dollars (rule C.resources.organization-request). */
export const REVENUE_TIERS = ['under_1m', '1m_5m', '5m_50m', '50m_250m', '250m_1b', '1b_plus'] as const;

/** Membership tiers, lowest first (rule R6). */
export const MEMBERSHIP_TIERS = [
  'individual_academic',
  'individual_professional',
  'company_standard',
  'company_icl',
  'company_leader',
] as const;
export const MembershipTier = z.enum(MEMBERSHIP_TIERS);
export type MembershipTier = z.infer<typeof MembershipTier>;

/** States of a subscription at the billing provider; rule R6 says which of them resolve to a tier. */
export const SubscriptionStatus = z.enum(['active', 'past_due', 'trialing', 'canceled', 'unpaid', 'incomplete']);
export type SubscriptionStatus = z.infer<typeof SubscriptionStatus>;

/** By currency, minor units of it. */
const Amounts = z.record(z.string(), z.int().min(0).max(MAX_MINOR));

/** One organization: a buyer of the sales agent, a member of the registry, or a prospect nobody has claimed yet. */
export const Organization = z.object({
  organization_id: OrganizationId.min(1).max(100),
  /** At most 200 characters; the bound counts UTF-16 units. */
  name: z.string().min(1).max(400),
  /**
   * `prospect`: recorded from a crawl and unclaimed; `active`: claimed (rules C.states.adoption.prospect,
   * C.states.adoption.active).
   */
  state: z.enum(['prospect', 'active']),
  is_personal: z.boolean(),
  /** Whose personal workspace this is; null for a company. One per user. */
  personal_owner_id: z.string().nullable(),
  /** One of its owners: who created, adopted or claimed it, or whom that was passed on to; null for a prospect. */
  owner_id: z.string().nullable(),
  company_type: z.enum(COMPANY_TYPES).nullable(),
  revenue_tier: z.enum(REVENUE_TIERS).nullable(),
  /** The first one, normalized by rule R1; null when none is known. Unique among those that have one. */
  corporate_domain: z.string().nullable(),
  /** How the domain was proved to be theirs; null while unproved (a prospect's). */
  domain_verified_by: z.enum(['email', 'operator', 'dns', 'file']).nullable(),
  /** Set only by the billing provider's subscription events (rule R10). */
  membership_tier: MembershipTier.nullable(),
  subscription_status: SubscriptionStatus.nullable(),
  /** Absent before the first event: which subscription the tier comes of, and the latest events that were applied. */
  subscription: z
    .object({
      subscription_id: z.string(),
      /** Milliseconds since the epoch, by the provider's clock. */
      event_at: z.number(),
      /** Those that bear that very time. */
      event_ids: z.array(z.string()),
    })
    .optional(),
  is_founding_member: z.boolean(),
  /** What its first owner accepted, when, and from which address (rule C.states.adoption.none). */
  consent: z
    .object({
      user_id: z.string(),
      accepted_at: z.string(),
      address: z.string(),
      terms_version: z.string(),
      privacy_version: z.string(),
    })
    .nullable(),
  /** Since when an operator has it suspended: nobody acts for it, and its tasks wait. Null and absent: it is not. */
  suspended_at: z.string().nullable().optional(),
  /** Of a suspended one, for the record and for its webhooks. */
  suspension: z.object({ by: z.string(), reason: z.string(), webhooks: z.enum(['go_on', 'stop']) }).optional(),
  /** What the seller has set for this buyer alone, by currency in minor units; see `limits.ts`. Absent: nothing was ever set. */
  limits: z.object({ approval_over: Amounts, credit: Amounts }).optional(),
  created_at: z.string(),
  /** When it became active; null for a prospect. */
  claimed_at: z.string().nullable(),
  revision: z.number().int(),
});
export type Organization = z.infer<typeof Organization>;

export const organizations: CollectionSpec<Organization> = {
  name: 'organizations',
  key: 'organization_id',
  schema: Organization,
  tells: ['corporate_domain'],
  indexes: [
    { name: 'corporate_domain', fields: ['corporate_domain'], unique: true },
    { name: 'personal_owner', fields: ['personal_owner_id'], unique: true },
    { name: 'owner', fields: ['owner_id', 'created_at'] },
    { name: 'state', fields: ['state', 'created_at'] },
    { name: 'suspended', fields: ['suspended_at'] },
    { name: 'name', fields: ['name'] },
  ],
};

/**
 * Whether its first domain is only what is on record of it: nobody has it, nobody proved it, and whoever proves it has it (rule R8.claims).
 */
export function isOnlyOnRecord({ state, owner_id }: Pick<Organization, 'state' | 'owner_id'>): boolean {
  return state === 'prospect' && owner_id === null;
}

/** What must be said of a new organization; everything else has a neutral value. */
export type NewOrganization = Pick<Organization, 'organization_id' | 'name' | 'state' | 'created_at'> &
  Partial<Omit<Organization, 'revision'>>;

/** A row ready to insert. A company without a domain, and a personal workspace with its owner, are both valid. */
export function newOrganization(given: NewOrganization): Organization {
  return {
    is_personal: false,
    personal_owner_id: null,
    owner_id: null,
    company_type: null,
    revenue_tier: null,
    corporate_domain: null,
    domain_verified_by: null,
    membership_tier: null,
    subscription_status: null,
    is_founding_member: false,
    consent: null,
    claimed_at: given.state === 'active' ? given.created_at : null,
    ...given,
    revision: 1,
  };
}
