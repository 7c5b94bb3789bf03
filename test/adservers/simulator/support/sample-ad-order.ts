import type { AdCreative, AdLine, AdOrder } from '../../../../src/sales/ad-server/ad-order.ts';
import { orderDigestOf } from '../../../../src/sales/ad-server/order-digest.ts';
import { mediaBuyId } from '../../../support/ids.ts';

export const NOW = '2041-03-30T09:17:00.000Z';
export const START = '2041-04-01T00:00:00.000Z';
export const END = '2041-04-11T06:30:00.000Z';

const ADVERTISER = { organization_id: 'org_acme', name: 'Acme' };

/** Two lines: one by thousand impressions, one for a flat fee. */
export function sampleLine(changes: Partial<AdLine> = {}): AdLine {
  return {
    package_id: 'pkg_1',
    name: 'banners',
    product_id: 'run_of_site',
    delivery_type: 'non_guaranteed',
    config: {},
    pricing: { model: 'cpm', rate_minor: 650 },
    budget_minor: 500_000,
    pacing: 'even',
    ...{ start: START, end: END },
    state: 'running',
    targeting: { countries: { any: ['US'] } },
    creatives: [{ creative_id: 'c1', version: 1 }],
    ...changes,
  };
}

export function sampleAdOrder(changes: Partial<AdOrder> = {}): AdOrder {
  const order = {
    media_buy_id: mediaBuyId('mb_1'),
    version: 1,
    created_at: NOW,
    ad_server_id: 'default',
    advertiser: ADVERTISER,
    name: 'spring launch',
    currency: 'USD',
    ...{ start: START, end: END },
    state: 'running' as const,
    lines: [
      sampleLine(),
      sampleLine({ package_id: 'pkg_2', name: 'article', pricing: { model: 'flat-fee', rate_minor: 300_000 } }),
    ],
    ...changes,
  };
  return { ...order, digest: orderDigestOf(order) };
}

/** The order in its next version, or in a named one. */
export function changed(order: AdOrder, changes: Partial<AdOrder>): AdOrder {
  return sampleAdOrder({ ...order, version: order.version + 1, ...changes });
}

/** The lines of an order with one of them otherwise. */
export function withLine(order: AdOrder, at: number, changes: Partial<AdLine>): Pick<AdOrder, 'lines'> {
  return { lines: order.lines.map((line, i) => (i === at ? { ...line, ...changes } : line)) };
}

export function sampleAdCreative(changes: Partial<AdCreative> = {}): AdCreative {
  return {
    organization_id: ADVERTISER.organization_id,
    creative_id: 'c1',
    version: 1,
    name: 'shoes',
    kind: 'image',
    ...{ width: 300, height: 250 },
    assets: { image: { url: 'https://cdn.acme.example/shoes.png' } },
    advertiser: ADVERTISER,
    config: {},
    ...changes,
  };
}
