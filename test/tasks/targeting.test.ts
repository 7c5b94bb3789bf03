import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { AdOrderRecords } from '../../src/adservers/simulator/order-row.ts';
import type { MediaBuy } from '../../src/sales/media-buy/media-buy.ts';
import { packageId } from '../../src/sales/media-buy/package-id.ts';
import { startTestAgent } from '../journeys/support/test-agent.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { sampleMediaBuy } from '../sales/support/sample-media-buy.ts';
import { mediaBuyId, organizationId, taskId } from '../support/ids.ts';
import { describeOnStores } from '../support/stores.ts';
import { makeBuy, refusal, result } from './support/calls.ts';
import type { Json } from './support/calls.ts';

describeOnStores('targeting on %s', (store) => {
  let agent: TestAgent;
  beforeAll(async () => {
    agent = await startTestAgent(store);
  });
  afterAll(() => agent.stop());

  /** Packages of a product of the US and Canada, one for each targeting. */
  const packages = (...overlays: (Json | undefined)[]) =>
    overlays.map((targeting_overlay) => ({
      product_id: 'gazette_run_of_site',
      pricing_option_id: 'ros_fixed_usd',
      budget: 5000,
      ...(targeting_overlay !== undefined && { targeting_overlay }),
    }));
  const refusedCreate = (...overlays: Json[]) => {
    const example = agent.core.runtime.tasks.get('create_media_buy')?.examples[0]?.input;
    const changes = { buyer_ref: `ref-${randomUUID()}`, packages: packages(...overlays) };
    return refusal(agent, 'create_media_buy', { ...example, ...changes });
  };
  const update = (media_buy_id: string, updates: Json) => result(agent, 'update_media_buy', { media_buy_id, updates });
  const refusedUpdate = (media_buy_id: string, updates: Json) =>
    refusal(agent, 'update_media_buy', { media_buy_id, updates });
  const echoed = async (media_buy_id: string) => {
    const { media_buys } = await result(agent, 'get_media_buys', { media_buy_ids: [media_buy_id] });
    const [buy] = media_buys as { packages: Json[] }[];
    return (buy?.packages ?? []).map(({ targeting_overlay }) => targeting_overlay);
  };
  /** What the ad server holds of each line. */
  const atAdServer = async (media_buy_id: string) => {
    const order = await agent.core.store.collection(AdOrderRecords).get(media_buy_id);
    return (order?.held?.order?.lines ?? []).map(({ targeting, frequency_cap }) => ({
      targeting,
      frequency_cap,
    }));
  };
  const packageIds = (buy: { packages: Json[] }) => buy.packages.map(({ package_id }) => String(package_id));
  const DEVICES = { any: ['desktop', 'mobile', 'tablet'] };

  it('[B14] what a create asks for is told to the ad server, read back from it, and echoed as it was sent', async () => {
    const overlay = {
      geo: { countries: ['US'], regions: ['US-NY'] },
      audiences: ['news_daily'],
      frequency_cap: { max_impressions: 3, window: { interval: 1, unit: 'days' } },
    };
    const { media_buy_id } = await makeBuy(agent, { packages: packages(overlay, undefined) });
    expect(await atAdServer(media_buy_id)).toEqual([
      {
        targeting: {
          countries: { any: ['US'] },
          regions: { any: ['US-NY'] },
          audiences: { any: ['news_daily'] },
          devices: DEVICES,
        },
        frequency_cap: { max: 3, per: 1, unit: 'day' },
      },
      { targeting: { countries: { any: ['US', 'CA'] }, devices: DEVICES }, frequency_cap: undefined },
    ]);
    expect(await echoed(media_buy_id)).toEqual([overlay, undefined]);
  });

  it('[B14] what an update asks for is told and echoed likewise, and an empty overlay takes the targeting off', async () => {
    const buy = await makeBuy(agent, { packages: packages({ geo_countries: ['US'] }, undefined) });
    const [first] = packageIds(buy);
    await update(buy.media_buy_id, {
      targeting: { geo: { countries: ['CA'] } },
      packages: [{ package_id: first, targeting_overlay: { device_type: ['mobile'] } }],
    });
    expect(await echoed(buy.media_buy_id)).toEqual([{ device_type: ['mobile'] }, { geo: { countries: ['CA'] } }]);
    expect((await atAdServer(buy.media_buy_id)).map(({ targeting }) => targeting)).toEqual([
      { countries: { any: ['US', 'CA'] }, devices: { any: ['mobile'] } },
      { countries: { any: ['CA'] }, devices: DEVICES },
    ]);
    await update(buy.media_buy_id, { targeting: {} });
    expect(await echoed(buy.media_buy_id)).toEqual([{}, {}]);
    expect((await atAdServer(buy.media_buy_id)).map(({ targeting }) => targeting)).toEqual([
      { countries: { any: ['US', 'CA'] }, devices: DEVICES },
      { countries: { any: ['US', 'CA'] }, devices: DEVICES },
    ]);
  });

  it('[B14] a create refuses what the product does not offer, everything at once, beside what else is wrong', async () => {
    const error = await refusedCreate({ geo: { countries: ['FR'] }, audiences: ['nobody'] }, { language: ['fr'] });
    expect(error).toMatchObject({
      code: 'UNSUPPORTED_FEATURE',
      recovery: 'correctable',
      field: 'packages[0].targeting_overlay.geo.countries',
    });
    expect(error.issues?.map(({ pointer }) => pointer)).toEqual([
      '/packages/0/targeting_overlay/geo/countries',
      '/packages/0/targeting_overlay/audiences',
      '/packages/1/targeting_overlay/language',
    ]);
  });

  it.each([
    [{ geo: { countries: ['FR'] }, geoo: 1, audiences: ['nobody'] }, 'geoo'],
    [{ geo: 1.5 }, 'geo'],
    [{ geo: { countries: ['ZZ'] } }, 'geo.countries[0]'],
  ])('[B14] a create and an update refuse %j by its path', async (overlay, field) => {
    const { media_buy_id, ...buy } = await makeBuy(agent, { packages: packages(undefined) });
    const [package_id] = packageIds(buy);
    expect(await refusedCreate(overlay)).toMatchObject({
      code: 'VALIDATION_ERROR',
      field: `packages[0].targeting_overlay.${field}`,
    });
    expect(await refusedUpdate(media_buy_id, { targeting: overlay })).toMatchObject({
      code: 'VALIDATION_ERROR',
      field: `updates.targeting.${field}`,
    });
    expect(await refusedUpdate(media_buy_id, { packages: [{ package_id, targeting_overlay: overlay }] })).toMatchObject(
      { code: 'VALIDATION_ERROR', field: `updates.packages[0].targeting_overlay.${field}` },
    );
  });

  it('[B14] an update refuses what the product does not offer at its place in the update, and changes nothing', async () => {
    const { media_buy_id, ...buy } = await makeBuy(agent, { packages: packages(undefined, undefined) });
    const [, second] = packageIds(buy);
    const before = await atAdServer(media_buy_id);
    const error = await refusedUpdate(media_buy_id, {
      targeting: { geo: { countries: ['FR'] } },
      packages: [{ package_id: second, targeting_overlay: { device_type: ['ctv'] } }],
    });
    expect(error).toMatchObject({ code: 'UNSUPPORTED_FEATURE', field: 'updates.targeting.geo.countries' });
    expect(error.issues?.map(({ pointer }) => pointer)).toEqual([
      '/updates/targeting/geo/countries',
      '/updates/packages/0/targeting_overlay/device_type',
    ]);
    const both = await refusedUpdate(media_buy_id, { targeting: { geo: { countries: ['FR'] } } });
    expect(both.issues).toHaveLength(1);
    expect(await echoed(media_buy_id)).toEqual([undefined, undefined]);
    expect(await atAdServer(media_buy_id)).toEqual(before);
  });

  it('[B14] a buy of 0.1.0 goes on with any old overlay: what is understood is told, the rest to no ad server', async () => {
    const old = await insertOldBuy({ geo: 1.5, geoo: 1, geo_countries: ['US'], 0: [null] });
    expect(await echoed(old.media_buy_id)).toEqual([
      { geo: 1.5, geoo: 1, geo_countries: ['US'], 0: [null] },
      undefined,
    ]);
    await agent.core.sales.flights.process(old.media_buy_id);
    await update(old.media_buy_id, { status: 'paused' });
    expect((await atAdServer(old.media_buy_id)).map(({ targeting }) => targeting)).toEqual([
      { countries: { any: ['US'] } },
      {},
    ]);
    const [first] = packageIds(old);
    const packages = (targeting_overlay: Json) => [{ package_id: first, targeting_overlay }];
    expect(await refusedUpdate(old.media_buy_id, { packages: packages({ geo_countries: ['FR'] }) })).toMatchObject({
      code: 'UNSUPPORTED_FEATURE',
      field: 'updates.packages[0].targeting_overlay.geo_countries',
    });
    await update(old.media_buy_id, { packages: packages({ geo_countries: ['CA'] }) });
    expect((await atAdServer(old.media_buy_id)).map(({ targeting }) => targeting)).toEqual([
      { countries: { any: ['CA'] }, devices: { any: ['ctv'] } },
      {},
    ]);
  });

  it('[B14] the targeting of a package whose product is sold no more can be taken off and not changed', async () => {
    const old = await insertOldBuy({ geo_countries: ['US'] }, 'gone');
    const [package_id] = packageIds(old);
    const set = (targeting_overlay: Json) => ({ packages: [{ package_id, targeting_overlay }] });
    expect(await refusedUpdate(old.media_buy_id, set({ geo_countries: ['CA'] }))).toMatchObject({
      code: 'UNSUPPORTED_FEATURE',
      field: 'updates.packages[0].targeting_overlay.geo_countries',
    });
    await update(old.media_buy_id, set({}));
    expect(await echoed(old.media_buy_id)).toEqual([{}, undefined]);
  });

  /** A buy as 0.1.0 left it, in the store and with the ad server looking after it. */
  async function insertOldBuy(targeting_overlay: Json, product_id?: string): Promise<MediaBuy> {
    const media_buy_id = mediaBuyId(`mb_${randomUUID().replaceAll('-', '')}`);
    const nowMs = Date.now();
    const at = (days: number) => new Date(nowMs + days * 86_400_000).toISOString();
    const sample = sampleMediaBuy();
    const buy = sampleMediaBuy({
      media_buy_id,
      organization_id: organizationId('org_demo_buyer'),
      buyer_ref: `old-${media_buy_id}`,
      task_id: taskId(randomUUID()),
      created_at: at(0),
      updated_at: at(0),
      start_time: at(1),
      end_time: at(60),
      packages: sample.packages.map((line, i) => ({
        ...line,
        package_id: packageId(media_buy_id, i + 1),
        creative_ids: [],
        targeting_overlay: i === 0 ? targeting_overlay : null,
        ...(product_id !== undefined && { product_id }),
      })),
    });
    await agent.core.sales.mediaBuys.insert(buy);
    await agent.core.sales.flights.open(buy);
    return buy;
  }
});
