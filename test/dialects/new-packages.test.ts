import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { INPUT_LIMITS } from '../../src/platform/intake/input-limits.ts';
import { send } from '../journeys/support/buyer.ts';
import type { Json } from '../journeys/support/buyer.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { describeOnStores } from '../support/stores.ts';
import { accountOf, orderOf, packageForSale } from './support/booking.ts';
import { openPublicAgent } from './support/public-agent.ts';
import type { AskPublic } from './support/public-agent.ts';

const account = accountOf('acme.example');

describeOnStores('[D3.changes] [B6.new-packages] packages added in the public protocol, on %s', (store) => {
  let at: TestAgent;
  let ask: AskPublic;
  let line: Json;
  beforeAll(async () => {
    ({ at, ask } = await openPublicAgent(store, { env: { APPROVAL_OVER: 'USD:50000' } }));
    line = await packageForSale(at);
  });
  afterAll(() => at.stop());

  const change = (media_buy_id: unknown, more: Json): Json => ({
    ...{ account, media_buy_id, idempotency_key: randomUUID() },
    ...more,
  });

  it.each(['3.0', '3.1'] as const)(
    '[D3.schema] are told whole in %s, each with its context, once however often they are asked for',
    async (release) => {
      const made = await ask(release, 'create_media_buy', orderOf({ ...line, context: { line: 'one' } }));
      const { media_buy_id, revision } = made;
      expect(made['valid_actions']).toContain('add_packages');
      const new_packages = [
        { ...line, budget: 5000, bid_price: 3, context: { line: 'two' } },
        { ...line, budget: 6000, context: { line: 'three' } },
      ];
      const [{ package_id }] = made['packages'] as [{ package_id: string }];
      const request = change(media_buy_id, { revision, packages: [{ package_id, paused: true }], new_packages });
      const added = await ask(release, 'update_media_buy', request);
      expect(added).toMatchObject({
        ...{ total_budget: 31_000, revision: Number(revision) + 1 },
        affected_packages: [
          { package_id, paused: true },
          { product_id: line['product_id'], budget: 5000, context: { line: 'two' } },
          { budget: 6000, context: { line: 'three' } },
        ],
      });
      const again = await ask(release, 'update_media_buy', request);
      expect(again['affected_packages']).toEqual(added['affected_packages']);
      const read = await ask(release, 'get_media_buys', { account, media_buy_ids: [media_buy_id] });
      const [row] = read['media_buys'] as { packages: Json[] }[];
      expect(row?.packages.map(({ budget, context }) => [budget, context])).toEqual([
        [20_000, { line: 'one' }],
        [5000, { line: 'two' }],
        [6000, { line: 'three' }],
      ]);
      const delivery = await ask(release, 'get_media_buy_delivery', { media_buy_ids: [media_buy_id] });
      const [its] = delivery['media_buy_deliveries'] as { by_package: Json[] }[];
      expect(its?.by_package.map(({ package_id: id }) => id)).toEqual(row?.packages.map(({ package_id: id }) => id));
      // In our own words they are packages like any other.
      const ours = JSON.stringify(await send(at, 'get_media_buys', { media_buy_ids: [media_buy_id] }));
      expect(ours).not.toContain('"three"');
    },
  );

  it('wait for a person where the new total does', async () => {
    const { media_buy_id } = await ask('3.1', 'create_media_buy', orderOf(line));
    const asked = await ask(
      '3.1',
      'update_media_buy',
      change(media_buy_id, { new_packages: [{ ...line, budget: 40_000 }] }),
    );
    expect(asked).toMatchObject({ status: 'submitted', task_id: expect.any(String) as string });
    const read = await ask('3.1', 'get_media_buys', { account, media_buy_ids: [media_buy_id] });
    expect(read['media_buys']).toMatchObject([{ total_budget: 20_000 }]);
  });

  it.each<[string, Json, string, string]>([
    ['of an unknown product', { product_id: 'none' }, 'PRODUCT_NOT_FOUND', 'product_id'],
    ['with nothing to spend', { budget: 0 }, 'INVALID_REQUEST', 'budget'],
    ['with too little', { budget: 1 }, 'BUDGET_TOO_LOW', 'budget'],
    ['that ends after the media buy', { end_time: '2030-01-01T00:00:00Z' }, 'INVALID_REQUEST', 'end_time'],
    [
      'with a creative of nobody',
      { creative_assignments: [{ creative_id: 'none' }] },
      'CREATIVE_NOT_FOUND',
      'creative_assignments[0].creative_id',
    ],
  ])('[D4.refused] %s is refused by name', async (_what, wrong, code, field) => {
    const { media_buy_id } = await ask('3.1', 'create_media_buy', orderOf(line));
    const new_packages = [{ ...line, ...wrong }];
    const refused = await ask('3.1', 'update_media_buy', change(media_buy_id, { new_packages }));
    expect(refused).toMatchObject({ status: 'failed', adcp_error: { code, field: `new_packages[0].${field}` } });
  });

  it('are refused when what is only told again comes to too much with that of the packages before', async () => {
    const { media_buy_id } = await ask('3.1', 'create_media_buy', orderOf(line));
    const context = { text: 'x'.repeat(INPUT_LIMITS.contextBytes / 2) };
    const add = () =>
      ask('3.1', 'update_media_buy', change(media_buy_id, { new_packages: [{ ...line, budget: 5000, context }] }));
    expect(await add()).toMatchObject({ total_budget: 25_000 });
    expect(await add()).toMatchObject({ adcp_error: { code: 'INVALID_REQUEST', field: 'new_packages' } });
  });
});
