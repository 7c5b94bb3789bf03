import type { OrganizationId } from '../../platform/organization-id.ts';
import type { MembershipTier, SubscriptionStatus } from '../organization/organization.ts';

/** What somebody wants to subscribe to. */
export interface Order {
  organization_id: OrganizationId;
  price_id: string;
}

export interface CheckoutSession {
  session_id: string;
  /** Where a person confirms and pays. */
  url: string;
  expires_at: string;
}

/**
 * What a billing provider says became of a subscription; believed only because its signature was verified (rule R10).
 */
export interface SubscriptionEvent {
  event_id: string;
  /** Milliseconds since the epoch; Stripe counts whole seconds, so several may fall on one. */
  occurred_at: number;
  organization_id: OrganizationId;
  subscription_id: string;
  price_id: string;
  status: SubscriptionStatus;
}

/** A header of the request that carried an event, by its name in lower case. */
export type ReadHeader = (name: string) => string | undefined;

/** Who takes the money (rule R10). Events alone change a tier. */
export interface BillingProvider<Name extends 'sandbox' | 'stripe' = 'sandbox' | 'stripe'> {
  readonly name: Name;
  /** Which tier each price is for. */
  readonly prices: ReadonlyMap<string, MembershipTier>;
  /** @throws {AppError} `SERVICE_UNAVAILABLE` when the provider cannot be reached or refuses. */
  createSession(order: Order): Promise<CheckoutSession>;
  /**
   * Verifies the bytes of an event, then reads them. Undefined for one that is genuine and of no concern here.
   * @throws {AppError} `UNAUTHORIZED` for a signature that is missing, wrong, or older than five minutes.
   */
  readEvent(body: Buffer, header: ReadHeader): SubscriptionEvent | undefined;
}
