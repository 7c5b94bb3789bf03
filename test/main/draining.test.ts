import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { TaskRuns } from '../../src/runtime/task-run.ts';
import { Deliveries } from '../../src/webhooks/delivery/delivery.ts';
import { visitorOf } from '../admin/console/support/visitor.ts';
import { eventsOf, mediaBuyInput, post, send, taskOf } from '../journeys/support/buyer.ts';
import { startChild } from '../journeys/support/child.ts';
import { startTestAgent } from '../journeys/support/test-agent.ts';
import { bundle } from '../support/bundle.ts';
import { until } from '../support/until.ts';
import { openReceiver } from '../webhooks/support/open-receiver.ts';

const cleanUp: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of cleanUp.splice(0).reverse()) await close();
});

it('[S9] a server that is told to stop says so at /readyz, answers without keeping connections, and ends at once when told again', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'media-buy-agent-draining-'));
  cleanUp.push(() => rm(dataDir, { recursive: true, force: true }));
  const env = {
    ...{ PORT: '0', DATA_DIR: dataDir, REDIS_URL: process.env['REDIS_TEST_URL'] ?? '', LOG_LEVEL: 'silent' },
    // Longer than a test may take: nothing here waits for its end.
    DRAIN_SECONDS: '600',
  };
  const server = await startChild(await bundle('src/main/server.ts'), env, ['--json']);
  cleanUp.push(() => server.kill('SIGKILL'));
  const base = String(server.ready['base_url']);
  expect(server.ready['listens_at']).toBe(base);
  const kept = await until(async () => {
    const before = await fetch(`${base}/readyz`);
    await before.body?.cancel();
    return before.status === 200 && before.headers.get('connection');
  });
  expect(kept).toBe('keep-alive');

  server.process.kill('SIGTERM');
  const draining = await until(async () => {
    const response = await fetch(`${base}/readyz`);
    const body: unknown = await response.json();
    return response.status === 503 && { body, connection: response.headers.get('connection') };
  });
  expect(draining).toEqual({ body: { status: 'draining' }, connection: 'close' });
  for (const path of ['/healthz', '/.well-known/agent-card.json', '/.well-known/jwks.json']) {
    // A process that stood still is not well for ten seconds.
    const connection = await until(async () => {
      const answer = await fetch(base + path);
      await answer.body?.cancel();
      return answer.status === 200 && answer.headers.get('connection');
    });
    expect([path, connection]).toEqual([path, 'close']);
  }

  // What comes within a second of the first signal is its echo; later, it is the second.
  const again = setInterval(() => server.process.kill('SIGTERM'), 200);
  try {
    expect(await server.ended).toBe(1);
  } finally {
    clearInterval(again);
  }
  expect(server.output.stderr).toBe('SIGTERM again while stopping; ending at once\n');
});

it('[S9] a server that stops ends every stream as streams end, and answers who waits with the task as it is', async () => {
  const agent = await startTestAgent('sqlite', { working: false });
  cleanUp.push(() => agent.stop());
  const { cookie } = await visitorOf(agent, 'viewer');
  const { id } = taskOf(await send(agent, 'create_media_buy', mediaBuyInput(agent)));
  const authorization = `Bearer ${agent.apiKey}`;
  const call = { jsonrpc: '2.0', id: 1, method: 'SubscribeToTask', params: { id } };
  const headers = { authorization, 'a2a-version': '1.0', 'content-type': 'application/json' };
  const streams = await Promise.all([
    fetch(`${agent.baseUrl}/admin/live?topics=buys`, { headers: { cookie } }),
    fetch(`${agent.baseUrl}/api/registry/feed/stream`),
    fetch(`${agent.baseUrl}/a2a/jsonrpc`, { method: 'POST', headers, body: JSON.stringify(call) }),
    fetch(`${agent.baseUrl}/a2a/rest/tasks/${id}:subscribe`, { headers }),
  ]);
  expect(streams.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  const message = {
    messageId: randomUUID(),
    role: 'ROLE_USER',
    parts: [{ data: { skill: 'create_media_buy', input: mediaBuyInput(agent) } }],
  };
  const waiting = post(agent, { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } });
  const runs = agent.core.store.collection(TaskRuns);
  await until(async () => (await runs.find({ where: { organization_id: 'org_demo_buyer' } })).rows.length === 2);

  const ending = agent.stop();
  // Each would be rejected where the connection broke off in the middle.
  const [live, feed, subscribed, rest] = await Promise.all(streams.map((stream) => stream.text()));
  expect(live).toBe('retry: 5000\n\n');
  expect(feed).toMatch(/^retry: 3000\n\n/);
  for (const told of [subscribed, rest]) {
    expect(told).toContain(id);
    expect(told).not.toContain('error');
  }
  expect(taskOf(await waiting).state).toBe('TASK_STATE_SUBMITTED');
  await ending;
});

it('[S9] a worker that is told to stop takes nothing more, and ends with 0 once the webhook under way is answered', async () => {
  const agent = await startTestAgent('sqlite', { working: false });
  cleanUp.push(() => agent.stop());
  const held: ServerResponse[] = [];
  const receiver = await openReceiver((response) => held.push(response));
  cleanUp.push(() => receiver.close());
  const env = { ...agent.env, DRAIN_SECONDS: '600', LOG_LEVEL: 'info' };
  const worker = await startChild(await bundle('src/main/worker.ts'), env, ['--json']);
  cleanUp.push(() => worker.kill('SIGKILL'));
  const push_notification_config = { url: receiver.url(), operation_id: 'op' };
  const asked = mediaBuyInput(agent, { push_notification_config });
  const { id } = taskOf(await send(agent, 'create_media_buy', asked));
  await receiver.arrived(1);

  worker.process.kill('SIGTERM');
  await until(() => worker.output.stderr.includes('"msg":"stopping"'));
  const late = taskOf(await send(agent, 'create_media_buy', mediaBuyInput(agent)));
  const answer = setInterval(() => {
    for (const response of held.splice(0)) response.writeHead(204).end();
  }, 20);
  try {
    expect(await worker.ended).toBe(0);
  } finally {
    clearInterval(answer);
  }
  expect(await agent.core.store.collection(TaskRuns).get(late.id)).toMatchObject({ state: 'submitted' });
  const [first, ...rest] = eventsOf(receiver.received, id);
  for (const { copies } of [first, ...rest].filter((one) => one !== undefined)) expect(copies).toBe(1);
  const { rows } = await agent.core.store.collection(Deliveries).find({ where: { task_id: id } });
  const told = rows.find(({ idempotency_key }) => idempotency_key === first?.body['idempotency_key']);
  expect(told).toMatchObject({ state: 'delivered', attempts: [{ attempt: 1 }] });
});
