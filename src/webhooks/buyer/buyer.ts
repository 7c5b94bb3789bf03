import { AppError } from '../../platform/errors.ts';
import type { OrganizationId } from '../../platform/organization-id.ts';
import type { Page, Where } from '../../platform/store/collection.ts';
import type { Delivery, DeliveryState } from '../delivery/delivery.ts';
import { resend } from '../delivery/resend.ts';
import type { ResendDependencies, Resent } from '../delivery/resend.ts';
import { buyerDelivery, buyerDeliveryDetail } from './delivery-view.ts';
import type { BuyerDelivery, BuyerDeliveryDetail } from './delivery-view.ts';
import { destinationHealths } from './destination-health.ts';
import type { DestinationHealth } from './destination-health.ts';
import { sendTestEvent } from './test-event.ts';
import type { TestEventDependencies, TestOutcome, TestRequest } from './test-event.ts';

/** What buyers can see of their own webhooks, and do about them; nothing of anybody else's (rule T5). */
export interface WebhooksOfBuyer {
  /** Newest first, `limit` 1–100. Of a task of somebody else's there are none, as of one that is not there. */
  list(
    organization_id: OrganizationId,
    filter: { state?: DeliveryState | undefined; task_id?: string | undefined },
    page: { limit: number; after?: string | undefined },
  ): Promise<Page<BuyerDelivery>>;
  /** @throws {AppError} `NOT_FOUND` for an unknown id and for another organization's alike. */
  show(organization_id: OrganizationId, delivery_id: string): Promise<BuyerDeliveryDetail>;
  /** See {@link resend}. @throws {AppError} `NOT_FOUND` likewise. */
  resend(organization_id: OrganizationId, delivery_id: string): Promise<Resent>;
  /** See {@link destinationHealths}. */
  destinations(organization_id: OrganizationId): Promise<DestinationHealth[]>;
  /** See {@link sendTestEvent}. */
  test(organization_id: OrganizationId, asked: TestRequest): Promise<TestOutcome>;
}

export function createWebhooksOfBuyer(deps: ResendDependencies & TestEventDependencies): WebhooksOfBuyer {
  const { deliveries } = deps;

  async function own(organization_id: OrganizationId, delivery_id: string): Promise<Delivery> {
    const row = await deliveries.get(delivery_id);
    if (row?.organization_id === organization_id) return row;
    throw new AppError('NOT_FOUND', 'no delivery has this id', { field: 'delivery_id' });
  }

  return {
    async list(organization_id, { state, task_id }, { limit, after }) {
      const where: Where<Delivery> = {
        organization_id,
        ...(state !== undefined && { state }),
        ...(task_id !== undefined && { task_id }),
      };
      const { rows, cursor } = await deliveries.find({
        where,
        // Of one task, in the order that the index of tasks has.
        sort: { field: task_id === undefined ? 'created_at' : 'sequence', direction: 'desc' },
        limit,
        ...(after !== undefined && { after }),
      });
      return { rows: rows.map(buyerDelivery), ...(cursor !== undefined && { cursor }) };
    },
    show: async (organization_id, delivery_id) => buyerDeliveryDetail(await own(organization_id, delivery_id)),
    async resend(organization_id, delivery_id) {
      await own(organization_id, delivery_id);
      return resend(deps, delivery_id);
    },
    destinations: (organization_id) => destinationHealths(deps, organization_id),
    test: (organization_id, asked) => sendTestEvent(deps, organization_id, asked),
  };
}
