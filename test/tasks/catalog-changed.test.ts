import { randomUUID } from 'node:crypto';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { compose } from '../../src/main/wiring/compose.ts';
import type { Core } from '../../src/main/wiring/compose.ts';
import type { JsonObject } from '../../src/platform/json-object.ts';
import { TaskId } from '../../src/platform/task-id.ts';
import { TaskRuns } from '../../src/runtime/task-run.ts';
import type { TaskRun } from '../../src/runtime/task-run.ts';
import { mediaBuyIdOf } from '../../src/tasks/create-media-buy/new-media-buy.ts';
import { accountOf, orderOf } from '../dialects/support/booking.ts';
import { bodyOf, callPublic } from '../dialects/support/public-call.ts';
import { startTestAgent } from '../journeys/support/test-agent.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { describeOnStores } from '../support/stores.ts';
import { BUYER } from './support/calls.ts';
import { LINE, takeOwedTurn } from './support/interrupted-agent.ts';

interface Sold {
  product_id: string;
  pricing_options: { pricing_option_id: string; price?: number }[];
}

describeOnStores('a media buy that is asked of one catalog and booked by another, on %s', (store) => {
  let agent: TestAgent;
  let dearer: Core;
  let emptier: Core;
  const cleanUp: (() => Promise<unknown>)[] = [];

  /** The process of a release whose catalog is another. */
  async function releaseWith(change: (products: Sold[]) => Sold[]): Promise<Core> {
    const catalogDir = await mkdtemp(join(tmpdir(), 'media-buy-agent-catalog-'));
    await cp(join(import.meta.dirname, '../../catalog'), catalogDir, { recursive: true });
    const file = join(catalogDir, 'products.json');
    await writeFile(file, JSON.stringify(change(JSON.parse(await readFile(file, 'utf8')) as Sold[])));
    const { config, log, baseUrl } = agent.core;
    const core = await compose({ config: { ...config, catalogDir }, log, baseUrl });
    cleanUp.push(
      () => core.close(),
      () => rm(catalogDir, { recursive: true, force: true }),
    );
    return core;
  }

  beforeAll(async () => {
    agent = await startTestAgent(store, { working: false, env: { APPROVAL_OVER: 'USD:50000' } });
    dearer = await releaseWith((products) =>
      products.map((product) => ({
        ...product,
        pricing_options: product.pricing_options.map((one) =>
          one.price === undefined ? one : { ...one, price: one.price + 1 },
        ),
      })),
    );
    emptier = await releaseWith((products) => products.filter(({ product_id }) => product_id !== LINE.product_id));
  });
  afterAll(async () => {
    for (const clean of cleanUp) await clean();
    await agent.stop();
  });

  async function submit(line: JsonObject): Promise<TaskId> {
    const example = agent.core.runtime.tasks.get('create_media_buy')?.examples[0]?.input;
    const input = { ...example, buyer_ref: `campaign-${randomUUID()}`, packages: [line], start_time: 'asap' };
    return (await agent.core.runtime.submit({ caller: BUYER, task_type: 'create_media_buy', input })).run.task_id;
  }

  /** What the task is once such a release has done what it owes. */
  async function done(core: Core, task_id: TaskId): Promise<TaskRun | undefined> {
    await takeOwedTurn(core, task_id);
    await core.runtime.reconcile(0);
    return core.store.collection(TaskRuns).get(task_id);
  }

  const errorOf = (run: TaskRun | undefined) => run?.events.findLast((event) => event.kind === 'status')?.data;
  const buyOf = (task_id: TaskId) => agent.core.sales.mediaBuys.get(mediaBuyIdOf(task_id));

  it('[B4] is booked at no other price than the one that the buyer says it counts on', async () => {
    const task_id = await submit({ ...LINE, currency: 'USD', price: 6.5 });
    const run = await done(dearer, task_id);
    expect(run).toMatchObject({ state: 'failed' });
    expect(errorOf(run)).toMatchObject({ error: { code: 'CONFLICT', field: 'packages[0].price' } });
    const asked = {
      currency: 'USD',
      total_budget_minor: 500_000,
      packages: [{ product_name: expect.any(String) as string }],
    };
    expect(await buyOf(task_id)).toMatchObject({ status: 'canceled', open: false, ...asked });
  });

  it('[B4] is booked at the price that holds then, where the buyer counts on none, and tells it', async () => {
    const task_id = await submit(LINE);
    expect(await done(dearer, task_id)).toMatchObject({ state: 'completed' });
    expect((await buyOf(task_id))?.packages).toMatchObject([{ price_minor: 750 }]);
  });

  it('[D3.changes] is not bought as published where something else is published by then', async () => {
    const named = { adcp_version: '3.2' };
    const { feed_version } = bodyOf(await callPublic(agent, 'list_products', named));
    const bought = bodyOf(
      await callPublic(agent, 'buy_products', {
        ...{ ...named, account: accountOf('acme.example'), idempotency_key: randomUUID(), feed_version },
        ...{ purchases: [LINE], start_time: 'asap' },
        end_time: new Date(Date.now() + 20 * 86_400_000).toISOString(),
        push_notification_config: undefined,
      }),
    );
    expect(bought).toMatchObject({ status: 'submitted' });
    const task_id = TaskId.parse(bought['task_id']);
    expect(await done(dearer, task_id)).toMatchObject({ state: 'failed' });
    const told = bodyOf(await callPublic(agent, 'get_task_status', { ...named, task_id, include_result: true }));
    expect(JSON.stringify(told)).toContain('purchases[0].pricing');
    expect(await buyOf(task_id)).toMatchObject({ status: 'canceled', open: false });
  });

  it('[D4] undone, it is seen under the account that it was asked for, and under no other', async () => {
    const asked = orderOf(LINE, { account: accountOf('undone.example'), push_notification_config: undefined });
    const told = bodyOf(await callPublic(agent, 'create_media_buy', { adcp_version: '3.1', ...asked }));
    const task_id = TaskId.parse(told['task_id']);
    expect(await done(emptier, task_id)).toMatchObject({ state: 'failed' });
    const seen = async (domain: string, more: JsonObject) => {
      const account = accountOf(domain);
      const body = bodyOf(await callPublic(agent, 'get_media_buys', { adcp_version: '3.1', account, ...more }));
      return (body['media_buys'] as JsonObject[] | undefined)?.map(({ media_buy_id }) => media_buy_id);
    };
    const media_buy_id = mediaBuyIdOf(task_id);
    const named = { media_buy_ids: [media_buy_id] };
    const canceled = { status_filter: 'canceled' };
    // Beside those that are of no account, as what was booked in our own words.
    expect(await seen('undone.example', canceled)).toContain(media_buy_id);
    expect(await seen('undone.example', named)).toEqual([media_buy_id]);
    expect(await seen('acme.example', canceled)).not.toContain(media_buy_id);
    expect(await seen('acme.example', named)).not.toEqual([media_buy_id]);
  });

  it('[B1] is refused where the product is gone, and undone for good', async () => {
    const task_id = await submit(LINE);
    const run = await done(emptier, task_id);
    expect(errorOf(run)).toMatchObject({ error: { code: 'PRODUCT_NOT_FOUND' } });
    expect([run?.state, run?.fault_log]).toEqual(['failed', undefined]);
    const named = { total_budget_minor: 0, packages: [{ product_id: LINE.product_id, budget_minor: 0 }] };
    expect(await buyOf(task_id)).toMatchObject({ status: 'canceled', open: false, ...named });
  });
});
