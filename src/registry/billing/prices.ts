import { z } from 'zod';
import { MembershipTier } from '../../directory/organization/organization.ts';
import { resolveTier } from '../../directory/organization/tier.ts';
import { endpoint } from '../endpoint.ts';

const PriceList = z.object({
  provider: z.enum(['sandbox', 'stripe']).nullable().describe('Who takes the money; null: nobody does here'),
  prices: z.array(
    z.object({
      price_id: z.string().describe('What a checkout session is asked for'),
      membership_tier: MembershipTier,
      membership_tier_label: z.string(),
    }),
  ),
});

/** What can be subscribed to (rule R10). What each costs, the provider's page says. */
export const listPrices = endpoint({
  id: 'listPrices',
  method: 'get',
  path: '/api/billing/prices',
  tag: 'Billing',
  summary: 'List what can be subscribed to',
  description: "The amount of each stands on the billing provider's page.",
  access: 'public',
  effect: 'read',
  limit: 'sandbox_checkout',
  responses: { 200: { description: 'The prices, by the tier that each is for', schema: PriceList } },

  handle(_input, { billing }) {
    const prices = [...(billing?.prices ?? [])].map(([price_id, membership_tier]) => ({
      price_id,
      membership_tier,
      membership_tier_label: resolveTier({ membership_tier, subscription_status: 'active' })?.label ?? membership_tier,
    }));
    return Promise.resolve({ body: { provider: billing?.name ?? null, prices } });
  },
});
