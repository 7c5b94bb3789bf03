import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, get } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createSimulatorApp } from '../../../src/adservers/simulator-http/simulator-app.ts';
import { SimulatorCalls } from '../../../src/adservers/simulator/controls.ts';
import type { SimulatorControl } from '../../../src/adservers/simulator/controls.ts';
import type { AdServer } from '../../../src/sales/ad-server/ad-server.ts';
import type { AdOrder } from '../../../src/sales/ad-server/ad-order.ts';
import { clientAt, serveApp, silent, TOKEN } from '../http/support/bridge.ts';
import { seededChance } from '../../support/chance.ts';
import { mediaBuyId } from '../../support/ids.ts';
import { until } from '../../support/until.ts';
import { withMoreTime } from '../../support/with-more-time.ts';
import { openSimulator } from '../simulator/support/open-simulator.ts';
import { sampleAdOrder } from '../simulator/support/sample-ad-order.ts';

interface Served {
  url: string;
  client: Required<AdServer>;
  /** Steers it; answers the status. */
  control: (control: SimulatorControl, token?: string) => Promise<number>;
  calls: () => Promise<SimulatorCalls>;
}

/** The simulator behind the bridge on loopback, and a client of it. */
async function served(): Promise<Served> {
  const at = await openSimulator();
  onTestFinished(() => at.close());
  const url = await serveApp(createSimulatorApp(at.simulator, { token: TOKEN, log: silent }));
  const headers = { authorization: `Bearer ${TOKEN}` };
  return {
    url,
    client: clientAt(url),
    async control(control, token = TOKEN) {
      const body = JSON.stringify(control);
      const sent = { method: 'POST', body, headers: { authorization: `Bearer ${token}` } };
      return (await fetch(`${url}/_control`, sent)).status;
    },
    calls: async () => SimulatorCalls.parse(await (await fetch(`${url}/_control/calls`, { headers })).json()),
  };
}

const version = (order: AdOrder) => ({ found: true, version: order.version });

describe('a simulated ad server over HTTP', () => {
  it('takes an order once, reads it back, and tells what was asked of it', async () => {
    const { client, calls } = await served();
    const order = sampleAdOrder();
    expect(await client.describe()).toMatchObject({ adapter: 'simulator', protocol: 1 });
    expect(await client.read(order.media_buy_id)).toEqual({ found: false });
    const first = await client.put(order);
    expect(first.outcome).toBe('done');
    expect(await client.put(order)).toEqual(first);
    expect(await client.read(order.media_buy_id)).toMatchObject(version(order));
    expect(await client.put(sampleAdOrder({ version: 2, name: 'renamed' }))).toMatchObject({ outcome: 'done' });
    expect(await client.put(order)).toEqual({ outcome: 'stale', version: 2 });
    await expect(client.put(sampleAdOrder({ version: 2, name: 'another' }))).rejects.toMatchObject({ name: 'Broken' });
    const { calls: made, creates } = await calls();
    expect(made.map(({ method, outcome }) => `${method} ${outcome}`)).toEqual([
      ...['describe answered', 'read answered', 'put done', 'put done', 'read answered'],
      ...['put done', 'put stale', 'put Broken'],
    ]);
    expect(creates.orders).toBe(1);
  });

  it('fifty puts of 25 versions, doubled, in another order and at once, are one native order with one line a package', async () => {
    const { client, calls } = await served();
    const orders = Array.from({ length: 25 }, (_, n) => sampleAdOrder({ version: n + 1, name: `version ${n + 1}` }));
    const puts = seededChance('doubled and reordered puts').shuffled([...orders, ...orders]);
    const answers = await Promise.all(puts.map(async (order) => ({ order, answer: await client.put(order) })));
    for (const { order, answer } of answers) {
      expect([order.version, answer.outcome]).toEqual([order.version, expect.stringMatching(/^(done|stale)$/)]);
    }
    const { creates, native_writes } = await calls();
    expect(creates).toMatchObject({ orders: 1, lines: 2 });
    const written = native_writes.map(({ version = 0 }) => version);
    expect(written).toEqual([...written].sort((a, b) => a - b));
    expect(await client.read(mediaBuyId('mb_1'))).toMatchObject({ version: 25, differences: [] });
  });
});

describe('a fault on the way', () => {
  it('by status comes so many times and without effect, with its Retry-After', async () => {
    const { client, control } = await served();
    const order = sampleAdOrder();
    await control({ status: 429, times: 2, retry_after: 60 });
    for (const time of [1, 2]) {
      const fault: unknown = await client.put(order).catch((error: unknown) => error);
      expect([time, fault]).toEqual([time, expect.objectContaining({ name: 'Unreachable', sent: 'unknown' })]);
      expect((fault as { retryAtMs: number }).retryAtMs).toBeGreaterThan(Date.now());
    }
    expect(await client.read(order.media_buy_id)).toEqual({ found: false });
    await control({ status: 401 });
    await expect(client.put(order)).rejects.toMatchObject({ name: 'Misconfigured' });
    expect(await client.put(order)).toMatchObject({ outcome: 'done' });
  });

  it('by an answer that is dropped comes after what was asked has been done', async () => {
    const { client, control } = await served();
    const order = sampleAdOrder();
    await control({ drop_answer_after_apply: 1 });
    await expect(client.put(order)).rejects.toMatchObject({ name: 'Unreachable', sent: 'unknown' });
    expect(await client.read(order.media_buy_id)).toMatchObject(version(order));
  });

  it('by an answer that breaks off comes after what was asked has been done', async () => {
    const { client, control } = await served();
    const order = sampleAdOrder();
    await control({ half_body: 1 });
    await expect(client.put(order)).rejects.toMatchObject({ name: 'Unreachable', sent: 'unknown' });
    expect(await client.read(order.media_buy_id)).toMatchObject(version(order));
  });

  it('by an answer that comes too late is not known, and what was asked is done when its time comes', async () => {
    const { url, client, control, calls } = await served();
    const order = sampleAdOrder();
    await control({ latency_ms: 4_000 });
    const fault = await withMoreTime(
      (ms) =>
        clientAt(url, { callTimeoutMs: Math.min(ms, 3_999) })
          .put(order)
          .catch((error: unknown) => error),
      (error) => (error as { sent?: string }).sent !== 'no',
    );
    expect(fault).toMatchObject({ name: 'Unreachable', sent: 'unknown' });
    await control({ latency_ms: 0 });
    await until(async () => (await calls()).calls.length > 0);
    expect(await client.read(order.media_buy_id)).toMatchObject(version(order));
  });

  it('by chance is without effect, and the same for the same seed', async () => {
    const { client, control } = await served();
    const failures = async () => {
      await control({ reset: true, fail_rate: 0.5, fail_seed: 7 });
      const failed: boolean[] = [];
      for (let i = 0; i < 24; i++)
        failed.push(
          await client.describe().then(
            () => false,
            () => true,
          ),
        );
      return failed;
    };
    const [first, second] = [await failures(), await failures()];
    expect(first).toEqual(second);
    expect(new Set(first)).toEqual(new Set([true, false]));
    await control({ fail_rate: 1 });
    await expect(client.put(sampleAdOrder())).rejects.toMatchObject({ name: 'Unreachable' });
    await control({ fail_rate: 0 });
    expect(await client.read(sampleAdOrder().media_buy_id)).toEqual({ found: false });
  });

  it('is over after a reset, as is what was called', async () => {
    const { client, control, calls } = await served();
    const all = { latency_ms: 600_000, fail_rate: 1, status: 500, times: 9, drop_answer_after_apply: 9, half_body: 9 };
    await control(all);
    await control({ reset: true });
    expect(await client.describe()).toMatchObject({ adapter: 'simulator' });
    expect((await calls()).calls).toHaveLength(1);
  });
});

describe('the controls', () => {
  it('hand the simulator what is its own', async () => {
    const { client, control } = await served();
    const reasons = [{ code: 'policy' as const, pointer: '', message: 'no such brands' }];
    expect(await control({ refuse: { reasons } })).toBe(200);
    expect(await client.put(sampleAdOrder())).toEqual({ outcome: 'refused', reasons });
  });

  it('are refused without the token, and when they are none', async () => {
    const { url, control, client } = await served();
    expect(await control({ fail_rate: 1 }, 'wrong')).toBe(401);
    expect(await control({ fail_rate: 2 })).toBe(400);
    expect(await control({ fail: 1 } as never)).toBe(400);
    expect((await fetch(`${url}/_control/calls`)).status).toBe(401);
    expect(await client.describe()).toMatchObject({ adapter: 'simulator' });
  });

  it('are refused to a caller whose address is not this machine’s', async () => {
    const at = await openSimulator();
    onTestFinished(() => at.close());
    const dir = await mkdtemp(join(tmpdir(), 'media-buy-agent-control-'));
    const server = createServer(createSimulatorApp(at.simulator, { token: TOKEN, log: silent }));
    const socketPath = join(dir, 'socket');
    server.listen(socketPath);
    await once(server, 'listening');
    onTestFinished(async () => {
      server.close();
      await once(server, 'close');
      await rm(dir, { recursive: true });
    });
    // Over a socket file there is no address at all.
    const statusOf = async (path: string) => {
      const sent = get({ socketPath, path, agent: false, headers: { authorization: `Bearer ${TOKEN}` } });
      const [answer] = (await once(sent, 'response')) as [IncomingMessage];
      answer.resume();
      return answer.statusCode;
    };
    expect(await statusOf('/_control/calls')).toBe(403);
    expect(await statusOf('/v1/description')).toBe(200);
  });
});
