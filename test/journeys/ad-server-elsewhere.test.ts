import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createAdServerSimulator } from '../../src/adservers/simulator/ad-server-simulator.ts';
import { describeSimulator } from '../../src/adservers/simulator/description.ts';
import { createSimulatorApp } from '../../src/adservers/simulator-http/simulator-app.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { createEmbeddedStore } from '../../src/platform/store/sqlite/collection-embedded.ts';
import { MediaBuyId } from '../../src/sales/media-buy/media-buy-id.ts';
import { serveApp, serveBridge, silent, TOKEN } from '../adservers/http/support/bridge.ts';
import { keptAdServer } from '../adservers/http/support/kept-ad-server.ts';
import { withEditedCatalog } from '../sales/support/demo-catalog.ts';
import { ask, mediaBuyInput } from './support/buyer.ts';
import { bundle } from '../support/bundle.ts';
import { launch } from './support/child.ts';
import { startTestAgent } from './support/test-agent.ts';
import type { TestAgent } from './support/test-agent.ts';

/** Settings that lead to an ad server which says that it can do what the simulator can, but for these. */
async function settingsOf(changes: Partial<ReturnType<typeof describeSimulator>> = {}) {
  const { adServer, answers } = keptAdServer();
  Object.assign(answers, { describe: { ...describeSimulator(1), ...changes } });
  return { AD_SERVER: 'http', AD_SERVER_URL: await serveBridge(adServer), AD_SERVER_TOKEN: TOKEN };
}

async function freshFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'media-buy-agent-elsewhere-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function started(env: Record<string, string>): Promise<TestAgent> {
  const agent = await startTestAgent('sqlite', { env, working: false });
  onTestFinished(() => agent.stop());
  return agent;
}

describe('an agent before an ad server elsewhere', () => {
  it('ends its start by a list when something does not fit, as a mistake and without a secret', async () => {
    const env = {
      ...{ PORT: '0', DATA_DIR: await freshFolder(), REDIS_URL: process.env['REDIS_TEST_URL'] ?? '' },
      ...(await settingsOf({ clock_speed: 600, cap_units: [] })),
    };
    const ended = launch(await bundle('src/main/server.ts'), env);
    expect(await ended.ended).toBe(2);
    const { stdout, stderr } = ended.output;
    expect(stderr).toContain(
      "  settings SIM_SPEED: is 1, and the ad server's clock runs at 600; set both to the same\n",
    );
    expect(stderr).toMatch(/ {2}products\.json \[\d+\]\.targeting\.frequency_cap: .*; make it false \(product /);
    expect(stderr).not.toMatch(/"level":[456]0/);
    expect(stdout + stderr).not.toContain(TOKEN);
  });

  it('starts without one that is away', async () => {
    const away = { AD_SERVER: 'http', AD_SERVER_URL: 'http://127.0.0.1:9', AD_SERVER_TOKEN: TOKEN };
    const agent = await started(away);
    expect(await ask(agent, 'get_products', {})).toMatchObject({ products: expect.any(Array) as unknown[] });
  });

  it('tells buyers nothing of what it tells the ad server of a product', async () => {
    const implementation_config = { default: { impressions_per_day: 7, line_item_template: 'native-4711' } };
    await withEditedCatalog(
      ({ products }) => {
        for (const product of products) Object.assign(product, { implementation_config });
      },
      async (folder) => {
        const agent = await started({ ...(await settingsOf()), CATALOG_DIR: folder });
        const card = await (await fetch(`${agent.baseUrl}/.well-known/agent-card.json`)).text();
        const reads = ['get_agent_capabilities', 'list_creative_formats', 'list_authorized_properties'];
        const told = await Promise.all(reads.map((skill) => ask(agent, skill, {})));
        const products = await Promise.all(
          [{ limit: 100 }, { brief: 'podcast' }].map((q) => ask(agent, 'get_products', q)),
        );
        expect(JSON.stringify(products)).toContain('podcast_network_dynamic');
        const words = /implementation_config|native-4711|line_item_template/;
        expect(words.exec(JSON.stringify([card, told, products]))).toBeNull();
      },
    );
  });

  it('orders there what is bought, with what the catalog says for that ad server alone', async () => {
    const store = createEmbeddedStore({ file: join(await freshFolder(), 'ad-server.db'), logger: silent });
    onTestFinished(() => store.close());
    const simulator = createAdServerSimulator({ store, clock: systemClock });
    await store.prepare();
    const url = await serveApp(createSimulatorApp(simulator, { token: TOKEN, log: silent }));
    const config = { impressions_per_day: 5_000_000, line_item_template: 'native-4711' };
    await withEditedCatalog(
      ({ products }) => {
        for (const product of products) Object.assign(product, { implementation_config: { default: config } });
      },
      async (folder) => {
        const there = { AD_SERVER: 'http', AD_SERVER_URL: url, AD_SERVER_TOKEN: TOKEN, CATALOG_DIR: folder };
        const agent = await started(there);
        agent.work();
        const bought = await ask(agent, 'create_media_buy', mediaBuyInput(agent));
        const media_buy_id = MediaBuyId.parse(bought['media_buy_id']);
        expect(await simulator.read(media_buy_id)).toMatchObject({ found: true });
        const { packages } = (await agent.core.sales.mediaBuys.get(media_buy_id)) ?? { packages: [] };
        expect(packages).not.toEqual([]);
        for (const { package_id } of packages) {
          expect(await simulator.controls.look(media_buy_id, package_id)).toMatchObject({ config });
        }
        expect(agent.core.sales.isSimulated).toBe(false);
      },
    );
  });
});
