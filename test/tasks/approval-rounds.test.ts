import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TaskId } from '../../src/platform/task-id.ts';
import { TaskRuns } from '../../src/runtime/task-run.ts';
import { approvalIdOf } from '../../src/sales/approval/approval.ts';
import type { Approval } from '../../src/sales/approval/approval.ts';
import type { MediaBuyId } from '../../src/sales/media-buy/media-buy-id.ts';
import { mediaBuyIdOf } from '../../src/tasks/create-media-buy/new-media-buy.ts';
import { startTestAgent } from '../journeys/support/test-agent.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { withStoreHooks } from '../support/store-hooks.ts';
import { begin } from './support/calls.ts';
import type { Json } from './support/calls.ts';

const LINE = { product_id: 'gazette_run_of_site', pricing_option_id: 'ros_fixed_usd', budget: 5000 };

/** Turns are done by hand. */
let agent: TestAgent;
/** What happens, once, just before the next write of an approval. */
let beforeApproval: (() => Promise<void>) | undefined;
/** What happens, once, when this task's row has been written. */
let afterRun: { task_id: TaskId; act: () => Promise<void> } | undefined;
beforeAll(async () => {
  agent = await startTestAgent('sqlite', {
    working: false,
    env: { APPROVAL_OVER: 'USD:20000' },
    wrapStore: (store) =>
      withStoreHooks(store, {
        before: async ({ collection }) => {
          const act = collection === 'approvals' ? beforeApproval : undefined;
          if (act === undefined) return;
          beforeApproval = undefined;
          await act();
        },
        after: async ({ collection, key }) => {
          if (collection !== 'task_runs' || key !== afterRun?.task_id) return;
          const { act } = afterRun;
          afterRun = undefined;
          await act();
        },
      }),
  });
});
afterAll(() => agent.stop());

it('[B15] a round that comes after the end of its buy waits for nobody: it is withdrawn, and the task goes on', async () => {
  const { task_id, media_buy_id } = await create(25_000);
  beforeApproval = async () => {
    await turn(await ask(media_buy_id, { status: 'canceled' }));
  };
  await turn(task_id);
  expect(beforeApproval).toBeUndefined();
  expect(await agent.core.sales.approvals.get(approvalIdOf(task_id))).toMatchObject({ status: 'withdrawn' });
  await turn(task_id);
  expect(await runOf(task_id)).toMatchObject({ state: 'completed', run_due_at: null });
  expect(await agent.core.sales.mediaBuys.get(media_buy_id)).toMatchObject({ status: 'canceled' });
});

it('[B2] what waits for a person when the seller cancels its buy owes a turn before the buy is over, and looks again until it is', async () => {
  const { task_id, media_buy_id } = await create(25_000);
  await turn(task_id);
  expect(await runOf(task_id)).toMatchObject({ waits_for: 'person', run_due_at: null });
  const seen: unknown[] = [];
  const act = async () => {
    await turn(task_id);
    seen.push((await agent.core.sales.mediaBuys.get(media_buy_id))?.status, await runOf(task_id));
  };
  afterRun = { task_id, act };
  await agent.core.sales.orders.cancel(media_buy_id, 'the brand is not to be served');
  expect(seen).toMatchObject(['pending', { waits_for: 'person', run_due_at: expect.any(String) as string }]);
  await turn(task_id);
  await turn(task_id);
  expect(await runOf(task_id)).toMatchObject({ state: 'completed' });
  expect(await agent.core.sales.mediaBuys.get(media_buy_id)).toMatchObject({ status: 'canceled' });
});

it('[B2] what waits for the buyer’s answer when the seller cancels its buy asks no more', async () => {
  const { task_id, media_buy_id } = await create(25_000);
  await turn(task_id);
  await agent.core.approvals.ask(approvalIdOf(task_id), { by: 'ann', question: 'whose brand is it?' });
  await turn(task_id);
  expect(await runOf(task_id)).toMatchObject({ state: 'input-required' });
  await agent.core.sales.orders.cancel(media_buy_id, 'the brand is not to be served');
  await turn(task_id);
  expect(await agent.core.sales.approvals.get(approvalIdOf(task_id))).toMatchObject({
    ...{ status: 'withdrawn', decided_by: 'seller' },
  });
  await turn(task_id);
  expect(await runOf(task_id)).toMatchObject({ state: 'completed', run_due_at: null });
});

it('what 0.1.0 approved, and no task has acted on, is made as it was there, whatever it comes to', async () => {
  const { media_buy_id, approval } = await overtaken();
  await agent.core.approvals.approve(approval.approval_id, { by: 'ann' });
  await agent.core.sales.approvals.update(approval.approval_id, of010);
  await turn(approval.task_id);
  expect(await agent.core.sales.mediaBuys.get(media_buy_id)).toMatchObject({ total_budget_minor: 3_000_000 });
});

it('[B15] what waits since 0.1.0 is granted at most the total that it was shown with, and asked again above it', async () => {
  const { media_buy_id, approval } = await overtaken();
  await agent.core.sales.approvals.update(approval.approval_id, of010);
  await agent.core.approvals.approve(approval.approval_id, { by: 'ann' });
  await turn(approval.task_id);
  expect(await agent.core.sales.mediaBuys.get(media_buy_id)).toMatchObject({ total_budget_minor: 1_500_000 });
  const { approvals } = agent.core.sales;
  expect(await approvals.get(approval.approval_id)).toMatchObject({
    status: 'superseded',
    superseded: { because: ['the total is 30000.00 USD, not 25000.00 USD'] },
  });
  const { approval_id } = (await approvals.get(approvalIdOf(approval.task_id, 2))) ?? {};
  await agent.core.approvals.approve(String(approval_id), { by: 'ann' });
  await turn(approval.task_id);
  expect(await agent.core.sales.mediaBuys.get(media_buy_id)).toMatchObject({ total_budget_minor: 3_000_000 });
});

/** An approval as 0.1.0 stored it. */
function of010({ asked_terms: _asked, grant: _grant, ...row }: Approval): Approval {
  return row;
}

/** A raise of 15,000 on a buy of 10,000 that waits, and one of 5,000 that was made since. */
async function overtaken(): Promise<{ media_buy_id: MediaBuyId; approval: Approval }> {
  const { task_id, media_buy_id } = await create(5000);
  await turn(task_id);
  const raise = await ask(media_buy_id, { budget_change: 15_000 });
  await turn(raise);
  await turn(await ask(media_buy_id, { budget_change: 5000 }));
  const approval = await agent.core.sales.approvals.get(approvalIdOf(raise));
  if (approval === undefined) throw new Error('no person is asked');
  return { media_buy_id, approval };
}

async function create(budget: number): Promise<{ task_id: TaskId; media_buy_id: MediaBuyId }> {
  const example = agent.core.runtime.tasks.get('create_media_buy')?.examples[0]?.input;
  const buyer_ref = `campaign-${agent.core.ids.newId()}`;
  const input = { ...example, buyer_ref, packages: [LINE, { ...LINE, budget }] };
  const { task_id } = await begin(agent, 'create_media_buy', input);
  return { task_id, media_buy_id: mediaBuyIdOf(task_id) };
}

async function ask(media_buy_id: MediaBuyId, updates: Json): Promise<TaskId> {
  return (await begin(agent, 'update_media_buy', { media_buy_id, updates })).task_id;
}

const runOf = (task_id: TaskId) => agent.core.store.collection(TaskRuns).get(task_id);

async function turn(task_id: TaskId): Promise<void> {
  const run = await runOf(task_id);
  if (run?.run_due_at == null) throw new Error(`${task_id} owes no turn`);
  await agent.core.runtime.execute({ task_id, turn: run.turn }, new AbortController().signal);
}
