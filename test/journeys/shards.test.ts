import { randomUUID } from 'node:crypto';
import { afterAll, expect, it } from 'vitest';
import { COLLECTIONS } from '../../src/main/wiring/collections.ts';
import type { CollectionSpec, Row } from '../../src/platform/store/collection.ts';
import { exampleCreative } from '../../src/sales/creative/example-creative.ts';
import { MediaBuys } from '../../src/sales/media-buy/media-buys.ts';
import { formatOf } from '../../src/sales/catalog.ts';
import { asSharded, CrossShardError, isSharded } from '../support/sharded-store.ts';
import { describeOnStores } from '../support/stores.ts';
import { until } from '../support/until.ts';
import { openReceiver } from '../webhooks/support/open-receiver.ts';
import { ask, eventsOf, mediaBuyInput, post, send, taskOf } from './support/buyer.ts';
import { startTestAgent } from './support/test-agent.ts';
import { ACROSS } from './support/across-shards.ts';

const cleanUp: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of cleanUp.splice(0).reverse()) await close();
});

describeOnStores('on %s', (store) => {
  it('sharded by organization_id, a buying story, its changes and its reads ask across shards only as declared', async () => {
    const undeclared = new Set<string>();
    const agent = await startTestAgent(store, {
      env: { CREATIVE_REVIEW_SECONDS: '0' },
      wrapStore: (real) =>
        asSharded(real, {
          across: ACROSS,
          onAcross: (shape) => {
            if (!Object.hasOwn(ACROSS, shape)) undeclared.add(shape);
          },
        }),
    });
    cleanUp.push(() => agent.stop());
    const receiver = await openReceiver();
    cleanUp.push(() => receiver.close());

    const input = mediaBuyInput(agent);
    const [line] = input['packages'] as Record<string, unknown>[];
    const push_notification_config = { url: receiver.url(), operation_id: randomUUID() };
    const packages = ['one', 'two', 'three'].map((buyer_ref) => ({ ...line, buyer_ref }));
    const { id } = taskOf(await send(agent, 'create_media_buy', { ...input, packages, push_notification_config }));
    await until(() => eventsOf(receiver.received, id).some(({ body }) => body['status'] === 'completed'));

    const page = await ask(agent, 'get_media_buys', { buyer_ref: input['buyer_ref'] });
    const [buy] = page['media_buys'] as { media_buy_id: string }[];
    const media_buy_id = buy?.media_buy_id;
    const [format_id] = agent.core.catalog.products.get(String(line?.['product_id']))?.format_ids ?? [];
    const format = format_id && formatOf(agent.core.catalog, format_id);
    if (format === undefined) throw new Error('the product has no format');
    await ask(agent, 'sync_creatives', { creatives: [exampleCreative(format, 'banner', 'Banner')] });
    await ask(agent, 'update_media_buy', { media_buy_id, updates: { budget_change: 500 } });
    await ask(agent, 'update_media_buy', { media_buy_id, updates: { status: 'paused' } });
    await ask(agent, 'get_media_buy_delivery', { media_buy_id });
    await ask(agent, 'update_media_buy', { media_buy_id, updates: { status: 'canceled' } });
    for (const [method, params] of [
      ['GetTask', { id }],
      ['ListTasks', { pageSize: 5 }],
    ] as const)
      expect((await post(agent, { jsonrpc: '2.0', id: 1, method, params })).error).toBeUndefined();
    expect([...undeclared].sort()).toEqual([]);
    const buys = agent.core.store.collection(MediaBuys);
    await expect(buys.find({ where: { status: 'active' } })).rejects.toThrow(CrossShardError);
  });
});

it('the collections of what buyers ask for are judged by their organization', () => {
  const sharded = (COLLECTIONS as readonly unknown[])
    .filter((spec) => isSharded(spec as CollectionSpec<Row>))
    .map((spec) => (spec as CollectionSpec<Row>).name);
  // A collection of buyers' rows whose schema is no plain object any more would go unjudged.
  expect(sharded).toEqual(
    expect.arrayContaining(['task_runs', 'deliveries', 'media_buys', 'creatives', 'approvals', 'accounts']),
  );
});
