import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiKeys, createApiKey } from '../../src/directory/api-key/api-key.ts';
import { ensureDemoOrganization } from '../../src/directory/bootstrap.ts';
import { organizations } from '../../src/directory/organization/organization.ts';
import { ConfigError } from '../../src/main/config/config-error.ts';
import { readConfig } from '../../src/main/config/config.ts';
import { startServer } from '../../src/main/wiring/start-server.ts';
import { METRIC_NAMES } from '../../src/platform/metrics/metric-names.ts';
import { openMetricsPort } from '../../src/main/process/metrics-port.ts';
import { createMetrics } from '../../src/platform/metrics/metrics.ts';
import { ask, mediaBuyInput, post } from '../journeys/support/buyer.ts';
import { startTestAgent } from '../journeys/support/test-agent.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { silent } from '../directory/support/installation.ts';
import { until } from '../support/until.ts';
import { openReceiver, status } from '../webhooks/support/open-receiver.ts';

describe('[C.metrics] what an agent measures', () => {
  let agent: TestAgent;
  beforeAll(async () => {
    agent = await startTestAgent('sqlite');
  });
  afterAll(() => agent.stop());

  it('tells of calls, requests and webhooks, and of nobody', async () => {
    const receiver = await openReceiver((response, n) => {
      status(n === 1 ? 503 : 204)(response, n, receiver.request(n));
    });
    await ask(agent, 'create_media_buy', {
      ...mediaBuyInput(agent),
      push_notification_config: { url: receiver.url('/secret-path'), operation_id: 'op-1' },
    });
    await post(agent, {
      jsonrpc: '2.0',
      id: 1,
      method: 'SendMessage',
      params: { message: messageTo('get_everything') },
    });
    await fetch(`${agent.baseUrl}/api/organizations/org_12345/api-keys`);
    const asBuyer = { authorization: `Bearer ${agent.apiKey}`, 'content-type': 'application/json' };
    const other = await openReceiver();
    const own = await until(async () => {
      const answer = await fetch(`${agent.baseUrl}/api/buyer/webhooks/deliveries`, { headers: asBuyer });
      const { deliveries } = (await answer.json()) as { deliveries: { task_type: string }[] };
      return deliveries.length === 2 && deliveries;
    });
    expect(own).toMatchObject([{ task_type: 'create_media_buy' }, { task_type: 'create_media_buy' }]);
    const test = { method: 'POST', headers: asBuyer, body: JSON.stringify({ url: other.url() }) };
    const tested = await fetch(`${agent.baseUrl}/api/buyer/webhooks/test`, test);
    expect(await tested.json()).toMatchObject({ delivered: true, mode: 'rfc9421' });
    const text = await until(async () => {
      const shown = await agent.core.metrics.text();
      return /webhook_deliveries_total\{state="delivered"\} [12]\n/.test(shown) && shown;
    });
    for (const line of [
      /^mba_webhook_attempts_total\{mode="rfc9421",outcome="success"\} \d+$/m,
      /^mba_webhook_attempts_total\{mode="rfc9421",outcome="failed"\} 1$/m,
      /^mba_webhook_phase_seconds_count\{phase="answer"\} \d+$/m,
      /^mba_webhook_event_to_delivered_seconds_count \d+$/m,
      /^mba_webhook_tests_total\{mode="rfc9421",outcome="success"\} 1$/m,
      /^mba_http_requests_total\{edge="buyer",route="POST \/api\/buyer\/webhooks\/test",status="200"\} 1$/m,
      /^mba_webhook_pending \d+$/m,
      /^mba_webhook_oldest_pending_seconds \d/m,
      /^mba_webhook_destinations\{state="paused"\} 0$/m,
      /^mba_webhook_destinations\{state="failing"\} 0$/m,
      /^mba_a2a_calls_total\{skill="create_media_buy",wire="1.0",outcome="ok"\} 1$/m,
      /^mba_a2a_calls_total\{skill="unknown",wire="1.0",outcome="unsupported_task"\} 1$/m,
      /^mba_http_requests_total\{edge="a2a",route="POST [^"]+",status="200"\} \d+$/m,
      /^mba_http_requests_total\{edge="registry",route="GET \/api\/organizations\/:orgId\/api-keys",status="401"\} 1$/m,
      /^mba_up\{part="store"\} 1$/m,
      /^mba_up\{part="queue"\} 1$/m,
      /^mba_build_info\{version="[^"]+",node="v\d+[^"]*"\} 1$/m,
    ])
      expect(text).toMatch(line);
    expect(text).not.toMatch(/org_|secret-path|127\.0\.0\.1|op-1/);
    await Promise.all([receiver.close(), other.close()]);
  });

  it('has no more labels for 1,000 buyers than for one, and none that is of one of them', async () => {
    const { store } = agent.core;
    const keys = store.collection(apiKeys);
    const first = await ensureDemoOrganization(agent.core);
    const callAs = async (n: number) => {
      const organization_id = `org_many-${n}` as typeof first.organization_id;
      await store.collection(organizations).insert({ ...first, organization_id, name: `buyer-${n}` });
      const { raw } = await createApiKey({ ...agent.core, keys }, { organization_id, name: `key-${n}` });
      const bearer = { headers: { authorization: `Bearer ${raw}` } };
      const own = await fetch(`${agent.baseUrl}/api/organizations/${organization_id}/api-keys`, bearer);
      expect([own.status, await own.text()]).toEqual([403, expect.stringContaining("this needs a user's")]);
      const params = { message: messageTo(`skill_of_buyer-${n}`) };
      await post({ ...agent, apiKey: raw }, { jsonrpc: '2.0', id: n, method: 'SendMessage', params });
    };
    const CALLS = ['a2a_calls_total', 'http_requests_total', 'http_request_duration_seconds'] as const;
    const shown = () => CALLS.map((name) => agent.core.metrics.series(name).map(({ labels }) => labels));
    await callAs(0);
    // A request is counted once its answer is out.
    const ofOne = await until(() => {
      const now = shown();
      const edges = now.flatMap((sets) => sets.map(({ edge, status: code }) => `${edge} ${code}`));
      return Promise.resolve(edges.includes('registry 403') && edges.includes('a2a 200') && now);
    });
    for (let n = 1; n < 1_000; n += 10)
      await Promise.all(Array.from({ length: Math.min(10, 1_000 - n) }, (_, i) => callAs(n + i)));
    expect(shown()).toEqual(ofOne);
    const text = await agent.core.metrics.text();
    expect(text).not.toMatch(/org_|many-|buyer-\d|key-\d|mk_live/);
    for (const name of Object.keys(METRIC_NAMES)) {
      const sets = text.split('\n').filter((line) => line.startsWith(`mba_${name}{`));
      expect(sets.length, name).toBeLessThan(500);
    }
  });
});

function messageTo(skill: string): object {
  return { messageId: `m-${skill}`, role: 'ROLE_USER', parts: [{ data: { skill, input: {} } }] };
}

describe('[C.metrics] METRICS_PORT', () => {
  it('shows them at /metrics on this machine alone, and how late the event loop is', async () => {
    const port = await openMetricsPort({ metricsPort: 0, metricsHost: '127.0.0.1' }, createMetrics());
    if (port === undefined) throw new Error('no port was opened');
    expect(new URL(port.url)).toMatchObject({ hostname: '127.0.0.1', pathname: '/metrics' });
    const answer = await fetch(port.url);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    const text = await answer.text();
    expect(text).toMatch(/^mba_event_loop_lag_seconds [\d.e-]+$/m);
    expect(text).toMatch(/^mba_event_loop_stall_seconds [\d.e-]+$/m);
    expect((await fetch(new URL('/', port.url))).status).toBe(404);
    expect((await fetch(port.url, { method: 'POST' })).status).toBe(404);

    const taken = openMetricsPort(
      { metricsPort: Number(new URL(port.url).port), metricsHost: '127.0.0.1' },
      createMetrics(),
    );
    await expect(taken).rejects.toThrow(
      /^cannot listen on 127\.0\.0\.1:\d+ \(EADDRINUSE\); set METRICS_PORT, 0 for a free one$/,
    );
    await port.stop();
    expect(
      await openMetricsPort({ metricsPort: undefined, metricsHost: '127.0.0.1' }, createMetrics()),
    ).toBeUndefined();
  });
});

it('[C.metrics] METRICS_PORT says at /readyz whether the process can work: starting, as it finds itself, draining', async () => {
  const port = await openMetricsPort({ metricsPort: 0, metricsHost: '127.0.0.1' }, createMetrics());
  if (port === undefined) throw new Error('no port was opened');
  const readyz = async () => {
    const answer = await fetch(new URL('/readyz', port.url));
    return [answer.status, await answer.json()];
  };
  expect(await readyz()).toEqual([503, { status: 'starting' }]);
  let isReady = true;
  port.watch(() => Promise.resolve({ isReady, states: { store: isReady ? 'ok' : 'away' } }));
  expect(await readyz()).toEqual([200, { store: 'ok' }]);
  isReady = false;
  expect(await readyz()).toEqual([503, { store: 'away' }]);
  port.watch(() => Promise.reject(new Error('a look that fails')));
  expect(await readyz()).toEqual([503, { status: 'unknown' }]);
  port.leave();
  port.watch(() => Promise.resolve({ isReady: true, states: {} }));
  expect(await readyz()).toEqual([503, { status: 'draining' }]);
  expect((await fetch(new URL('/healthz', port.url))).status).toBe(200);
  await port.stop();
});

it('[C.metrics] METRICS_PORT says at /healthz that the event loop was held up for longer than 5 s, and for no longer than 10 s', async () => {
  let now = 0;
  const port = await openMetricsPort({ metricsPort: 0, metricsHost: '127.0.0.1' }, createMetrics(), () => now);
  if (port === undefined) throw new Error('no port was opened');
  const after = async (ms: number) => {
    now += ms;
    const answer = await fetch(new URL('/healthz', port.url));
    return [answer.status, await answer.json()];
  };
  const [well, stuck] = [
    [200, { status: 'ok' }],
    [503, { status: 'stuck' }],
  ];
  expect(await after(0)).toEqual(well);
  // A look is due each second, so that it was late by no more than 5.
  expect(await after(6_000)).toEqual(well);
  expect(await after(6_001)).toEqual(stuck);
  expect(await after(5_000)).toEqual(stuck);
  expect(await after(4_999)).toEqual(stuck);
  expect(await after(1)).toEqual(well);
  await port.stop();
});

it('[S4.operator-addresses] OPERATOR_WEBHOOK_URL may be any address, and is refused at the start where it is none', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'media-buy-agent-operator-url-'));
  const env = { PORT: '0', DATA_DIR: dir, REDIS_URL: process.env['REDIS_TEST_URL'] ?? '' };
  for (const url of [
    'https://ops:secret@ops.example/hooks',
    'https://ops.example:0/hooks',
    'https://ops.example/h oo ks',
  ]) {
    const starting = startServer(readConfig({ ...env, OPERATOR_WEBHOOK_URL: url }, { allowLoopback: false }), silent);
    await expect(starting).rejects.toThrow(ConfigError);
    await expect(starting).rejects.toThrow(/OPERATOR_WEBHOOK_URL: no webhook can be sent there/);
    await expect(starting).rejects.not.toThrow(/secret/);
  }
  await rm(dir, { recursive: true, force: true });
});
