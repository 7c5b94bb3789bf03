import { afterAll, beforeAll, expect, it } from 'vitest';
import { MediaBuyId } from '../../src/sales/media-buy/media-buy-id.ts';
import type { CallContext, InlineTask } from '../../src/runtime/task-definition.ts';
import { startTestAgent } from '../journeys/support/test-agent.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { dyingAt } from '../runtime/support/open-runtime.ts';
import { organizationId } from '../support/ids.ts';
import { hooksOfEach, withStoreHooks } from '../support/store-hooks.ts';
import { describeOnStores } from '../support/stores.ts';
import { until } from '../support/until.ts';

/** More writes than a seed takes, so that the last ones are not interrupted. */
const WRITES = 14;

describeOnStores('a media buy that is seeded on %s', (store) => {
  let at: TestAgent;
  const { hooks, run } = hooksOfEach();
  beforeAll(async () => {
    at = await startTestAgent(store, {
      env: { COMPLIANCE_TESTING: '1', APPROVAL_OVER: '' },
      wrapStore: (plain) => withStoreHooks(plain, hooks),
    });
  });
  afterAll(() => at.stop());

  /** Seeds as the server does. */
  async function seed(media_buy_id: string): Promise<Record<string, unknown>> {
    const task = at.core.runtime.tasks.get('comply_test_controller') as InlineTask;
    const account_key = { brand_domain: 'seeded.example', brand_id: null, operator: 'seeded.example', sandbox: true };
    const params = { media_buy_id, fixture: { status: 'active' } };
    const caller = { organization_id: organizationId('org_demo_buyer') } as CallContext['caller'];
    const context = { caller, newId: () => at.core.ids.newId() } as CallContext;
    return (await task.answer({ scenario: 'seed_media_buy', params, account_key }, context)).result;
  }

  it('[D4.seeded] is gone on with by the next seed, wherever the process died that began it, and ordered once', async () => {
    const deaths = Array.from({ length: WRITES }, (_, i) => i + 1).flatMap((n) =>
      (['before', 'after'] as const).map((when) => ({ n, when, id: `dying-${when}-${n}` })),
    );
    await Promise.all(
      deaths.map(async ({ n, when, id }) => {
        const death = dyingAt(when, n);
        await run(death, () => Promise.race([death.died, seed(id)]));
        await until(async () => (await seed(id))['success'] === true, undefined, 500);
        const buy = await at.core.sales.mediaBuys.get(MediaBuyId.parse(id));
        expect(buy).toMatchObject({ media_buy_id: id, status: 'active' });
        expect(buy?.is_uncommitted).not.toBe(true);
        // What the dead one had in hand, others tell after a while.
        await until(async () => {
          const order = await at.core.sales.adServer.read(MediaBuyId.parse(id));
          return order.found && order.state === 'running';
        });
      }),
    );
    const where = { organization_id: organizationId('org_demo_buyer') };
    expect(await at.core.sales.mediaBuys.count(where)).toBe(deaths.length);
  });
});
