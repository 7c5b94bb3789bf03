import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ADCPMultiAgentClient } from '#adcp-buyer/client';
import { startTestAgent } from '../journeys/support/test-agent.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { until } from '../support/until.ts';
import { openReceiver } from '../webhooks/support/open-receiver.ts';
import type { Received } from '../webhooks/support/received.ts';

let at: TestAgent;

beforeAll(async () => {
  at = await startTestAgent('sqlite');
});
afterAll(() => at.stop());

function buyer() {
  const config = { id: 'us', name: 'us', agent_uri: at.baseUrl, protocol: 'a2a' as const, auth_token: at.apiKey };
  return new ADCPMultiAgentClient([config]).agent('us');
}

it('[D1] the public client of release 3.0, as it is, finds the agent, what it can do and what it sells', async () => {
  const agent = buyer();
  const info = await agent.getAgentInfo();
  expect(info.tools.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['get_adcp_capabilities', 'get_products', 'list_creative_formats', 'tasks/get']),
  );
  const capabilities = await agent.getCapabilities();
  expect(capabilities).toMatchObject({
    version: 'v3',
    majorVersions: [3],
    protocols: ['media_buy'],
    _synthetic: false,
  });

  const found = await agent.getProducts({ buying_mode: 'brief', brief: 'video', brand: { domain: 'acme.example' } });
  expect(found).toMatchObject({ success: true, status: 'completed' });
  expect(found.data?.products.length).toBeGreaterThan(0);
  const formats = await agent.listCreativeFormats({ asset_types: ['image'] });
  expect(formats).toMatchObject({ success: true, status: 'completed' });
  expect(formats.data?.formats.length).toBeGreaterThan(0);
});

it('[D3.changes] the same client books a media buy, reads it, changes it and cancels it', async () => {
  const agent = buyer();
  const brand = { domain: 'acme.example' };
  const account = { brand, operator: 'acme.example' };
  const found = await agent.getProducts({
    buying_mode: 'wholesale',
    brand,
    filters: { is_fixed_price: true, delivery_type: 'non_guaranteed' },
  });
  const [product] = (found.data?.products ?? []).filter(
    ({ pricing_options: [option] }) => option && 'fixed_price' in option,
  );
  const [option] = product?.pricing_options ?? [];
  const made = await agent.createMediaBuy({
    ...{ account, brand, idempotency_key: randomUUID(), start_time: 'asap' },
    end_time: new Date(Date.now() + 20 * 86_400_000).toISOString(),
    packages: [
      { product_id: product?.product_id ?? '', pricing_option_id: option?.pricing_option_id ?? '', budget: 45_000 },
    ],
  });
  expect(made.error ?? '').toBe('');
  expect(made).toMatchObject({ success: true });
  const { media_buy_id, packages } = made.data as { media_buy_id: string; packages: { package_id: string }[] };
  const read = await agent.getMediaBuys({ media_buy_ids: [media_buy_id] });
  expect(read.data?.media_buys).toMatchObject([{ media_buy_id, status: 'pending_creatives' }]);
  const change = { account, media_buy_id };
  const package_id = packages[0]?.package_id ?? '';
  const paused = await agent.updateMediaBuy({
    ...{ ...change, idempotency_key: randomUUID() },
    packages: [{ package_id, paused: true }],
  });
  expect(paused).toMatchObject({ success: true, data: { affected_packages: [{ package_id, paused: true }] } });
  const delivery = await agent.getMediaBuyDelivery({ media_buy_ids: [media_buy_id] });
  expect(delivery).toMatchObject({ success: true, data: { media_buy_deliveries: [{ media_buy_id }] } });
  const canceled = await agent.updateMediaBuy({ ...change, idempotency_key: randomUUID(), canceled: true });
  expect(canceled).toMatchObject({ success: true, data: { media_buy_id, status: 'canceled' } });
});

it('[D2.refusals] the same client reads code, field and recovery of a refusal', async () => {
  const refused = await buyer().getProducts({ buying_mode: 'brief', brief: ' ', brand: { domain: 'acme.example' } });
  expect(refused).toMatchObject({
    success: false,
    adcpError: { code: 'INVALID_REQUEST', field: 'brief', recovery: 'correctable' },
  });
});

it.each([
  ['a2a', ''],
  ['mcp', '/mcp'],
] as const)(
  '[D5] [D5.signed] the same client over %s has its webhooks signed by its secret, verifies them and reads what they say',
  async (protocol, path) => {
    const receiver = await openReceiver();
    const heard: { type: string; status?: string; payload?: unknown }[] = [];
    const webhookSecret = 'a secret of this buyer, of 40 characters';
    const config = { id: 'us', name: 'us', agent_uri: `${at.baseUrl}${path}`, protocol, auth_token: at.apiKey };
    const agent = new ADCPMultiAgentClient([config], {
      ...{ webhookUrlTemplate: receiver.url('/{task_type}/{operation_id}'), webhookSecret },
      onActivity: (activity) => void heard.push(activity),
    }).agent('us');
    const brand = { domain: 'acme.example' };
    const account = { brand, operator: 'acme.example' };
    const found = await agent.getProducts({ buying_mode: 'wholesale', brand, filters: { is_fixed_price: true } });
    expect(found).toMatchObject({ success: true });
    const [product] = (found.data?.products ?? []).filter(
      ({ delivery_type, pricing_options: [option] }) =>
        delivery_type === 'non_guaranteed' && option && 'fixed_price' in option,
    );
    const pricing_option_id = product?.pricing_options[0]?.pricing_option_id ?? '';
    const made = await agent.createMediaBuy({
      ...{ account, brand, idempotency_key: randomUUID(), start_time: 'asap' },
      end_time: new Date(Date.now() + 20 * 86_400_000).toISOString(),
      packages: [{ product_id: product?.product_id ?? '', pricing_option_id, budget: 45_000 }],
    });
    expect(made).toMatchObject({ success: true });
    const isEnd = ({ body }: Received) => JSON.stringify(body).includes('"completed"') && body['status'] !== 'working';
    const told = await until(() => Promise.resolve(receiver.received.find((one) => isEnd(one))));
    const [, task = '', operation = ''] = told.path.split('/');
    expect(task).toBe('create_media_buy');
    const { 'x-adcp-signature': signature, 'x-adcp-timestamp': timestamp } = told.headers;
    const raw = told.rawBody.toString('utf8');
    const handle = (text: string) =>
      agent.handleWebhook(told.body as never, task, operation, signature, timestamp, text);
    await handle(raw);
    const { media_buy_id } = made.data as { media_buy_id: string };
    const [{ payload } = {}] = heard.filter(({ type }) => type === 'webhook_received');
    expect(payload).toMatchObject({ media_buy_id });
    await expect(handle(`${raw} `)).rejects.toThrow('Invalid webhook signature');
    await receiver.close();
  },
);
