import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { MediaBuyId } from '../../src/sales/media-buy/media-buy-id.ts';
import { send } from '../journeys/support/buyer.ts';
import type { Json } from '../journeys/support/buyer.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { describeOnStores } from '../support/stores.ts';
import { until } from '../support/until.ts';
import { accountOf, orderOf } from './support/booking.ts';
import { openPublicAgent } from './support/public-agent.ts';
import type { AskPublic } from './support/public-agent.ts';
import { RELEASES } from './support/public-call.ts';

const account = accountOf('acme.example');
const LINE = { product_id: 'thames_review_display', pricing_option_id: 'thames_fixed_gbp', budget: 5000 };
const POLICIES = {
  cancellation_policy: { notice_period: { interval: 1, unit: 'seconds' }, cancellation_fee: { type: 'none' } },
  creative_policy: {
    ...{ co_branding: 'none', landing_page: 'any', templates_available: false, provenance_required: false },
  },
};

describeOnStores('[D3.products] policies of a product, on %s,', (store) => {
  let at: TestAgent;
  let ask: AskPublic;
  beforeAll(async () => {
    ({ at, ask } = await openPublicAgent(store, { env: { CREATIVE_REVIEW_SECONDS: '0' } }));
  });
  afterAll(() => at.stop());

  it('are told in every release of the products that have them, and not in our own words', async () => {
    for (const release of RELEASES) {
      const { products } = await ask(release, 'get_products', { buying_mode: 'wholesale' });
      const having = (products as Json[]).filter((one) => 'cancellation_policy' in one || 'creative_policy' in one);
      expect(having).toMatchObject([{ product_id: LINE.product_id, ...POLICIES }]);
    }
    const ours = JSON.stringify(await send(at, 'get_products', { brief: '' }));
    expect(ours).toContain(LINE.product_id);
    expect(ours).not.toMatch(/cancellation_policy|creative_policy/);
  });

  it.each(RELEASES)('are held to in %s: a banner alone runs, and a cancellation ends it at once', async (release) => {
    const creative = {
      ...{
        creative_id: `plain-${release}`,
        name: 'Plain',
        format_id: { agent_url: at.baseUrl, id: 'display_300x250' },
      },
      assets: { image: { url: 'https://cdn.acme.example/trail.png', width: 300, height: 250 } },
    };
    const made = await ask(release, 'create_media_buy', orderOf({ ...LINE, creatives: [creative] }));
    const id = MediaBuyId.parse(made['media_buy_id']);
    const state = async () => {
      const held = await at.core.sales.adServer.read(id);
      return held.found && held.state;
    };
    await until(async () => (await state()) === 'running');
    const canceled = await ask(release, 'update_media_buy', {
      ...{ account, media_buy_id: id, idempotency_key: randomUUID(), canceled: true },
    });
    expect(canceled).toMatchObject({ media_buy_status: 'canceled' });
    expect(await state()).toBe('ended');
    const { media_buy_deliveries } = await ask(release, 'get_media_buy_delivery', { account, media_buy_ids: [id] });
    expect(media_buy_deliveries).toMatchObject([{ totals: { spend: 0 } }]);
  });
});
