import { z } from 'zod';
import { OrganizationId } from '../../platform/organization-id.ts';
import type { CollectionSpec } from '../../platform/store/collection.ts';
import type { Delivery } from '../delivery/delivery.ts';
import { receiverId } from '../delivery/receiver-id.ts';

/** What the operator is told of a receiver. */
export const OPERATIONAL_EVENTS = ['destination_failing', 'destination_recovered', 'signature_refused'] as const;
export type OperationalEvent = (typeof OPERATIONAL_EVENTS)[number];

/** An event that was decided and is not on its way yet. */
export const OwedEvent = z.strictObject({
  event: z.enum(OPERATIONAL_EVENTS),
  /** Its place among those of the episode, from 1. */
  sequence: z.int(),
  idempotency_key: z.string(),
  decided_at: z.string(),
});
export type OwedEvent = z.infer<typeof OwedEvent>;

/**
 * A receiver of one organization's that did not take what was last sent: one row for as long as that lasts. The row says what the
 * operator was told, so that nobody tells it twice.
 */
export const Trouble = z.strictObject({
  /** Of organization and destination. */
  trouble_id: z.string(),
  /** New for each episode. */
  episode_id: z.string(),
  organization_id: OrganizationId,
  /** Scheme, host and port. */
  destination: z.string(),
  /** The first failure that no success has followed. */
  failing_since: z.string(),
  last_failed_at: z.string(),
  /** Our classification of the last failure (rule W11). */
  cause: z.string(),
  http_status_code: z.int().optional(),
  signature_error: z.string().optional(),
  /** `watched` until the operator was told that it fails; `over` once it answered and the operator is still to be told. */
  state: z.enum(['watched', 'failing', 'over']),
  is_signature_told: z.boolean(),
  events: z.int(),
  owed: z.array(OwedEvent),
  /** Something is to be told or done about it. */
  is_due: z.boolean(),
  expires_at: z.string(),
  revision: z.int(),
});
export type Trouble = z.infer<typeof Trouble>;

export const Troubles: CollectionSpec<Trouble> = {
  name: 'destination_troubles',
  key: 'trouble_id',
  schema: Trouble,
  indexes: [
    { name: 'by_state', fields: ['state'] },
    { name: 'by_due', fields: ['is_due'] },
  ],
  expires: 'expires_at',
};

/** Whose troubles are one. */
export function troubleId(of: Pick<Delivery, 'organization_id' | 'destination'>): string {
  return `t${receiverId(of)}`;
}
