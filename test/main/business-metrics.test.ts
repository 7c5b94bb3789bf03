import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startReconciler } from '../../src/main/wiring/reconciler.ts';
import { METRIC_NAMES } from '../../src/platform/metrics/metric-names.ts';
import { createMetrics } from '../../src/platform/metrics/metrics.ts';
import { silent } from '../directory/support/installation.ts';
import { approvalOf, operate } from '../journeys/support/operator.ts';
import { mediaBuyInput, send, taskOf } from '../journeys/support/buyer.ts';
import { buyInput, QUICK_FLIGHTS } from '../journeys/support/reports.ts';
import { startTestAgent } from '../journeys/support/test-agent.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { projectRoot, typescriptFiles } from '../support/project-files.ts';
import { withStoreHooks } from '../support/store-hooks.ts';
import { describeOnStores } from '../support/stores.ts';
import { until } from '../support/until.ts';

const NAMES = Object.keys(METRIC_NAMES);

/** A line of the text for each set of labels, `name{label="value"}`, with its value. */
async function shownBy(metrics: { text(): Promise<string> }): Promise<Map<string, number>> {
  const text = await metrics.text();
  const samples = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    samples.map((line) => {
      const [, name = '', value = ''] = /^mba_(\S+) (\S+)$/.exec(line) ?? [];
      expect(Number.isFinite(Number(value)), line).toBe(true);
      return [name, Number(value)];
    }),
  );
}

it('[C.metrics] every metric that is named is filled somewhere, and stands in its paper', async () => {
  const folder = join(projectRoot, 'src');
  const files = (await readdir(folder, { recursive: true })).filter((file) => /\.tsx?$/.test(file));
  const sources = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  const code = sources.join('\n');
  const isFilled = (name: string) => new RegExp(`\\.?(add|observe|gauge|filled)\\(\\s*'${name}'`).test(code);
  const throughAVariable = ['event_loop_lag_seconds', 'event_loop_stall_seconds'];
  expect(NAMES.filter((name) => !isFilled(name) && !throughAVariable.includes(name))).toEqual([]);
  const paper = await readFile(join(projectRoot, 'docs', 'metrics.md'), 'utf8');
  const [, table = ''] = /\n\| metric +\|[^\n]*\n([^]*?)\n\n/.exec(paper) ?? [];
  const told = [...table.matchAll(/`([a-z0-9_]+)(?:\{([a-z_,]+)\})?`(?=[^|\n]*\|[^|\n]*\|$)/gm)].map(
    ([, name = '', labels = '']) => [name, labels],
  );
  const there = Object.entries(METRIC_NAMES).map(([name, { labels }]) => [name, labels.join()]);
  expect(told.toSorted()).toEqual(there.toSorted());
});

it('[C.metrics] every span that is opened stands in its paper, and no other', async () => {
  const sources = (await typescriptFiles('src')).map(({ text }) => text).join('\n');
  const opened = [...sources.matchAll(/(?:inSpan|openSpan|[io]\w+ServerSpan)\(\s*['`]([^'`]+)['`]/g)].map(
    ([, name = '']) => name,
  );
  const paper = await readFile(join(projectRoot, 'docs', 'traces.md'), 'utf8');
  const told = [...paper.matchAll(/^\| `([^`]+)` +\|/gm)].map(([, name = '']) => name);
  const asOpened = told.map((name) => name.replace('GET PATH', '${method} ${path}').replace('OP', '${op}'));
  expect(new Set(asOpened)).toEqual(new Set(opened));
});

describeOnStores('[C.metrics] what an agent measures of what it sells, on %s', (store) => {
  let agent: TestAgent;
  let faultsLeft = 1;
  beforeAll(async () => {
    agent = await startTestAgent(store, {
      env: { ...QUICK_FLIGHTS, APPROVAL_OVER: 'USD:20000' },
      wrapStore: (plain) =>
        withStoreHooks(plain, {
          before: ({ collection, kind }) => {
            if (collection === 'media_buys' && kind === 'insert' && faultsLeft-- > 0)
              throw new Error('the disk is full');
          },
        }),
    });
  });
  afterAll(() => agent.stop());

  it('is counted where it happens, and is what the store says where it is of the whole installation', async () => {
    const { core } = agent;
    const small = buyInput(agent, {});
    const { id } = taskOf(await send(agent, 'create_media_buy', small));
    await until(() => hasRun(id));
    const waiting = await approvalOf(agent, taskOf(await send(agent, 'create_media_buy', large())).id);
    await operate(agent, 'POST', `/approvals/${waiting.approval_id}/reject`, { reason: 'too dear' });
    const open = await approvalOf(agent, taskOf(await send(agent, 'create_media_buy', large())).id);
    await operate(agent, 'POST', '/keys/none/revoke', { reason: 'a drill' });
    const shown = await until(async () => {
      const now = await shownBy(core.metrics);
      const ended = now.get('task_duration_seconds_count{task_type="create_media_buy"}');
      return ended === 2 && (now.get('delivered_total{currency="USD"}') ?? 0) > 0 && now;
    });
    const create = 'task_type="create_media_buy"';
    expect(shown.get(`tasks_submitted_total{${create}}`)).toBe(3);
    expect(shown.get(`tasks_finished_total{${create},state="completed"}`)).toBe(1);
    expect(shown.get(`tasks_finished_total{${create},state="failed"}`)).toBe(1);
    expect(shown.get(`task_duration_seconds_count{${create}}`)).toBe(2);
    expect(shown.get(`task_faults_total{${create}}`)).toBe(1);
    expect(shown.get('booked_total{currency="USD"}')).toBe(totalOf(small));
    expect(shown.get('delivered_total{currency="USD"}')).toBeLessThanOrEqual(totalOf(small));
    expect(shown.get('operator_actions_total{action="approvals.reject",outcome="done"}')).toBe(1);
    expect(shown.get('operator_actions_total{action="keys.revoke",outcome="refused"}')).toBe(1);
    expect(shown.get('ad_server_calls_total{op="put",outcome="done"}')).toBeGreaterThan(0);
    expect(shown.get('ad_server_calls_total{op="statements",outcome="ok"}')).toBeGreaterThan(0);
    expect(shown.get('ad_server_duration_seconds_count{op="put"}')).toBeGreaterThan(0);
    expect(shown.get('store_operation_seconds_count{collection="media_buys",op="insert"}')).toBeGreaterThanOrEqual(3);
    expect(shown.get('worker_slots{queue="task-runs",kind="all"}')).toBe(32);
    expect(shown.get('worker_slots{queue="task-runs",kind="busy"}')).toBeLessThanOrEqual(32);
    expect(shown.get('approval_oldest_seconds')).toBeGreaterThanOrEqual(0);
    expect(shown.get('signing_key_age_seconds{use="all"}')).toBeGreaterThanOrEqual(0);
    expect(shown.get('queue_jobs{queue="task-runs",state="waiting"}')).toBeGreaterThanOrEqual(0);
    expect(shown.has('queue_oldest_seconds{queue="task-runs"}')).toBe(true);
    for (const kind of ['turns', 'events', 'orders', 'webhooks']) {
      expect(shown.has(`owed{kind="${kind}"}`)).toBe(true);
      expect(shown.get(`oldest_owed_seconds{kind="${kind}"}`)).toBeGreaterThanOrEqual(0);
    }
    expect(shown.has('reports_late')).toBe(true);
    // What is counted over the installation is counted anew by a process that has not done so.
    const fresh = createMetrics();
    await gaugesOf(fresh);
    const counted = await shownBy(fresh);
    expect(counted.get('approvals_open')).toBe(1);
    expect(counted.get('media_buys{status="rejected"}')).toBe(1);
    expect(counted.get('media_buys{status="pending"}')).toBe(1);
    expect(open.approval_id).not.toBe(waiting.approval_id);
  });

  const hasRun = async (task_id: string) => (await shownTask(task_id)) === 'completed';
  const shownTask = async (task_id: string) =>
    (await operate(agent, 'GET', `/tasks/${task_id}`)).body['state'] as string;
  const large = () => mediaBuyInput(agent, { packages: [{ ...linesOf(mediaBuyInput(agent))[0], budget: 25_000 }] });
  async function gaugesOf(metrics: ReturnType<typeof createMetrics>): Promise<void> {
    const { readBusinessGauges } = await import('../../src/main/wiring/business-gauges.ts');
    readBusinessGauges({ ...agent.core, metrics } as never, agent.core.sales, agent.core.webhooks);
  }
});

it('[C.metrics] says how often Redis was found empty, and what was queued again', async () => {
  const metrics = createMetrics();
  let isFlushed = true;
  let done: () => void = () => undefined;
  const looked = new Promise<void>((resolve) => (done = resolve));
  const reconciler = startReconciler({
    ...{ metrics, log: silent },
    queues: { wasFlushed: () => Promise.resolve(isFlushed && !(isFlushed = false)) },
    runtime: { reconcile: () => Promise.resolve(3) },
    webhooks: {
      reconcile: () => {
        setImmediate(done);
        return Promise.resolve(0);
      },
    },
  });
  await looked;
  await reconciler.stop();
  const shown = await shownBy(metrics);
  expect(shown.get('redis_flushes_total')).toBe(1);
  expect(shown.get('reconciler_rebuilt_total{kind="tasks"}')).toBe(3);
  expect(shown.has('reconciler_rebuilt_total{kind="webhooks"}')).toBe(false);
});

function linesOf(input: object): { budget: number }[] {
  return (input as { packages: { budget: number }[] }).packages;
}

function totalOf(input: object): number {
  return linesOf(input).reduce((sum, { budget }) => sum + budget, 0);
}
