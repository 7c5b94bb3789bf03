import type { AdCreative, AdOrder } from '../../../../src/sales/ad-server/ad-order.ts';
import { orderDigestOf } from '../../../../src/sales/ad-server/order-digest.ts';
import { mediaBuyId } from '../../../support/ids.ts';

const ADVERTISER = { organization_id: 'org_1', name: 'Acme Outdoor' };

/** An order of one line, valid in form. */
export function anOrder(id: string, version = 1): AdOrder {
  const [start, end] = ['2026-02-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z'];
  const content = {
    media_buy_id: mediaBuyId(id),
    created_at: '2026-01-01T00:00:00.000Z',
    ad_server_id: 'default',
    advertiser: ADVERTISER,
    name: 'Spring',
    currency: 'USD',
    start,
    end,
    state: 'held' as const,
    lines: [
      {
        package_id: 'pkg_1',
        name: 'Podcast',
        product_id: 'podcast_network_dynamic',
        delivery_type: 'non_guaranteed' as const,
        config: {},
        pricing: { model: 'cpm' as const, rate_minor: 1_000 },
        budget_minor: 100_000,
        goal: { unit: 'impressions' as const, units: 100_000 },
        pacing: 'even' as const,
        start,
        end,
        state: 'running' as const,
        targeting: {},
        creatives: [],
      },
    ],
  };
  return { ...content, version, digest: orderDigestOf(content) };
}

/** A creative, valid in form. */
export function aCreative(creative_id: string, version: number): AdCreative {
  return {
    organization_id: 'org_1',
    creative_id,
    version,
    name: 'Banner',
    kind: 'image',
    assets: {},
    advertiser: ADVERTISER,
    config: {},
  };
}
