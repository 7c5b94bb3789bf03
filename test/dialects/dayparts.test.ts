import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Json } from '../journeys/support/buyer.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { describeOnStores } from '../support/stores.ts';
import { accountOf, orderOf } from './support/booking.ts';
import { openPublicAgent } from './support/public-agent.ts';
import type { AskPublic } from './support/public-agent.ts';
import { RELEASES } from './support/public-call.ts';
import type { Release } from './support/public-call.ts';

const account = accountOf('acme.example');
const mornings = { days: ['monday', 'friday'], start_hour: 6, end_hour: 10 };
const evenings = { days: ['sunday'], start_hour: 20, end_hour: 24, label: 'late' };
const inUtc = (daypart: Json): Json => ({ ...daypart, timezone: 'UTC' });
/** Clocks that are not kept here. */
const OTHERS: [string, Json][] = [
  ['that of the place, as nothing is said', {}],
  ['that of the place', { timezone: 'inventory_local' }],
  ['another zone', { timezone: 'America/New_York' }],
];

describeOnStores('[D3.dayparts] hours of a package in the public protocol, on %s,', (store) => {
  let at: TestAgent;
  let ask: AskPublic;
  beforeAll(async () => {
    ({ at, ask } = await openPublicAgent(store));
  });
  afterAll(() => at.stop());

  /** A package of a product that is sold by the hour. */
  function lineFor(...daypart_targets: Json[]): Json {
    for (const { product_id, targeting, pricing_options } of at.core.catalog.products.values()) {
      const option = pricing_options.find(
        ({ currency, pricing_model }) => currency === 'USD' && pricing_model !== 'cpm-auction',
      );
      if (!targeting.dayparting || option === undefined) continue;
      const { pricing_option_id } = option;
      return { product_id, pricing_option_id, budget: 20_000, targeting_overlay: { daypart_targets } };
    }
    throw new Error('no product is sold by the hour');
  }

  async function told(release: Release, { media_buy_id }: Json): Promise<unknown> {
    const body = await ask(release, 'get_media_buys', { account, media_buy_ids: [media_buy_id] });
    const [buy] = body['media_buys'] as [{ packages: { targeting_overlay?: Json }[] }];
    return buy.packages.map(({ targeting_overlay }) => targeting_overlay?.['daypart_targets']);
  }

  const stored = async ({ media_buy_id }: Json) =>
    (await at.core.sales.mediaBuys.get(String(media_buy_id)))?.packages.map(
      ({ targeting_overlay }) => targeting_overlay?.['daypart_targets'],
    );

  const refusedAt = (place: string) => ({
    adcp_error: { code: 'UNSUPPORTED_FEATURE', field: `${place}.timezone`, suggestion: 'UTC', recovery: 'correctable' },
  });

  it.each(OTHERS)('are not taken by the clock of 3.2 where that is %s, and nothing is booked', async (_, clock) => {
    const before = (await ask('3.2', 'get_media_buys', { account }))['media_buys'];
    const order = orderOf(lineFor(inUtc(mornings), { ...evenings, ...clock }));
    const refused = await ask('3.2', 'create_media_buy', order);
    expect(refused).toMatchObject(refusedAt('packages[0].targeting_overlay.daypart_targets[1]'));
    expect((await ask('3.2', 'get_media_buys', { account }))['media_buys']).toEqual(before);
  });

  it.each(['UTC', 'Etc/UTC'])('are taken and told as UTC where they name %s', async (timezone) => {
    const made = await ask('3.2', 'create_media_buy', orderOf(lineFor({ ...mornings, timezone })));
    expect(made).toMatchObject({ status: 'completed' });
    expect(await stored(made)).toEqual([[mornings]]);
    expect(await told('3.2', made)).toEqual([[inUtc(mornings)]]);
    // Earlier releases have no word for it.
    for (const release of ['3.0', '3.1'] as const) expect(await told(release, made)).toEqual([[mornings]]);
  });

  it.each(['3.0', '3.1'] as const)('have no clock in %s: they are of UTC, and 3.2 is told so', async (release) => {
    const made = await ask(release, 'create_media_buy', orderOf(lineFor(mornings)));
    expect(await told(release, made)).toEqual([[mornings]]);
    expect(await told('3.2', made)).toEqual([[inUtc(mornings)]]);
    const named = await ask(release, 'create_media_buy', orderOf(lineFor(inUtc(mornings))));
    expect(named).toMatchObject({ status: 'failed' });
  });

  it('are changed by the same rule, by update_media_buy and control_media_buy, and of new packages', async () => {
    const made = await ask('3.2', 'create_media_buy', orderOf(lineFor(inUtc(mornings))));
    const { media_buy_id } = made;
    const [{ package_id }] = made['packages'] as [Json];
    const change = async (skill: string, more: Json) => {
      const { revision } = (await at.core.sales.mediaBuys.get(String(media_buy_id))) ?? {};
      return ask('3.2', skill, { account, media_buy_id, revision, idempotency_key: randomUUID(), ...more });
    };
    const narrowed = (daypart: Json) => ({
      packages: [{ package_id, targeting_overlay: { daypart_targets: [daypart] } }],
    });
    for (const skill of ['update_media_buy', 'control_media_buy']) {
      const refused = await change(skill, narrowed(evenings));
      expect(refused).toMatchObject(refusedAt('packages[0].targeting_overlay.daypart_targets[0]'));
      expect(await stored(made)).toEqual([[mornings]]);
    }
    const added = await change('update_media_buy', { new_packages: [lineFor(evenings)] });
    expect(added).toMatchObject(refusedAt('new_packages[0].targeting_overlay.daypart_targets[0]'));
    await change('update_media_buy', { new_packages: [lineFor(inUtc(evenings))] });
    expect(await told('3.2', made)).toEqual([[inUtc(mornings)], [inUtc(evenings)]]);
    await change('control_media_buy', narrowed(inUtc(evenings)));
    expect(await told('3.2', made)).toEqual([[inUtc(evenings)], [inUtc(evenings)]]);
    // One dimension is changed, and the hours stand.
    await change('update_media_buy', {
      packages: [{ package_id, targeting_overlay: { geo_countries_exclude: ['CA'] } }],
    });
    expect(await told('3.2', made)).toEqual([[inUtc(evenings)], [inUtc(evenings)]]);
  });

  it('stand in the terms of what is bought as it is published', async () => {
    const { feed_version } = await ask('3.2', 'list_products', {});
    const buy = (daypart: Json) => {
      const { packages, brand: _brand, ...order } = orderOf(lineFor(daypart)) as Json & { packages: Json[] };
      return ask('3.2', 'buy_products', { ...order, feed_version, purchases: packages });
    };
    expect(await buy(mornings)).toMatchObject(refusedAt('purchases[0].targeting_overlay.daypart_targets[0]'));
    expect(await buy(inUtc(mornings))).toMatchObject({
      accepted_proposal: {
        commercial_terms: { purchases: [{ targeting_overlay: { daypart_targets: [inUtc(mornings)] } }] },
      },
    });
  });

  it.each(RELEASES)('are promised in %s by the clock that is kept, where that has words for it', async (release) => {
    const whole = { buying_mode: 'wholesale', pagination: { max_results: 100 } };
    const products = (await ask(release, 'get_products', whole))['products'] as (Json & { overlay_support?: Json })[];
    const promised = { timezone_modes: ['iana'], iana_timezones: ['UTC', 'Etc/UTC'] };
    for (const { product_id, overlay_support } of products) {
      const isSold = at.core.catalog.products.get(String(product_id))?.targeting.dayparting === true;
      const isTold = release === '3.2' && isSold;
      expect([product_id, overlay_support?.['daypart_targets']]).toEqual([product_id, isTold ? promised : undefined]);
    }
  });
});
