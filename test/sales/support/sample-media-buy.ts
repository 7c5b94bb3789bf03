import type { MediaBuy } from '../../../src/sales/media-buy/media-buy.ts';
import { mediaBuyId, organizationId, taskId } from '../../support/ids.ts';

const AT = '2026-03-02T09:00:00.000Z';

/** A pending buy of two packages, 12,500.50 US dollars in all. */
export function sampleMediaBuy(changes: Partial<MediaBuy> = {}): MediaBuy {
  return {
    media_buy_id: mediaBuyId('mb_1'),
    organization_id: organizationId('org_1'),
    buyer_ref: 'spring-launch',
    open: true,
    status: 'pending',
    pending_reason: 'creatives',
    currency: 'USD',
    total_budget_minor: 1_250_050,
    start_time: '2026-04-01T00:00:00.000Z',
    end_time: '2026-04-30T00:00:00.000Z',
    brand_manifest: { name: 'Pinecrest Running', url: 'https://pinecrest.example' },
    packages: [
      {
        package_id: 'pkg_1',
        buyer_ref: 'ctv',
        product_id: 'ctv_run_of_service',
        product_name: 'Northlight Plus Run of Service CTV',
        delivery_type: 'non_guaranteed',
        pricing_option_id: 'ctv_ros_auction_usd',
        pricing_model: 'cpm-auction',
        price_minor: null,
        floor_minor: 1800,
        bid_price_minor: 2150,
        min_spend_minor: 250_000,
        budget_minor: 1_000_000,
        targeting_overlay: { geo: { countries: ['US'] } },
        creative_ids: ['c1'],
        paused: false,
      },
      {
        package_id: 'pkg_2',
        buyer_ref: null,
        product_id: 'gazette_run_of_site',
        product_name: 'Gazette Run of Site Display',
        delivery_type: 'non_guaranteed',
        pricing_option_id: 'ros_fixed_usd',
        pricing_model: 'cpm',
        price_minor: 650,
        floor_minor: null,
        bid_price_minor: null,
        min_spend_minor: 250_000,
        budget_minor: 250_050,
        targeting_overlay: null,
        creative_ids: [],
        paused: false,
      },
    ],
    history: [
      {
        at: AT,
        action: 'created',
        actor: 'buyer',
        from_status: null,
        to_status: 'pending',
        note: null,
        task_id: taskId('task_1'),
      },
    ],
    task_id: taskId('task_1'),
    created_at: AT,
    updated_at: AT,
    revision: 1,
    row_version: 1,
    ...changes,
  };
}
