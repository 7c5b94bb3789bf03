import type { Store } from '../../platform/store/collection.ts';
import type { Logger } from '../../platform/log.ts';
import { organizations } from '../organization/organization.ts';
import type { MembershipTier, Organization } from '../organization/organization.ts';
import { resolveTier } from '../organization/tier.ts';
import type { SubscriptionEvent } from './billing-provider.ts';

/** `ignored`: it was applied before, something newer was, or it does not concern a subscription that counts. */
export type Applied = 'applied' | 'ignored';

/**
 * The only writer of a tier (rule R10). One compare-and-swap on the organization decides, with what was applied last in
 * the same row, so that an event sent twice, late or at several processes at once changes nothing a second time.
 */
export async function applySubscription(
  { store, log }: { store: Store; log: Logger },
  event: SubscriptionEvent,
  tier: MembershipTier,
): Promise<Applied> {
  const { organization_id, event_id } = event;
  const result = await store.collection(organizations).update(organization_id, (row) => afterEvent(row, event, tier));
  const applied = result?.changed === true ? 'applied' : 'ignored';
  log.info({ organization_id, event_id, tier, status: event.status, applied }, 'subscription event');
  return applied;
}

/** The organization after an event; undefined when it stays as it is. */
export function afterEvent(
  row: Organization,
  event: SubscriptionEvent,
  tier: MembershipTier,
): Organization | undefined {
  const { subscription: last } = row;
  if (last !== undefined) {
    if (event.occurred_at < last.event_at) return undefined;
    if (event.occurred_at === last.event_at && last.event_ids.includes(event.event_id)) return undefined;
    const isOther = event.subscription_id !== last.subscription_id;
    if (isOther && resolveTier(row) !== undefined && !givesTier(event)) return undefined;
  }
  if (!canHold(row, tier)) return undefined;
  const seen = event.occurred_at === last?.event_at ? last.event_ids : [];
  return {
    ...row,
    membership_tier: tier,
    subscription_status: event.status,
    subscription: {
      subscription_id: event.subscription_id,
      event_at: event.occurred_at,
      event_ids: [...seen, event.event_id],
    },
  };
}

/** Whether an organization may be on a tier: personal workspaces cannot host company tiers, nor prospects any. */
export function canHold({ is_personal, state }: Organization, tier: MembershipTier): boolean {
  return state === 'active' && !(is_personal && tier.startsWith('company_'));
}

function givesTier({ status }: SubscriptionEvent): boolean {
  return status === 'active' || status === 'trialing' || status === 'past_due';
}
