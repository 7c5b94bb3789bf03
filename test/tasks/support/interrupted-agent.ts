import { setMaxListeners } from 'node:events';
import { compose } from '../../../src/main/wiring/compose.ts';
import type { Core } from '../../../src/main/wiring/compose.ts';
import type { TaskId } from '../../../src/platform/task-id.ts';
import { TaskRuns } from '../../../src/runtime/task-run.ts';
import type { TaskRun } from '../../../src/runtime/task-run.ts';
import { startTestAgent } from '../../journeys/support/test-agent.ts';
import type { StoreKind, TestAgent } from '../../journeys/support/test-agent.ts';
import { hooksOfEach, withStoreHooks } from '../../support/store-hooks.ts';
import type { StoreHooks } from '../../support/store-hooks.ts';
import { BUYER } from './calls.ts';

const NEVER = new AbortController().signal;
setMaxListeners(0, NEVER);
export const LINE = { product_id: 'gazette_run_of_site', pricing_option_id: 'ros_fixed_usd', budget: 5000 };

/** A server that does no work by itself, and another process on the same store whose writes a test can hold up. */
export interface InterruptedAgent {
  agent: TestAgent;
  /** Does the turn that a task owes in the other process, with something done around each of its writes. */
  takeTurn: (task_id: TaskId, hooks: StoreHooks) => Promise<void>;
  close: () => Promise<void>;
}

export async function startInterrupted(store: StoreKind, env: Record<string, string> = {}): Promise<InterruptedAgent> {
  const agent = await startTestAgent(store, { working: false, env });
  const { config, log, baseUrl } = agent.core;
  const { hooks, run } = hooksOfEach();
  const other = await compose({
    ...{ config, log, baseUrl },
    wrapStore: (stored) => withStoreHooks(stored, hooks),
  });
  return {
    agent,
    takeTurn: (task_id, given) => run(given, () => takeOwedTurn(other, task_id)),
    async close() {
      await other.close();
      await agent.stop();
    },
  };
}

export async function takeOwedTurn({ runtime, store }: Core, task_id: TaskId): Promise<void> {
  const run = await store.collection(TaskRuns).get(task_id);
  if (run?.run_due_at != null) await runtime.execute({ task_id, turn: run.turn }, NEVER);
}

/** Does what is owed of a task by now, and answers what it then is. */
export async function finish({ core }: TestAgent, task_id: TaskId): Promise<TaskRun> {
  await core.runtime.reconcile(0);
  await takeOwedTurn(core, task_id);
  await core.runtime.reconcile(0);
  const run = await core.store.collection(TaskRuns).get(task_id);
  if (run === undefined) throw new Error(`there is no task ${task_id}`);
  return run;
}

/** A buy of two packages, made undisturbed. */
export async function bookTwoPackages({ core }: TestAgent): Promise<{ media_buy_id: string; packages: string[] }> {
  const example = core.runtime.tasks.get('create_media_buy')?.examples[0]?.input;
  const input = { ...example, buyer_ref: `campaign-${core.ids.newId()}`, packages: [LINE, LINE] };
  const { task_id } = (await core.runtime.submit({ caller: BUYER, task_type: 'create_media_buy', input })).run;
  await takeOwedTurn(core, task_id);
  const { rows } = await core.sales.mediaBuys.find({ where: { organization_id: BUYER.organization_id, task_id } });
  const [buy] = rows;
  if (buy === undefined) throw new Error('no buy was made');
  return { media_buy_id: buy.media_buy_id, packages: buy.packages.map(({ package_id }) => package_id) };
}
