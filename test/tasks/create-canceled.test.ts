import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { AdOrderRecords } from '../../src/adservers/simulator/order-row.ts';
import { AppError } from '../../src/platform/errors.ts';
import type { TaskId } from '../../src/platform/task-id.ts';
import { TaskRuns } from '../../src/runtime/task-run.ts';
import { mediaBuyIdOf } from '../../src/tasks/create-media-buy/new-media-buy.ts';
import { sampleCreative } from '../sales/support/sample-creative.ts';
import { describeOnStores } from '../support/stores.ts';
import { BUYER } from './support/calls.ts';
import { finish, LINE, startInterrupted } from './support/interrupted-agent.ts';
import type { InterruptedAgent } from './support/interrupted-agent.ts';

describeOnStores('on %s, a create_media_buy that is canceled at any of its writes', (store) => {
  let house: InterruptedAgent;
  beforeAll(async () => {
    house = await startInterrupted(store);
    const { core, baseUrl } = house.agent;
    const format_id = { agent_url: baseUrl, id: 'display_300x250' };
    const { organization_id } = BUYER;
    await core.sales.creatives.insert(
      sampleCreative({ organization_id, creative_id: 'banner', format_id, status: 'approved' }),
    );
  });
  afterAll(() => house.close());

  const submit = async (buyer_ref: string, idempotency_key: string) => {
    const { runtime } = house.agent.core;
    const example = runtime.tasks.get('create_media_buy')?.examples[0]?.input;
    const packages = [{ ...LINE, creative_ids: ['banner'] }];
    const input = { ...example, buyer_ref, packages, start_time: 'asap', idempotency_key };
    return runtime.submit({ caller: BUYER, task_type: 'create_media_buy', input });
  };

  async function tryToCancel(task_id: TaskId): Promise<boolean> {
    try {
      return (await house.agent.core.runtime.cancel(BUYER, task_id)).state === 'canceled';
    } catch (error) {
      expect(error).toBeInstanceOf(AppError);
      expect((error as AppError).code).toBe('NOT_CANCELLABLE');
      return false;
    }
  }

  it('leaves a canceled media buy in its place where there was none yet, so that a late turn makes none', async () => {
    const { task_id } = (await submit(`campaign-${randomUUID()}`, randomUUID())).run;
    expect(await tryToCancel(task_id)).toBe(true);
    await finish(house.agent, task_id);
    const left = await house.agent.core.sales.mediaBuys.get(mediaBuyIdOf(task_id));
    expect(left).toMatchObject({ status: 'canceled', open: false });
    expect(left).toMatchObject({ currency: 'USD', total_budget_minor: 500_000, packages: [{ price_minor: 650 }] });
  });

  it.each(['before', 'after'] as const)(
    '[T1.no-return] [B7.effect] [B1.ad-server] never runs, or completes and does; canceled %s a write',
    async (moment) => {
      const { core } = house.agent;
      const orders = core.store.collection(AdOrderRecords);
      const outcomes = new Set<string>();
      for (let n = 1; ; n++) {
        const [buyer_ref, key] = [`campaign-${randomUUID()}`, randomUUID()];
        const { task_id } = (await submit(buyer_ref, key)).run;
        let seen = 0;
        let wasCanceled: boolean | undefined;
        await house.takeTurn(task_id, {
          [moment]: async () => {
            if (++seen === n) wasCanceled = await tryToCancel(task_id);
          },
        });
        const { state } = await finish(house.agent, task_id);
        const media_buy_id = mediaBuyIdOf(task_id);
        const [buy, order] = await Promise.all([core.sales.mediaBuys.get(media_buy_id), orders.get(media_buy_id)]);
        expect(state).toBe(wasCanceled === true ? 'canceled' : 'completed');
        if (wasCanceled === true) {
          expect(buy).toMatchObject({ status: 'canceled', open: false });
          expect([buy?.open_change ?? null, buy?.stop ?? null]).toEqual([null, null]);
          expect(order?.instructions.map((told) => told.state) ?? []).not.toContain('running');
          expect(order?.held?.order?.state ?? 'ended').toBe('ended');
          // The key is free: the same request is a new task, and makes the buy.
          const again = (await submit(buyer_ref, key)).run;
          expect(again.task_id).not.toBe(task_id);
          expect((await finish(house.agent, again.task_id)).state).toBe('completed');
        } else {
          expect(buy?.status).toBe('active');
          expect(order?.held?.order?.state).toBe('running');
          expect(await core.store.collection(TaskRuns).get(task_id)).toMatchObject({ state: 'completed' });
        }
        if (wasCanceled === undefined) break;
        outcomes.add(wasCanceled ? 'canceled' : 'too late');
      }
      expect([...outcomes].sort()).toEqual(['canceled', 'too late']);
    },
    240_000,
  );
});
