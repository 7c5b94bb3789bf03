import { Redis } from 'ioredis';
import { afterEach, expect, it } from 'vitest';
import { decideOnCreative } from '../../src/sales/creative/review/decide.ts';
import { Deliveries } from '../../src/webhooks/delivery.ts';
import { startOwnRedis } from '../support/own-redis.ts';
import { until } from '../support/until.ts';
import { result } from '../tasks/support/calls.ts';
import type { Json } from '../tasks/support/calls.ts';
import { judge } from '../webhooks/support/judge.ts';
import { openReceiver } from '../webhooks/support/open-receiver.ts';
import type { Received, Receiver } from '../webhooks/support/open-receiver.ts';
import { mediaBuyInput } from './support/buyer.ts';
import { bundle, launch } from './support/child.ts';
import { startTestAgent } from './support/test-agent.ts';
import type { StoreKind, TestAgent } from './support/test-agent.ts';
import { describeOnStores } from '../support/stores.ts';

/** A day of a flight takes two seconds. */
const SPEED = 43_200;
const DAYS = 3;
const WORKER = 'test/journeys/support/crashing-worker.ts';

const cleanUp: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of cleanUp.splice(0).reverse()) await close();
});

interface Report {
  notification_type: string;
  sequence_number: number;
  reporting_period: { start: string; end: string };
  media_buy_deliveries: { status: string; totals: Json; by_package: Json[] }[];
}

async function open(store: StoreKind, env: Record<string, string> = {}, working = true) {
  const receiver = await openReceiver();
  cleanUp.push(() => receiver.close());
  const settings = { SIM_SPEED: String(SPEED), CREATIVE_REVIEW_SECONDS: '0', IMPAIRMENT_WINDOW_SECONDS: '1', ...env };
  const agent = await startTestAgent(store, { env: settings, working });
  cleanUp.push(() => agent.stop());
  return { agent, receiver };
}

/** A request for a buy of so many days that brings its creative. */
function buyInput(agent: TestAgent, changes: Json): Json {
  const example = agent.core.runtime.tasks.get('create_media_buy')?.examples[1]?.input;
  const end_time = new Date(Date.now() + DAYS * 86_400_000).toISOString();
  return { ...mediaBuyInput(agent), packages: example?.['packages'], end_time, ...changes };
}

/** Every report that arrived, each once, by its number. */
function reportsIn(received: readonly Received[]): Report[] {
  const reports = new Map<unknown, Report>();
  for (const { body } of received) {
    if (body['task_type'] === 'media_buy_delivery') reports.set(body['idempotency_key'], body['result'] as Report);
  }
  return [...reports.values()].sort((a, b) => a.sequence_number - b.sequence_number);
}

const isOver = (receiver: Receiver) => () =>
  reportsIn(receiver.received).some(({ notification_type }) => notification_type === 'final');

/** The series has no gap and no repeat, from the first hour to the last, and ends with the whole. */
function expectAWholeSeries(reports: readonly Report[]): Report {
  expect(reports.map(({ sequence_number }) => sequence_number)).toEqual(reports.map((_, i) => i + 1));
  const periods = reports.flatMap(({ notification_type, reporting_period }) =>
    notification_type === 'scheduled' ? [reporting_period] : [],
  );
  expect(periods.slice(1).map(({ start }) => start)).toEqual(periods.slice(0, -1).map(({ end }) => end));
  const final = reports.filter(({ notification_type }) => notification_type === 'final');
  expect(final).toEqual([reports.at(-1)]);
  expect(final[0]?.reporting_period).toEqual({ start: periods[0]?.start, end: periods.at(-1)?.end });
  const [last] = final;
  if (last === undefined) throw new Error('no final report');
  return last;
}

describeOnStores('reports of a media buy on %s', (store) => {
  it('[W10] [C.events.7] [C.resources.envelope] arrive signed, one a day and one for all, and say what get_media_buy_delivery says', async () => {
    const { agent, receiver } = await open(store);
    const reporting_webhook = { url: receiver.url('/reports?q=1'), reporting_frequency: 'daily' };
    const { media_buy_id } = (await result(agent, 'create_media_buy', buyInput(agent, { reporting_webhook }))) as {
      media_buy_id: string;
    };
    await until(isOver(receiver));
    const final = expectAWholeSeries(reportsIn(receiver.received));
    const { keys } = (await (await fetch(`${agent.baseUrl}/.well-known/jwks.json`)).json()) as {
      keys: { kid: string; alg: string }[];
    };
    for (const received of receiver.received) {
      expect(await judge(received, keys, Date.now())).toMatchObject({ tag: 'proto/webhook-signing/v1' });
      expect(received.body).toMatchObject({ operation_id: `delivery_report_${media_buy_id}`, status: 'completed' });
    }
    const read = await result(agent, 'get_media_buy_delivery', { media_buy_id, time_granularity: 'daily' });
    const { impressions, spend, clicks } = read['delivery'] as Record<string, number>;
    expect(final.media_buy_deliveries).toMatchObject([
      { status: 'completed', totals: { impressions, spend, clicks }, by_package: [{ impressions, spend, clicks }] },
    ]);
    expect(spend).toBeGreaterThan(0);
    const shown = async () => {
      const page = await result(agent, 'get_media_buys', {
        media_buy_ids: [media_buy_id],
        include_webhook_activity: true,
      });
      return ((page['media_buys'] as Json[])[0]?.['webhook_activity'] ?? []) as Json[];
    };
    const activity = await until(async () => {
      const fires = await shown();
      return fires.every(({ status }) => status === 'success') && fires;
    });
    expect(activity.map(({ event }) => event)).toContain('final');
    expect(activity.every(({ url }) => url === receiver.url('/reports'))).toBe(true);
  });

  it('[W9] [C.states.media-buys] impairments raised before a cancel arrive before the final report, by HMAC when asked', async () => {
    const { agent, receiver } = await open(store, { IMPAIRMENT_WINDOW_SECONDS: '300', SIM_SPEED: '1' });
    const authentication = { schemes: ['HMAC-SHA256'], credentials: 'c0rrect-horse-battery-staple-0123456789' };
    const input = buyInput(agent, {
      reporting_webhook: { url: receiver.url(), reporting_frequency: 'daily', authentication },
      push_notification_config: { url: receiver.url(), operation_id: 'op', authentication },
    });
    const { media_buy_id } = (await result(agent, 'create_media_buy', input)) as { media_buy_id: string };
    const { sales } = agent.core;
    await until(async () => (await sales.mediaBuys.get(media_buy_id))?.status === 'active');
    const [line] = input['packages'] as { creatives: { creative_id: string }[] }[];
    const creative_id = line?.creatives[0]?.creative_id ?? '';
    await decideOnCreative(sales, {
      organization_id: 'org_demo_buyer',
      creative_id,
      to: 'suspended',
      reason: 'dead link',
    });
    await result(agent, 'update_media_buy', { media_buy_id, updates: { status: 'canceled' } });
    await until(isOver(receiver));
    const order = receiver.received.flatMap(({ body }) => {
      const { notification_type } = body['result'] as { notification_type?: string };
      return notification_type === undefined ? [] : [notification_type];
    });
    expect(order.filter((type) => type !== 'scheduled')).toEqual(['impairment', 'final']);
    expect(receiver.received.every(({ headers }) => headers['x-proto-signature']?.startsWith('sha256='))).toBe(true);
    expect(receiver.received.some(({ headers }) => 'signature' in headers)).toBe(false);
  });

  it('[W10] [C.events.4] none is lost or numbered twice when workers are killed at their writes and Redis forgets everything', async () => {
    const redis = await startOwnRedis();
    cleanUp.push(() => redis.stop());
    const { agent, receiver } = await open(store, { REDIS_URL: redis.url }, false);
    const program = await bundle(WORKER);
    const input = buyInput(agent, {
      reporting_webhook: { url: receiver.url(), reporting_frequency: 'hourly', requested_metrics: ['clicks'] },
    });
    const { task_id } = await agent.core.runtime
      .submit({
        caller: { organization_id: 'org_demo_buyer', principal_id: 'key_test', scopes: ['tasks:read', 'tasks:write'] },
        task_type: 'create_media_buy',
        input,
      })
      .then(({ run }) => run);
    for (const point of ['during:30', 'after:17', 'before:40']) {
      const worker = launch(program, { ...agent.env, CRASH_AT: point });
      const killed = await Promise.race([worker.ended, until(isOver(receiver), 20_000).catch(() => 'slow')]);
      if (killed !== 'SIGKILL') await worker.kill('SIGKILL');
      const client = new Redis(redis.url.replace('unix://', ''));
      await client.flushall();
      await client.quit();
    }
    agent.work();
    await until(isOver(receiver));
    await until(async () => {
      const { rows } = await agent.core.store.collection(Deliveries).find({ where: { state: 'pending' } });
      return rows.length === 0;
    });
    const reports = reportsIn(receiver.received);
    const final = expectAWholeSeries(reports);
    expect(reports.length).toBeGreaterThanOrEqual(DAYS * 24 + 1);
    expect(final.media_buy_deliveries[0]?.totals).toEqual({ clicks: expect.any(Number) as number });
    expect(task_id).not.toBe('');
  });
});
