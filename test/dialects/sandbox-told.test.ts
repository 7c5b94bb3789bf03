import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../journeys/support/buyer.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { describeOnStores } from '../support/stores.ts';
import { accountOf, orderOf, packageForSale } from './support/booking.ts';
import { openPublicAgent } from './support/public-agent.ts';
import type { AskPublic } from './support/public-agent.ts';
import { RELEASES } from './support/public-call.ts';
import type { Release } from './support/public-call.ts';

describeOnStores('[D4.sandbox] what is of a sandbox account, on %s,', (store) => {
  let at: TestAgent;
  let ask: AskPublic;
  let line: Json;
  beforeAll(async () => {
    ({ at, ask } = await openPublicAgent(store, { env: { CREATIVE_REVIEW_SECONDS: '0' } }));
    line = await packageForSale(at);
  });
  afterAll(() => at.stop());

  /** What each task answers that has a place for it, under an account. */
  async function answers(release: Release, account: Json): Promise<Json> {
    const keyed = () => ({ account, idempotency_key: randomUUID() });
    const made = await ask(release, 'create_media_buy', orderOf(line, { account }));
    const { media_buy_id, account: told } = made as { media_buy_id: string; account: { account_id: string } };
    const example = at.core.runtime.tasks.get('sync_creatives')?.examples[0]?.input as { creatives: Json[] };
    const creatives = [{ ...example.creatives[0], creative_id: `c-${randomUUID()}` }];
    const byId = { account_id: told.account_id };
    const [start, end] = [-1, 20].map((hours) => new Date(Date.now() + hours * 3_600_000).toISOString());
    const feedback = { media_buy_id, measurement_period: { start, end }, performance_index: 1 };
    return {
      create_media_buy: made,
      update_media_buy: await ask(release, 'update_media_buy', { ...keyed(), media_buy_id, paused: true }),
      update_without: await ask(release, 'update_media_buy', {
        ...keyed(),
        account: byId,
        media_buy_id,
        paused: false,
      }),
      sync_creatives: await ask(release, 'sync_creatives', { ...keyed(), creatives }),
      get_products: await ask(release, 'get_products', { account: byId, buying_mode: 'wholesale' }),
      list_creative_formats: await ask(release, 'list_creative_formats', { account: byId }),
      get_media_buys: await ask(release, 'get_media_buys', { account: byId }),
      get_media_buy_delivery: await ask(release, 'get_media_buy_delivery', { account, media_buy_ids: [media_buy_id] }),
      list_creatives: await ask(release, 'list_creatives', { account }),
      feedback: await ask(release, 'provide_performance_feedback', { ...keyed(), ...feedback, account: undefined }),
    };
  }

  describe.each(RELEASES)('in %s', (release) => {
    it('is told to be so by every answer that has a place for it, and nothing else is', async () => {
      const account = accountOf(`${randomUUID()}.example`);
      const tested = await answers(release, { ...account, sandbox: true });
      for (const [name, answer] of Object.entries(tested))
        expect([name, answer]).toMatchObject([name, { sandbox: true }]);
      for (const [name, answer] of Object.entries(await answers(release, account)))
        expect([name, 'sandbox' in (answer as Json)]).toEqual([name, false]);
      const refused = await ask(
        release,
        'create_media_buy',
        orderOf({ ...line, budget: 0 }, { account: { ...account, sandbox: true } }),
      );
      expect(refused).not.toHaveProperty('sandbox');
    });
  });
});
