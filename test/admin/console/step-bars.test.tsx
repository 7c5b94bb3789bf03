import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StepBars } from '../../../src/admin/console/parts/step-bars.tsx';
import type { EndedInStep } from '../../../src/admin/console/parts/step-bars.tsx';
import { readConfig } from '../../../src/main/config/config.ts';
import { startServer } from '../../../src/main/wiring/start-server.ts';
import { toTimestamp } from '../../../src/platform/clock.ts';
import { HOUR_MS } from '../../../src/platform/hours.ts';
import { readStats } from '../../../src/platform/stats/read-stats.ts';
import { countOf } from '../../../src/platform/stats/counted.ts';
import { StatSpans } from '../../../src/platform/stats/stat-span.ts';
import { silent } from '../../directory/support/installation.ts';
import { operate } from '../../journeys/support/operator.ts';
import { startTestAgent } from '../../journeys/support/test-agent.ts';
import type { TestAgent } from '../../journeys/support/test-agent.ts';
import { describeOnStores } from '../../support/stores.ts';
import { textOf, visitorOf } from './support/visitor.ts';

const STATES = ['completed', 'failed'];

describe('[O1.pages] bars of what ended', () => {
  const drawn = (steps: readonly Partial<EndedInStep>[]) =>
    (
      <StepBars
        what="Tasks"
        good="completed"
        states={STATES}
        stepSeconds={3600}
        steps={steps.map((step, i) => ({
          ...{ at: toTimestamp(i * HOUR_MS), counts: {}, p95Seconds: undefined, queued: 0 },
          ...step,
        }))}
      />
    ).toString();
  const bars = (html: string) =>
    [...html.matchAll(/<rect class="([^"]+)" x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"/g)].map(
      ([, kind, ...numbers]) => [kind, ...numbers.map(Number)],
    );

  it('are none where nothing ended, and that is said', () => {
    for (const html of [drawn([]), drawn([{}, {}])]) {
      expect(bars(html)).toEqual([]);
      expect(html).toContain('None ended in this time.');
    }
  });

  it('stand on each other, the highest as high as there is room, with the same in words and in numbers', () => {
    const html = drawn([{ counts: { completed: 3, failed: 1 }, p95Seconds: 1800 }, { counts: { completed: 2 } }]);
    expect(bars(html)).toEqual([
      ['bar', 46, 39, 368, 81],
      ['bar bad', 46, 12, 368, 27],
      ['bar', 506, 66, 368, 54],
    ]);
    expect(html).toContain(' otherwise, by the hour, at most 4; from ');
    const words = '6 tasks ended, 5 of them completed (83.3 %).';
    expect(html).toContain(`aria-label="Tasks. ${words}"`);
    expect(html).toContain(`<p>${words}</p>`);
    expect(html.match(/<tr[ >]/g)).toHaveLength(3);
    const cells = [...html.matchAll(/<td[^>]*>(?:<[^>]+>)?([^<]*)/g)].map(([, cell]) => cell);
    expect(cells).toEqual(['1970-01-01 01:00', '2', '0', 'not told', '0', '1970-01-01', '3', '1', '30 min', '0']);
  });
});

describeOnStores('[O1.pages] the overview tells how it goes, on %s', (store) => {
  let agent: TestAgent;
  beforeAll(async () => {
    agent = await startTestAgent(store);
    const hourMs = Math.floor((agent.core.clock.now() - HOUR_MS) / HOUR_MS) * HOUR_MS;
    const at = toTimestamp(hourMs);
    await agent.core.store.collection(StatSpans).insert({
      ...{ stat_id: `hour ${at}`, span: 'hour', at, queued: 12, revision: 1 },
      counts: { 'tasks completed': 30, 'tasks rejected': 10, 'deliveries delivered': 7 },
      times: { tasks: [0, 40] },
      expires_at: toTimestamp(hourMs + 48 * HOUR_MS),
    });
  });
  afterAll(() => agent.stop());

  it('by the range that was asked for; another is refused by name', async () => {
    const visitor = await visitorOf(agent, 'viewer');
    expect(textOf((await visitor.get('')).html)).toContain('None ended in this time.');
    for (const range of ['week', 'month']) {
      const shown = textOf((await visitor.get(`?range=${range}`)).html);
      expect(shown).toContain('40 tasks ended, 30 of them completed (75.0 %).');
      expect(shown).toContain('7 webhooks ended, 7 of them delivered (100.0 %).');
    }
    const refused = await visitor.get('?range=year');
    expect([refused.status, textOf(refused.html).includes('range')]).toEqual([422, true]);
  });

  it('as the API does, to which a step has all states', async () => {
    const { body } = await operate(agent, 'GET', '/stats?range=week');
    const points = body['points'] as { tasks: { completed: number } }[];
    expect([body['step_seconds'], points.length]).toEqual([3600, 168]);
    expect(points.filter(({ tasks }) => tasks.completed > 0)).toEqual([
      {
        at: expect.any(String) as string,
        ...{ tasks: { completed: 30, failed: 0, canceled: 0, rejected: 10 }, task_p95_seconds: 0.5 },
        deliveries: { delivered: 7, rejected: 0, gone: 0, exhausted: 0, ended: 0 },
        queued: 12,
      },
    ]);
  });
});

it('a server that keeps them writes what it counted when it stops, and one that is not told to does not', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'mba-stats-'));
  const env = { PORT: '0', DATA_DIR: dir, REDIS_URL: process.env['REDIS_TEST_URL'] ?? '', DRAIN_SECONDS: '0' };
  const start = (options: { keepsStats?: boolean }) =>
    startServer(readConfig(env, { allowLoopback: true }), silent, options);
  for (const options of [{ keepsStats: true }, {}]) {
    const server = await start(options);
    server.core.metrics.add('tasks_finished_total', { task_type: 'create_media_buy', state: 'completed' });
    await server.stop();
  }
  const last = await start({});
  const { points } = await readStats(last.core, 'day');
  expect(points.reduce((sum, point) => sum + countOf(point, 'tasks', 'completed'), 0)).toBe(1);
  await last.stop();
  await rm(dir, { recursive: true });
});
