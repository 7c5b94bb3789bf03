import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createAdServerSimulator } from '../../../src/adservers/simulator/ad-server-simulator.ts';
import { createSimulatorApp } from '../../../src/adservers/simulator-http/simulator-app.ts';
import { readConfig } from '../../../src/main/config/config.ts';
import { AdServerMisfit, createAdServerWatch } from '../../../src/main/wiring/ad-server-watch.ts';
import type { AdServerWatchOptions } from '../../../src/main/wiring/ad-server-watch.ts';
import { openAdServer } from '../../../src/main/wiring/ad-server.ts';
import type { OpenAdServer } from '../../../src/main/wiring/ad-server.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { createDestinationGate } from '../../../src/platform/redis/destination-gate-redis.ts';
import type { DestinationGate, GateSettings } from '../../../src/platform/redis/destination-gate.ts';
import { createEmbeddedStore } from '../../../src/platform/store/sqlite/collection-embedded.ts';
import type { Store } from '../../../src/platform/store/collection.ts';
import { serveApp, silent, TOKEN } from '../../adservers/http/support/bridge.ts';
import { sampleAdOrder } from '../../adservers/simulator/support/sample-ad-order.ts';
import { demoCatalog } from '../../sales/support/demo-catalog.ts';

const catalog = await demoCatalog();

async function embeddedStore(): Promise<Store> {
  const folder = await mkdtemp(join(tmpdir(), 'media-buy-agent-wiring-'));
  const store = createEmbeddedStore({ file: join(folder, 'test.db'), logger: silent });
  onTestFinished(async () => {
    await store.close();
    await rm(folder, { recursive: true, force: true });
  });
  return store;
}

/** The simulated ad server as a process has it, over real HTTP. Answers where it is. */
async function serveSimulator(clockSpeed = 1): Promise<string> {
  const store = await embeddedStore();
  const simulator = createAdServerSimulator({ store, clock: systemClock, clockSpeed });
  await store.prepare();
  return serveApp(createSimulatorApp(simulator, { token: TOKEN, log: silent }));
}

/** On a Redis that others use too, under names of its own. */
function openOwnGate(settings: Partial<GateSettings>): DestinationGate {
  const connection = process.env['REDIS_TEST_URL'] ?? '';
  const gate = createDestinationGate({ connection, prefix: `t-${randomUUID()}`, logger: silent, settings });
  onTestFinished(() => gate.close());
  return gate;
}

async function opened(env: Record<string, string>): Promise<OpenAdServer> {
  const store = await embeddedStore();
  const config = readConfig(env, { allowLoopback: false });
  const adServer = openAdServer(config, {
    // One that stands still: how often an ad server is called goes by real time.
    ...{ store, clock: { now: () => 0 }, openGate: openOwnGate },
    sign: () => Promise.reject(new Error('nothing is signed here')),
  });
  await store.prepare();
  onTestFinished(() => adServer.close());
  return adServer;
}

const at = (url: string, token = TOKEN) => ({ AD_SERVER: 'http', AD_SERVER_URL: url, AD_SERVER_TOKEN: token });

describe('the ad server of an installation', () => {
  it('is the embedded simulator, in the store of the agent and at its speed', async () => {
    const { id, adServer, isSimulated } = await opened({ SIM_SPEED: '600' });
    expect({ id, isSimulated }).toEqual({ id: 'default', isSimulated: true });
    expect(await adServer.describe()).toMatchObject({ adapter: 'simulator', clock_speed: 600 });
    expect(await adServer.put(sampleAdOrder())).toMatchObject({ outcome: 'done' });
  });

  it('is whatever answers at its URL, and may be away when it is opened', async () => {
    const { id, adServer, isSimulated } = await opened(at(await serveSimulator(60)));
    expect({ id, isSimulated }).toEqual({ id: 'default', isSimulated: false });
    expect(await adServer.describe()).toMatchObject({ clock_speed: 60 });
    const order = sampleAdOrder();
    expect(await adServer.put(order)).toMatchObject({ outcome: 'done' });
    expect(await adServer.read(order.media_buy_id)).toMatchObject({ found: true, version: 1 });
    const away = await opened(at('http://127.0.0.1:9'));
    await expect(away.adServer.describe()).rejects.toMatchObject({ name: 'Unreachable', sent: 'no' });
  });
});

describe('what the ad server can do is looked at', () => {
  const lines: Record<string, unknown>[] = [];
  const log = pino(
    { base: null, timestamp: false },
    { write: (line) => lines.push(JSON.parse(line) as Record<string, unknown>) },
  );
  const watch = (adServer: AdServerWatchOptions['adServer'], more: Partial<AdServerWatchOptions> = {}) => {
    lines.length = 0;
    const parts = { catalog, ad_server_id: 'default', simSpeed: 1, clock: systemClock, log };
    return createAdServerWatch({ ...parts, adServer, ...more });
  };

  it('at the start, which goes on when all fits', async () => {
    const { adServer } = await opened(at(await serveSimulator()));
    await watch(adServer).atStart();
    expect(lines).toEqual([]);
  });

  it('at the start, which ends when something does not fit', async () => {
    const { adServer } = await opened(at(await serveSimulator(600)));
    const end = await watch(adServer)
      .atStart()
      .catch((error: unknown) => error);
    expect(end).toBeInstanceOf(AdServerMisfit);
    expect(String(end)).toContain(
      "1 thing does not fit ad server default\n  settings SIM_SPEED: is 1, and the ad server's clock runs at 600; set both to the same",
    );
  });

  it('at the start, which ends at a token that is refused and at what is no ad server, with no secret told', async () => {
    const wrong = 'wrong-token-0123456789';
    const { adServer } = await opened(at(await serveSimulator(), wrong));
    const refused = String(
      await watch(adServer)
        .atStart()
        .catch((error: unknown) => error),
    );
    expect(refused).toMatch(/settings ad server default: GET .* is answered 401.*; check .* AD_SERVER_TOKEN/);
    const other = await serveApp((_request, response) => response.end('hello'));
    const elsewhere = await opened(at(other, wrong));
    const none = watch(elsewhere.adServer).atStart();
    await expect(none).rejects.toThrow(/settings ad server default: .* no JSON; check its address/);
    expect(refused + JSON.stringify(lines)).not.toContain(wrong);
  });

  it('at the start, which goes on without one that is away or says nothing', async () => {
    const away = await opened(at('http://127.0.0.1:9'));
    await watch(away.adServer).atStart();
    expect(lines).toMatchObject([{ level: 40, ad_server_id: 'default' }]);
    const mute = { describe: () => new Promise<never>(() => undefined) };
    await watch(mute, { startWaitsMs: 20 }).atStart();
    expect(lines).toMatchObject([{ level: 40, err: { message: expect.stringContaining('within 20 ms') as string } }]);
  });

  it('once it answers, and every hour, with one alarm for each thing as long as it lasts', async () => {
    let nowMs = systemClock.now();
    const clock = { now: () => nowMs };
    const able = await (await opened({})).adServer.describe();
    let answer: Promise<typeof able> | undefined;
    let asked = 0;
    const away = await opened(at('http://127.0.0.1:9'));
    const describe = () => {
      asked += 1;
      return answer ?? away.adServer.describe();
    };
    const looking = watch({ describe }, { clock });
    await looking.atStart();
    lines.length = 0;

    await looking.lookDue();
    await looking.lookDue();
    expect(asked).toBe(2);
    answer = Promise.resolve({ ...able, clock_speed: 2 });
    nowMs += 15_000;
    await looking.lookDue();
    expect(lines).toMatchObject([{ level: 50, problem: expect.stringContaining('SIM_SPEED') as string }]);
    nowMs += 3_599_999;
    await looking.lookDue();
    expect(asked).toBe(3);
    nowMs += 1;
    await looking.lookDue();
    expect({ asked, alarms: lines.length }).toEqual({ asked: 4, alarms: 1 });

    answer = Promise.resolve(able);
    nowMs += 3_600_000;
    await looking.lookDue();
    answer = Promise.resolve({ ...able, clock_speed: 2 });
    nowMs += 3_600_000;
    await looking.lookDue();
    expect(lines).toHaveLength(2);
  });
});
