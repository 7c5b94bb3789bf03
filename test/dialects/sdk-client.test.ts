import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADCPMultiAgentClient } from '#adcp-buyer/client';
import { startTestAgent } from '../journeys/support/test-agent.ts';
import { actingAs, approvalOf, operate } from '../journeys/support/operator.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { until } from '../support/until.ts';
import { openReceiver } from '../webhooks/support/open-receiver.ts';
import { schemaErrors } from './support/public-call.ts';
import type { Received } from '../webhooks/support/received.ts';

let at: TestAgent;

beforeAll(async () => {
  at = await startTestAgent('sqlite', { env: { APPROVAL_OVER_USD: '50000' } });
});
afterAll(() => at.stop());

/** Of an image of 300 by 250 pixels. */
const FORMAT = 'display_300x250';
const TRANSPORTS = [
  ['a2a', ''],
  ['mcp', '/mcp'],
] as const;

describe.each(TRANSPORTS)('the public client of release 3.0, as it is, over %s', (protocol, path) => {
  const brand = { domain: `${protocol}.example` };
  const account = { brand, operator: `${protocol}.example` };

  function buyer() {
    const config = { id: 'us', name: 'us', agent_uri: `${at.baseUrl}${path}`, protocol, auth_token: at.apiKey };
    return new ADCPMultiAgentClient([config]).agent('us');
  }

  /** What the client passes on of an answer, which is what the schema of its release asks for. */
  function valid<T>(skill: string, result: { status: string; error?: string | undefined; data?: T | undefined }): T {
    expect([skill, result.error ?? '', result.status]).toEqual([skill, '', 'completed']);
    expect([skill, schemaErrors(skill, '3.0', result.data)]).toEqual([skill, []]);
    return result.data as T;
  }

  /** A new buy of one package, for so much. */
  async function order(budget: number) {
    const { products } = valid(
      'get_products',
      await buyer().getProducts({
        ...{ buying_mode: 'wholesale', brand },
        filters: { is_fixed_price: true, delivery_type: 'non_guaranteed' },
      }),
    );
    const [chosen] = products
      .filter(({ format_ids }) => format_ids.some(({ id }) => id === FORMAT))
      .flatMap(({ product_id, pricing_options }) =>
        pricing_options.flatMap((option) =>
          option.currency === 'USD' && 'fixed_price' in option
            ? [{ product_id, pricing_option_id: option.pricing_option_id }]
            : [],
        ),
      );
    if (chosen === undefined) throw new Error('nothing of a fixed price in dollars takes the format');
    return {
      ...{ account, brand, idempotency_key: randomUUID(), start_time: 'asap' },
      end_time: new Date(Date.now() + 20 * 86_400_000).toISOString(),
      packages: [{ ...chosen, budget }],
    };
  }

  it('[D1] finds the agent, what it can do and what it sells', async () => {
    const agent = buyer();
    const info = await agent.getAgentInfo();
    expect(info.tools.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['get_adcp_capabilities', 'get_products', 'list_creative_formats', 'sync_accounts']),
    );
    const capabilities = await agent.getCapabilities();
    expect(capabilities).toMatchObject({
      version: 'v3',
      majorVersions: [3],
      protocols: ['media_buy'],
      _synthetic: false,
    });
    const found = valid('get_products', await agent.getProducts({ buying_mode: 'brief', brief: 'video', brand }));
    expect(found.products.length).toBeGreaterThan(0);
    const { formats } = valid('list_creative_formats', await agent.listCreativeFormats({ asset_types: ['image'] }));
    expect(formats.length).toBeGreaterThan(0);
  });

  it('[D4.accounts] opens an account and finds it in the list', async () => {
    const agent = buyer();
    const other = { domain: `other-${protocol}.example` };
    const opened = valid(
      'sync_accounts',
      await agent.syncAccounts({
        idempotency_key: randomUUID(),
        accounts: [{ brand: other, operator: 'agency.example', billing: 'operator' }],
      }),
    );
    expect(opened).toMatchObject({ accounts: [{ brand: other, action: 'created', status: 'active' }] });
    const listed = valid('list_accounts', await agent.listAccounts({}));
    expect(listed.accounts.filter((one) => one.brand?.domain === other.domain)).toMatchObject([{ status: 'active' }]);
  });

  it('[D3.changes] books a media buy, reads it, changes it, reads its delivery and cancels it', async () => {
    const agent = buyer();
    const made = valid('create_media_buy', await agent.createMediaBuy(await order(45_000)));
    const { media_buy_id, packages } = made as { media_buy_id: string; packages: { package_id: string }[] };
    const read = valid('get_media_buys', await agent.getMediaBuys({ account, media_buy_ids: [media_buy_id] }));
    expect(read.media_buys).toMatchObject([{ media_buy_id, status: 'pending_creatives' }]);
    const change = { account, media_buy_id };
    const package_id = packages[0]?.package_id ?? '';
    const paused = valid(
      'update_media_buy',
      await agent.updateMediaBuy({
        ...{ ...change, idempotency_key: randomUUID() },
        packages: [{ package_id, paused: true }],
      }),
    );
    expect(paused).toMatchObject({ affected_packages: [{ package_id, paused: true }] });
    const delivery = valid(
      'get_media_buy_delivery',
      await agent.getMediaBuyDelivery({ account, media_buy_ids: [media_buy_id] }),
    );
    expect(delivery).toMatchObject({ media_buy_deliveries: [{ media_buy_id }] });
    const canceled = valid(
      'update_media_buy',
      await agent.updateMediaBuy({ ...change, idempotency_key: randomUUID(), canceled: true }),
    );
    expect(canceled).toMatchObject({ media_buy_id, status: 'canceled' });
  });

  it('[D4.creatives] uploads a creative to a package of a media buy and finds both in the list', async () => {
    const agent = buyer();
    const made = valid('create_media_buy', await agent.createMediaBuy(await order(40_000)));
    const { packages } = made as { packages: { package_id: string }[] };
    const package_id = packages[0]?.package_id ?? '';
    const creative_id = `banner-${protocol}`;
    const creative = {
      ...{ creative_id, name: 'Trail shoes', format_id: { agent_url: at.baseUrl, id: FORMAT } },
      assets: { image: { asset_type: 'image', url: 'https://cdn.example/banner.png', width: 300, height: 250 } },
    } as const;
    const synced = valid(
      'sync_creatives',
      await agent.syncCreatives({
        ...{ account, idempotency_key: randomUUID(), creatives: [creative] },
        assignments: [{ creative_id, package_id }],
      }),
    );
    expect(synced).toMatchObject({ creatives: [{ action: 'created', assigned_to: [package_id] }] });
    const listed = valid(
      'list_creatives',
      await agent.listCreatives({ account, filters: { creative_ids: [creative_id] }, include_assignments: true }),
    );
    expect(listed.creatives).toMatchObject([{ assignments: { assigned_packages: [{ package_id }] } }]);
  });

  it('[D2.task] waits for a person by the task that it was answered, and is told the media buy once one has approved', async () => {
    const made = await buyer().createMediaBuy(await order(60_000));
    expect(made.status).toBe('submitted');
    const { taskId, waitForCompletion } = made.submitted ?? expect.unreachable();
    const { approval_id } = await approvalOf(at, taskId);
    const ann = await actingAs(at, 'Ann');
    expect((await operate(at, 'POST', `/approvals/${approval_id}/approve`, {}, ann)).status).toBe(200);
    const done = await waitForCompletion(200);
    expect([done.error ?? '', done.success]).toEqual(['', true]);
    expect(done.data).toMatchObject({ media_buy_id: expect.stringMatching(/^mb_/) as string });
  });

  it('[D2.task] asks for more while its booking waits for a person, and names that in all it asks', async () => {
    const agent = buyer();
    const first = await agent.createMediaBuy(await order(61_000));
    expect(first.status).toBe('submitted');
    const { taskId } = first.submitted ?? expect.unreachable();
    expect(agent.getPendingTaskId()).toBe(taskId);
    const second = await agent.createMediaBuy(await order(61_000));
    expect(second.status).toBe('submitted');
    expect(second.submitted?.taskId).not.toBe(taskId);
    const third = valid('create_media_buy', await agent.createMediaBuy(await order(20_000)));
    expect(third).toMatchObject({ media_buy_id: expect.stringMatching(/^mb_/) as string });
    for (const { submitted } of [first, second]) {
      const { approval_id } = await approvalOf(at, submitted?.taskId ?? '');
      await operate(at, 'POST', `/approvals/${approval_id}/reject`, { reason: 'not now' });
    }
  });

  it('[D2.refusals] reads code, field and recovery of a refusal', async () => {
    const refused = await buyer().getProducts({ buying_mode: 'brief', brief: ' ', brand });
    expect(refused).toMatchObject({
      success: false,
      adcpError: { code: 'INVALID_REQUEST', field: 'brief', recovery: 'correctable' },
    });
  });
});

it.each(TRANSPORTS)(
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
