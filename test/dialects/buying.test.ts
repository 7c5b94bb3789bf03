import { randomUUID } from 'node:crypto';
import { beforeAll, afterAll, expect, it } from 'vitest';
import { describeOnStores } from '../support/stores.ts';
import { startTestAgent } from '../journeys/support/test-agent.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { bodyOf, callPublic, schemaErrors } from './support/public-call.ts';

type Json = Record<string, unknown>;
const DAY_MS = 86_400_000;

describeOnStores('a buyer of the public protocol on %s', (store) => {
  let at: TestAgent;
  let product: { product_id: string; pricing_options: { pricing_option_id: string }[] };
  beforeAll(async () => {
    at = await startTestAgent(store, { env: { SIM_SPEED: '1', CREATIVE_REVIEW_SECONDS: '0' } });
    const filters = { is_fixed_price: true, pricing_currencies: ['USD'] };
    const found = await ask('3.1', 'get_products', { buying_mode: 'wholesale', filters });
    product = (found['products'] as (typeof product)[])[0]!;
  });
  afterAll(() => at.stop());

  const ask = async (release: '3.0' | '3.1', skill: string, parameters: Json) => {
    const body = bodyOf(await callPublic(at, skill, { adcp_version: release, ...parameters }));
    console.log(skill, JSON.stringify(body).slice(0, 700));
    expect(schemaErrors(skill, release, body)).toEqual([]);
    return body;
  };
  const account = { brand: { domain: 'Acme.example' }, operator: 'agency.example' };
  const order = (more: Json = {}): Json => ({
    ...{ account, brand: { domain: 'acme.example' }, idempotency_key: randomUUID() },
    start_time: 'asap',
    end_time: new Date(Date.now() + 20 * DAY_MS).toISOString(),
    packages: [
      {
        product_id: product.product_id,
        pricing_option_id: product.pricing_options[0]?.pricing_option_id,
        budget: 20_000,
        bid_price: 3,
        context: { line: 'one' },
      },
    ],
    ...more,
  });

  it('buys', async () => {
    for (const release of ['3.0', '3.1'] as const) {
      const made = await ask(release, 'create_media_buy', order());
      expect(made['media_buy_status']).toBe('pending_creatives');
      const rows = await ask(release, 'get_media_buys', { media_buy_ids: [made['media_buy_id']], include_history: 5 });
      expect(rows['media_buys']).toHaveLength(1);
      await ask(release, 'update_media_buy', { media_buy_id: made['media_buy_id'], account, paused: false, idempotency_key: randomUUID() });
      await ask(release, 'get_media_buy_delivery', { media_buy_ids: [made['media_buy_id']] });
      await ask(release, 'get_media_buy_delivery', {});
      await ask(release, 'update_media_buy', { media_buy_id: made['media_buy_id'], account, canceled: true, idempotency_key: randomUUID() });
      await ask(release, 'get_media_buys', { account, status_filter: ['canceled'] });
      await ask(release, 'list_creatives', {});
      await ask(release, 'sync_creatives', { account, idempotency_key: randomUUID(), creatives: [{ creative_id: 'c1', name: 'x', format_id: { agent_url: at.baseUrl + '/', id: 'none' }, assets: {} }] });
    }
  });
});
