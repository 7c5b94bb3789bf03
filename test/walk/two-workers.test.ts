import { afterEach, beforeEach, expect, it } from 'vitest';
import type { TaskId } from '../../src/platform/task-id.ts';
import { currentStatus, TaskRuns } from '../../src/runtime/task-run.ts';
import { MediaBuyId } from '../../src/sales/media-buy/media-buy-id.ts';
import { describeOnStores } from '../support/stores.ts';
import { until } from '../support/until.ts';
import { BUYER } from '../tasks/support/calls.ts';
import type { Json } from '../tasks/support/calls.ts';
import { openTogether } from './support/open-together.ts';
import type { Together } from './support/open-together.ts';
import { createInput } from './support/requests.ts';
import { isOver } from './support/task-rows.ts';

const BUY = {
  do: 'create',
  lines: 2,
  isLarge: false,
  startsIn: 0,
  hours: 2_000,
  creative: 1,
  isTargeted: false,
} as const;

describeOnStores('two workers on %s', (store) => {
  let at: Together;
  beforeEach(async () => {
    at = await openTogether(store, 2);
  });
  afterEach(() => at.close());

  const submit = async (task_type: string, input: Json): Promise<TaskId> =>
    (await at.core.runtime.submit({ caller: BUYER, task_type, input })).run.task_id;
  const ended = (task_id: TaskId) =>
    until(async () => {
      const run = await at.core.store.collection(TaskRuns).get(task_id);
      return run !== undefined && isOver(run) && run;
    });

  it('[I14] make twenty updates that come at once each once: sums are exact, in the buy and at the ad server, whatever is lost', async () => {
    const sender = { baseUrl: at.core.baseUrl, nowMs: Date.now() };
    const made = await ended(
      await submit('create_media_buy', createInput({ ...BUY, tells: false, mark: '' }, 0, sender)),
    );
    const { media_buy_id: named, packages } = currentStatus(made).data as { media_buy_id: string; packages: Json[] };
    const media_buy_id = MediaBuyId.parse(named);
    at.adServer.link('loses_answers', 1);
    at.adServer.link('doubles', 5);
    const changes = Array.from({ length: 20 }, (_, i) => {
      const [one, other] = packages.map(({ package_id }) => package_id);
      const amount = (i % 4 === 3 ? -1 : 1) * (10 + i + i / 100);
      return { package_id: i % 2 === 0 ? one : other, amount };
    });
    const asked = await Promise.all(
      changes.map((budget_change) => submit('update_media_buy', { media_buy_id, updates: { budget_change } })),
    );
    for (const task_id of asked) expect((await ended(task_id)).state).toBe('completed');
    const buy = await at.core.sales.mediaBuys.get(media_buy_id);
    const cents = changes.reduce((sum, { amount }) => sum + Math.round(amount * 100), 0);
    expect(buy?.total_budget_minor).toBe(800_050 + cents);
    expect(buy?.history.filter(({ action }) => action === 'updated')).toHaveLength(20);
    for (const { package_id, budget_minor } of buy?.packages ?? []) {
      expect(await at.adServer.simulator.controls.look(media_buy_id, package_id)).toMatchObject({ budget_minor });
    }
  });
});
