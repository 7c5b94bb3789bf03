import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../src/platform/hours.ts';
import { decideOnProperty, outageEffectsDue, recheckOutages } from '../../src/sales/property/decide-outage.ts';
import type { PropertyDecision } from '../../src/sales/property/decide-outage.ts';
import { MediaBuys } from '../../src/sales/media-buy/media-buys.ts';
import { propertiesOf } from '../../src/sales/property/outage.ts';
import { openImpairments, viewImpairments } from '../../src/sales/impairment/impairment-view.ts';
import { sampleMediaBuy } from '../sales/support/sample-media-buy.ts';
import { mediaBuyId, organizationId, taskId } from '../support/ids.ts';
import { openReporting, pushTo, WINDOW_MS } from './support/open-reporting.ts';
import type { OpenReporting } from './support/open-reporting.ts';

let open: OpenReporting;
/** What the buy's second package runs on. */
let property_ids: string[];

beforeEach(async () => {
  open = await openReporting();
  const buy = await open.book({ days: 6 });
  await open.reporting.buyWebhooks.set(buy, 1, { push: pushTo() });
  await open.pass(DAY_MS + HOUR_MS, { stepMs: DAY_MS });
  property_ids = propertiesOf(open.catalog.products, buy.packages[1]?.product_id ?? '');
});
afterEach(() => open.close());

const decide = (property_id: string, to: PropertyDecision['to'], more: Partial<PropertyDecision> = {}) =>
  decideOnProperty({ ...open.sales, catalog: open.catalog }, { property_id, to, ...more });
const health = async () => {
  const found = await openImpairments(open.sales.impairments, [mediaBuyId('mb_1')]);
  return viewImpairments(found.get('mb_1') ?? []);
};
const told = async () =>
  (await open.sent('mb_1')).map(
    ({ result }) => (result as unknown as { impairment: Record<string, unknown> }).impairment,
  );

describe('a property out of service', () => {
  it('[W9] [B9] impairs the packages that run on nothing else, is told, and is told again when it is back', async () => {
    for (const property_id of property_ids) await decide(property_id, 'out_of_service', { reason: 'sold to another' });
    expect(await health()).toMatchObject({
      health: 'impaired',
      impairments: property_ids.map(() => ({
        resource_type: 'property',
        package_ids: ['pkg_2'],
        reason: 'sold to another',
      })),
    });
    await open.pass(WINDOW_MS, { stepMs: WINDOW_MS });
    expect((await told()).map(({ resource_id, state }) => [resource_id, state]).sort()).toEqual(
      property_ids.map((id) => [id, 'open']).sort(),
    );
    const [first = ''] = property_ids;
    await decide(first, 'in_service');
    expect(await health()).toEqual({ health: 'ok', impairments: [] });
    await open.pass(WINDOW_MS, { stepMs: WINDOW_MS });
    expect((await told()).filter(({ state }) => state === 'resolved')).toHaveLength(property_ids.length);
  });

  it('[W9] [C.events.6] for brand safety is told at once', async () => {
    for (const property_id of property_ids)
      await decide(property_id, 'out_of_service', { reason_code: 'brand_safety' });
    await open.work();
    expect(await told()).toHaveLength(property_ids.length);
  });

  it('is no impairment of a product that runs elsewhere too', async () => {
    const many = [...open.catalog.products.values()].find(
      ({ product_id }) => propertiesOf(open.catalog.products, product_id).length > 1,
    );
    const [first = '', ...others] = propertiesOf(open.catalog.products, many?.product_id ?? '');
    expect(others.length).toBeGreaterThan(0);
    await open.change('mb_1', (buy) => ({
      ...buy,
      packages: buy.packages.map((line) => ({ ...line, product_id: many?.product_id ?? '' })),
    }));
    await decide(first, 'out_of_service');
    expect(await health()).toMatchObject({ health: 'ok' });
  });

  it('is looked after by another process when the one that took it out dies before it looked at the buys', async () => {
    const at = new Date(open.clock.now()).toISOString();
    for (const property_id of property_ids) {
      const row = { property_id, status: 'out_of_service' as const, reason_code: 'fraud' as const, reason: null };
      await open.sales.outages.insert({ ...row, changed_at: at, effects_due_at: at, revision: 1 });
    }
    expect(await outageEffectsDue({ ...open.sales, catalog: open.catalog }, 0)).toBe(property_ids.length);
    expect(await health()).toMatchObject({ health: 'impaired' });
    expect(await outageEffectsDue({ ...open.sales, catalog: open.catalog }, 0)).toBe(0);
  });

  it('impairs a buy that begins to run during the outage, and no buy when it is over', async () => {
    const packages = (await open.sales.mediaBuys.get('mb_1'))?.packages ?? [];
    for (const property_id of property_ids) await decide(property_id, 'out_of_service');
    const late = sampleMediaBuy({
      organization_id: organizationId('org_1'),
      media_buy_id: mediaBuyId('mb_late'),
      task_id: taskId('t_late'),
    });
    await open.sales.mediaBuys.insert({ ...late, packages, buyer_ref: 'late', status: 'active', pending_reason: null });
    const deps = { ...open.sales, catalog: open.catalog };
    expect(await recheckOutages(deps)).toBe(property_ids.length);
    expect((await openImpairments(open.sales.impairments, [late.media_buy_id])).size).toBe(1);
    for (const property_id of property_ids) await decide(property_id, 'in_service');
    expect((await openImpairments(open.sales.impairments, [late.media_buy_id])).size).toBe(0);
    expect(await recheckOutages(deps)).toBe(0);
  });

  it('[S6] impairs a buy that could not be read then, once it can be; others do not wait', async () => {
    const deps = { ...open.sales, catalog: open.catalog };
    const mend = await open.spoil(MediaBuys, 'mb_1', 'packages');
    for (const property_id of property_ids) await decide(property_id, 'out_of_service');
    expect(await outageEffectsDue(deps, 0)).toBe(0);
    await mend();
    expect(await health()).toMatchObject({ health: 'ok' });
    open.clock.advance(10 * 60_000);
    expect(await outageEffectsDue(deps, 0)).toBe(property_ids.length);
    expect(await health()).toMatchObject({ health: 'impaired' });
    expect(await open.sales.outages.count({ effects_due_at: { gt: '' } })).toBe(0);
  });

  it('is one that the catalog has', async () => {
    await expect(decide('nowhere', 'out_of_service')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
