import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { afterEach, expect, it } from 'vitest';
import { TaskRuns } from '../../src/runtime/task-run.ts';
import { Deliveries } from '../../src/webhooks/delivery/delivery.ts';
import { bundle } from '../support/bundle.ts';
import { startOwnRedis } from '../support/own-redis.ts';
import { describeOnStores } from '../support/stores.ts';
import type { StoreKind } from '../support/stores.ts';
import { until } from '../support/until.ts';
import { judge } from '../webhooks/support/judge.ts';
import { openReceiver } from '../webhooks/support/open-receiver.ts';
import type { Receiver } from '../webhooks/support/open-receiver.ts';
import { mediaBuyInput, post, taskOf } from './support/buyer.ts';
import { startChild } from './support/child.ts';
import { KIND, openCollector } from './support/collector.ts';
import type { Collector, ToldSpan } from './support/collector.ts';
import { beginStory, isAtRest, TIMEOUT_MS } from './support/story.ts';
import type { Story } from './support/story.ts';
import { startTestAgent } from './support/test-agent.ts';
import type { TestAgent } from './support/test-agent.ts';

const cleanUp: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of cleanUp.splice(0).reverse()) await close();
});

const BUYERS = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

interface Opened {
  agent: TestAgent;
  receiver: Receiver;
  collector: Collector;
}

async function open(
  store: StoreKind,
  { working = true, env = {} }: { working?: boolean; env?: Record<string, string> } = {},
): Promise<Opened> {
  const collector = await openCollector();
  cleanUp.push(() => collector.close());
  const receiver = await openReceiver();
  cleanUp.push(() => receiver.close());
  const agent = await startTestAgent(store, {
    working,
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint, ...env },
  });
  cleanUp.push(() => agent.stop());
  return { agent, receiver, collector };
}

/** A `create_media_buy` of a buyer that traces, told by webhook; answers the task's id. */
async function buy({ agent, receiver }: Opened): Promise<string> {
  const input = mediaBuyInput(agent, {
    push_notification_config: { url: receiver.url('/hook?key=opens-doors'), operation_id: 'op' },
  });
  const message = {
    messageId: randomUUID(),
    role: 'ROLE_USER',
    parts: [{ data: { skill: 'create_media_buy', input } }],
  };
  const params = { message, configuration: { returnImmediately: true } };
  const answer = await post(agent, { jsonrpc: '2.0', id: 1, method: 'SendMessage', params }, { traceparent: BUYERS });
  return taskOf(answer).id;
}

function only(spans: readonly ToldSpan[], of: (span: ToldSpan) => boolean): ToldSpan {
  const found = spans.filter(of);
  const [one, ...others] = found;
  if (one === undefined || others.length > 0) throw new Error(`one span was expected, and there are ${found.length}`);
  return one;
}

const named = (name: string) => (span: ToldSpan) => span.name === name;

/** One trace from the call to the receiver, each span below the one that led to it. */
async function expectOneTrace({ receiver, collector }: Opened): Promise<ToldSpan[]> {
  await collector.told('webhook attempt', 2);
  await collector.told('webhook create', 2);
  await collector.told('task turn');
  const [call] = (await collector.told('a2a SendMessage')) as [ToldSpan];
  await collector.told('task-runs publish');
  const spans = collector.spans().filter(({ traceId }) => traceId === call.traceId);
  const below = (child: ToldSpan, parent: ToldSpan) => {
    expect([child.name, child.parentSpanId]).toEqual([child.name, parent.spanId]);
  };
  expect(call.kind).toBe(KIND.server);
  const submit = only(spans, named('task submit'));
  below(submit, call);
  const publish = only(spans, (span) => span.name === 'task-runs publish' && span.parentSpanId === submit.spanId);
  expect(publish.kind).toBe(KIND.producer);
  const turn = only(spans, named('task turn'));
  expect(turn).toMatchObject({ kind: KIND.consumer, facts: { faults: 0 } });
  below(turn, publish);
  const put = only(spans, named('ad_server put'));
  expect(put.kind).toBe(KIND.client);
  below(put, turn);
  const creates = spans.filter(named('webhook create'));
  expect(creates.map(({ facts }) => facts['event']).sort()).toEqual(['completed', 'working']);
  for (const create of creates) {
    below(create, turn);
    const attempt = only(spans, (span) => span.name === 'webhook attempt' && span.parentSpanId === create.spanId);
    const host = new URL(receiver.url()).host;
    expect(attempt).toMatchObject({ kind: KIND.client, facts: { host, outcome: 'success' } });
    expect(Object.keys(attempt.facts)).toEqual(expect.arrayContaining(['attempt', 'connect_ms', 'first_byte_ms']));
    const header = `00-${attempt.traceId}-${attempt.spanId}-01`;
    expect(receiver.received.map(({ headers }) => headers['traceparent'])).toContain(header);
  }
  return spans;
}

async function flush(url: string): Promise<void> {
  const redis = new Redis(url.replace('unix://', ''));
  await redis.flushall();
  await redis.quit();
}

describeOnStores('traces of a buy on %s', (store) => {
  it(
    'are one from the call to the receiver, whose verifier bears the header, and a trace that the buyer names is linked',
    async () => {
      const opened = await open(store);
      const { agent, receiver, collector } = opened;
      const task_id = await buy(opened);
      await receiver.arrived(2);
      const spans = await expectOneTrace(opened);
      const call = only(spans, named('a2a SendMessage'));
      expect(call.parentSpanId ?? '').toBe('');
      const [, traceId, spanId] = BUYERS.split('-');
      expect(call.links).toEqual([expect.objectContaining({ traceId, spanId })]);
      expect(call.facts).toMatchObject({
        'a2a.skill': 'create_media_buy',
        'a2a.wire': '1.0',
        'a2a.binding': 'JSONRPC',
      });
      const { keys } = (await (await fetch(`${agent.baseUrl}/.well-known/jwks.json`)).json()) as { keys: never[] };
      for (const received of receiver.received)
        expect(await judge(received, keys, Date.now())).toMatchObject({ tag: 'proto/webhook-signing/v1' });
      const run = await agent.core.store.collection(TaskRuns).get(task_id);
      expect(run?.traceparent).toBe(`00-${call.traceId}-${only(spans, named('task turn')).parentSpanId}-01`);
      expect(new Set(collector.paths())).toEqual(new Set(['/v1/traces']));
      const told = JSON.stringify(collector.spans());
      for (const secret of ['opens-doors', agent.apiKey, '/hook']) expect(told).not.toContain(secret);
    },
    TIMEOUT_MS,
  );

  it(
    'are one where another process works, and Redis forgot everything between the call and the turn',
    async () => {
      const redis = await startOwnRedis();
      cleanUp.push(() => redis.stop());
      const opened = await open(store, { working: false, env: { REDIS_URL: redis.url } });
      await buy(opened);
      await flush(redis.url);
      const worker = await startChild(await bundle('src/main/worker.ts'), opened.agent.env, ['--json']);
      cleanUp.push(() => worker.kill('SIGTERM'));
      await opened.receiver.arrived(2);
      await expectOneTrace(opened);
    },
    TIMEOUT_MS,
  );

  it(
    "go on from the buyer's where it is trusted, and a webhook sent again is a further attempt in them",
    async () => {
      const opened = await open(store, { env: { TRUST_TRACE: 'true' } });
      const { agent, receiver, collector } = opened;
      const task_id = await buy(opened);
      await receiver.arrived(2);
      const spans = await expectOneTrace(opened);
      const [, traceId, spanId] = BUYERS.split('-');
      const call = only(spans, named('a2a SendMessage'));
      expect(call).toMatchObject({ traceId, parentSpanId: spanId, links: [] });
      const deliveries = agent.core.store.collection(Deliveries);
      const [row] = await until(async () => {
        const { rows } = await deliveries.find({ where: { task_id } });
        return rows.length === 2 && rows.every(({ state }) => state === 'delivered') && rows;
      });
      await agent.core.webhooks.operator.resend(String(row?.delivery_id));
      await receiver.arrived(3);
      const attempts = await collector.told('webhook attempt', 3);
      expect(new Set(attempts.map((attempt) => attempt.traceId))).toEqual(new Set([traceId]));
      const again = only(attempts, ({ facts }) => Number(facts['attempt']) === 2);
      expect(row?.traceparent).toBe(`00-${traceId}-${again.parentSpanId}-01`);
      expect(receiver.request(3).headers['traceparent']).toBe(`00-${traceId}-${again.spanId}-01`);
    },
    TIMEOUT_MS,
  );

  it(
    'are none where no collector is named: no header goes out, and no row says anything of them',
    async () => {
      const receiver = await openReceiver();
      cleanUp.push(() => receiver.close());
      const agent = await startTestAgent(store);
      cleanUp.push(() => agent.stop());
      const story: Story = await beginStory(agent, receiver);
      await until(() => isAtRest(story), TIMEOUT_MS);
      expect(receiver.received).toHaveLength(2);
      for (const { headers } of receiver.received) expect(headers).not.toHaveProperty('traceparent');
      expect(await agent.core.store.collection(TaskRuns).get(story.id)).not.toHaveProperty('traceparent');
      const { rows } = await agent.core.store.collection(Deliveries).find({ where: { task_id: story.id } });
      for (const row of rows) expect(row).not.toHaveProperty('traceparent');
    },
    TIMEOUT_MS,
  );
});
