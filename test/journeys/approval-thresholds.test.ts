import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect } from 'vitest';
import { itOnStores } from '../support/stores.ts';
import { ask, mediaBuyInput, send, taskOf } from './support/buyer.ts';
import { approvalOf, operate } from './support/operator.ts';
import { startTestAgent } from './support/test-agent.ts';
import type { StoreKind } from '../support/stores.ts';
import type { TestAgent } from './support/test-agent.ts';

const cleanUp: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of cleanUp.splice(0).reverse()) await close();
});

const PRODUCT = 'gazette_run_of_site';

/** An agent with these thresholds that sells one product in Kuwaiti dinars and in yen, too. */
async function open(store: StoreKind, env: Record<string, string>): Promise<TestAgent> {
  const CATALOG_DIR = await mkdtemp(join(tmpdir(), 'media-buy-agent-catalog-'));
  cleanUp.push(() => rm(CATALOG_DIR, { recursive: true, force: true }));
  await cp(join(import.meta.dirname, '../../catalog'), CATALOG_DIR, { recursive: true });
  const file = join(CATALOG_DIR, 'products.json');
  const products = JSON.parse(await readFile(file, 'utf8')) as { product_id: string; pricing_options: object[] }[];
  products
    .find(({ product_id }) => product_id === PRODUCT)
    ?.pricing_options.push(
      { pricing_option_id: 'ros_kwd', pricing_model: 'cpm', currency: 'KWD', price: 1.999 },
      { pricing_option_id: 'ros_jpy', pricing_model: 'cpm', currency: 'JPY', price: 950 },
    );
  await writeFile(file, JSON.stringify(products));
  const agent = await startTestAgent(store, { env: { CATALOG_DIR, ...env } });
  cleanUp.push(() => agent.stop());
  return agent;
}

const order = (agent: TestAgent, pricing_option_id: string, budget: number) =>
  mediaBuyInput(agent, { packages: [{ product_id: PRODUCT, pricing_option_id, budget }] });

itOnStores(
  '[B3.thresholds] a total in a currency without a threshold waits for a person, however small its number, on %s',
  async (store) => {
    const agent = await open(store, { APPROVAL_OVER_USD: '50000' });
    const { id } = taskOf(await send(agent, 'create_media_buy', order(agent, 'ros_kwd', 49_999.999)));
    const waiting = await approvalOf(agent, id);
    expect(waiting).toMatchObject({
      why: 'the total budget is 49,999.999 KWD, and no amount of KWD passes without a person',
      money: { currency: 'KWD', total_budget: 49_999.999 },
    });
    expect(await ask(agent, 'create_media_buy', order(agent, 'ros_fixed_usd', 50_000))).toMatchObject({
      pending_reason: 'creatives',
    });
  },
);

itOnStores(
  '[B3.thresholds] a total within the threshold of its own currency passes, and a raise above it waits, on %s',
  async (store) => {
    const agent = await open(store, { APPROVAL_OVER: 'USD:50000,JPY:7500000' });
    const buy = await ask(agent, 'create_media_buy', order(agent, 'ros_jpy', 50_001));
    expect(buy).toMatchObject({ status: 'pending', pending_reason: 'creatives', total_budget: 50_001 });
    const { media_buy_id } = buy;
    const raise = (budget_change: number) => ({ media_buy_id, updates: { budget_change } });
    expect(await ask(agent, 'update_media_buy', raise(7_449_999))).toMatchObject({ revision: 3 });
    const { id } = taskOf(await send(agent, 'update_media_buy', raise(1)));
    const { approval_id } = await approvalOf(agent, id);
    const { body } = await operate(agent, 'GET', `/approvals/${approval_id}`);
    expect(body).toMatchObject({
      why: 'it raises the total to 7,500,001 JPY, above the 7,500,000 JPY that pass without a person',
    });
  },
);
