import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { MediaBuys } from '../../src/sales/media-buy/media-buys.ts';
import { TaskRuns } from '../../src/runtime/task-run.ts';
import { errorOf, mediaBuyInput, post, send, taskOf } from './support/buyer.ts';
import { startTestAgent } from './support/test-agent.ts';
import type { TestAgent } from './support/test-agent.ts';
import { describeOnStores } from '../support/stores.ts';

const ORGANIZATION = { organization_id: 'org_demo_buyer' };

function messageOf(parts: unknown[]): Record<string, unknown> {
  const message = { messageId: randomUUID(), role: 'ROLE_USER', parts };
  return { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } };
}

describeOnStores('bad input on %s gets a clear error and stores nothing', (store) => {
  let agent: TestAgent;
  beforeAll(async () => {
    agent = await startTestAgent(store, { working: false });
  });
  afterAll(() => agent.stop());

  async function stored(): Promise<number> {
    const { core } = agent;
    const runs = await core.store.collection(TaskRuns).count(ORGANIZATION);
    return runs + (await core.store.collection(MediaBuys).count(ORGANIZATION));
  }

  const withBudget = (budget: unknown) => {
    const input = mediaBuyInput(agent);
    const [first, ...others] = input['packages'] as Record<string, unknown>[];
    return { ...input, packages: [{ ...first, budget }, ...others] };
  };
  const withPackage = (changes: Record<string, unknown>) => {
    const input = mediaBuyInput(agent);
    const [first, ...others] = input['packages'] as Record<string, unknown>[];
    return { ...input, packages: [first, { ...others[0], ...changes }] };
  };
  const hook = (config: Record<string, unknown>) => mediaBuyInput(agent, { push_notification_config: config });

  it.each<[string, () => Record<string, unknown>, string, string]>([
    ['a budget of 0', () => withBudget(0), 'INVALID_REQUEST', 'packages[0].budget'],
    ['a budget of -1', () => withBudget(-1), 'INVALID_REQUEST', 'packages[0].budget'],
    ['a budget as text', () => withBudget('10'), 'VALIDATION_ERROR', 'packages[0].budget'],
    ['a budget of 0.1 + 0.2', () => withBudget(0.1 + 0.2), 'INVALID_REQUEST', 'packages[0].budget'],
    ['a budget of null', () => withBudget(null), 'VALIDATION_ERROR', 'packages[0].budget'],
    ['no packages', () => mediaBuyInput(agent, { packages: [] }), 'VALIDATION_ERROR', 'packages'],
    ['no buyer_ref', () => mediaBuyInput(agent, { buyer_ref: undefined }), 'VALIDATION_ERROR', 'buyer_ref'],
    ['a buyer_ref of spaces', () => mediaBuyInput(agent, { buyer_ref: '  ' }), 'VALIDATION_ERROR', 'buyer_ref'],
    [
      'no brand_manifest',
      () => mediaBuyInput(agent, { brand_manifest: undefined }),
      'VALIDATION_ERROR',
      'brand_manifest',
    ],
    ['an unknown product', () => withPackage({ product_id: 'nope' }), 'PRODUCT_NOT_FOUND', 'packages[1].product_id'],
    [
      'an unknown pricing option',
      () => withPackage({ pricing_option_id: 'nope' }),
      'PRICING_OPTION_NOT_FOUND',
      'packages[1].pricing_option_id',
    ],
    [
      'an auction without a bid',
      () => withPackage({ bid_price: undefined }),
      'INVALID_REQUEST',
      'packages[1].bid_price',
    ],
    ['a bid below the floor', () => withPackage({ bid_price: 0.01 }), 'INVALID_REQUEST', 'packages[1].bid_price'],
    ['an unknown key', () => mediaBuyInput(agent, { buyer_reff: 'x' }), 'VALIDATION_ERROR', 'buyer_reff'],
    [
      'an end before the start',
      () => mediaBuyInput(agent, { end_time: '2020-01-01T00:00:00Z' }),
      'INVALID_REQUEST',
      'end_time',
    ],
    [
      'an end without an offset',
      () => mediaBuyInput(agent, { end_time: '2099-01-01T00:00:00' }),
      'VALIDATION_ERROR',
      'end_time',
    ],
    ['no start', () => mediaBuyInput(agent, { start_time: undefined }), 'VALIDATION_ERROR', 'start_time'],
    [
      'a start without an offset',
      () => mediaBuyInput(agent, { start_time: { type: 'scheduled', datetime: '2099-01-01T00:00:00' } }),
      'VALIDATION_ERROR',
      'start_time.datetime',
    ],
    [
      'a short idempotency key',
      () => mediaBuyInput(agent, { idempotency_key: 'short' }),
      'VALIDATION_ERROR',
      'idempotency_key',
    ],
    [
      'a registration without operation_id',
      () => hook({ url: 'http://127.0.0.1:9/x' }),
      'INVALID_REQUEST',
      'push_notification_config.operation_id',
    ],
    [
      'a webhook to a private address',
      () => hook({ url: 'https://10.0.0.1/x', operation_id: 'op' }),
      'ADDRESS_REFUSED',
      'push_notification_config.url',
    ],
  ])(
    '[B3] [B4] [B5] [B12] [B13] [W2] [C.tasks.create_media_buy] [C.tasks.auction] [C.resources.push-config] [C.events.3] [C.errors.body] %s',
    async (_what, input, code, field) => {
      const before = await stored();
      const answer = await send(agent, 'create_media_buy', input());
      expect(errorOf(answer)).toMatchObject({ code, field });
      expect(answer.error?.code).toBe(-32602);
      expect(errorOf(answer).message).not.toBe('');
      expect(await stored()).toBe(before);
    },
  );

  it('[B3] a budget of 1e309, which JSON reads as infinite', async () => {
    const input = JSON.stringify(withBudget(424_242.42)).replace('424242.42', '1e309');
    const message = JSON.stringify(messageOf([{ data: { skill: 'create_media_buy', input: 0 } }]));
    const answer = await post(agent, message.replace('"input":0', `"input":${input}`));
    expect(errorOf(answer)).toMatchObject({ code: 'VALIDATION_ERROR', field: 'packages[0].budget' });
  });

  it('[B12] every problem of a request is told at once', async () => {
    const answer = await send(agent, 'create_media_buy', { buyer_ref: 1, packages: [{ budget: '10' }] });
    const issues = (errorOf(answer) as { issues?: { pointer: string }[] }).issues ?? [];
    expect(issues.map(({ pointer }) => pointer)).toEqual(
      expect.arrayContaining([
        '/buyer_ref',
        '/brand_manifest',
        '/packages/0/product_id',
        '/packages/0/budget',
        '/end_time',
      ]),
    );
  });

  it('[B12] a mistake of form hides no other: what fits the schema is judged beside it, each place once', async () => {
    const input = mediaBuyInput(agent, { end_time: '2020-01-01T00:00:00Z', colour: 'blue' });
    const [first, second] = (input['packages'] as Record<string, unknown>[]).map(({ buyer_ref: _ref, ...one }) => one);
    const packages = [
      { ...first, budget: '10', pricing_option_id: 'nope' },
      { ...first, product_id: 'nope' },
      { ...second, bid_price: 0.01, buyer_ref: 'twice' },
      { ...second, product_id: 7, buyer_ref: 'twice' },
      { ...first, budget: 'ten' },
    ];
    const answer = await send(agent, 'create_media_buy', { ...input, packages });
    const error = errorOf(answer) as { code?: string; field?: string; issues?: { pointer: string }[] };
    expect(error).toMatchObject({ code: 'VALIDATION_ERROR', field: 'packages[0].budget' });
    expect(error.issues?.map(({ pointer }) => pointer).sort()).toEqual([
      '/colour',
      '/end_time',
      '/packages/0/budget',
      '/packages/0/pricing_option_id',
      '/packages/1/product_id',
      '/packages/2/bid_price',
      '/packages/3/buyer_ref',
      '/packages/3/product_id',
      '/packages/4/budget',
    ]);
  });

  it.each<[string, unknown]>([
    ['packages that are none', { packages: 'all' }],
    ['packages of nothing', { packages: [null, 7, [], {}] }],
    ['more packages than there may be', { packages: Array.from({ length: 5000 }, () => ({ product_id: 'nope' })) }],
  ])('[B12] %s are refused as before, with at most 50 places', async (_what, input) => {
    const error = errorOf(await send(agent, 'create_media_buy', input)) as { code?: string; issues?: unknown[] };
    expect(error.code).toBe('VALIDATION_ERROR');
    expect(error.issues?.length).toBeLessThanOrEqual(50);
  });

  it('[B7] a second campaign of the same buyer_ref is a conflict that names the first', async () => {
    const input = mediaBuyInput(agent);
    const first = taskOf(await send(agent, 'create_media_buy', input));
    const before = await stored();
    const answer = await send(agent, 'create_media_buy', input);
    expect(errorOf(answer)).toMatchObject({
      code: 'CONFLICT',
      field: 'buyer_ref',
      details: { media_buy_id: `mb_${first.id.replaceAll('-', '')}` },
    });
    expect(await stored()).toBe(before);
  });

  it('[B7] [C.errors.conflict] a key with another request is a conflict', async () => {
    const key = { idempotency_key: `key-${randomUUID()}` };
    taskOf(await send(agent, 'create_media_buy', mediaBuyInput(agent, key)));
    const before = await stored();
    const answers = await Promise.all(
      Array.from({ length: 49 }, () => send(agent, 'create_media_buy', mediaBuyInput(agent, key))),
    );
    for (const answer of answers) {
      expect(errorOf(answer)).toMatchObject({ code: 'IDEMPOTENCY_CONFLICT', field: 'idempotency_key' });
    }
    expect(await stored()).toBe(before);
  });

  it.each<[string, () => unknown, number]>([
    ['text that is no JSON', () => '{"jsonrpc": "2.0", ', -32700],
    ['an envelope without a method', () => ({ jsonrpc: '2.0', id: 1 }), -32600],
    ['a batch', () => [messageOf([])], -32600],
    ['an unknown method', () => ({ jsonrpc: '2.0', id: 1, method: 'Nope', params: {} }), -32601],
    ['a message without parts', () => messageOf([]), -32602],
    ['an unknown task', () => messageOf([{ data: { skill: 'nope', input: {} } }]), -32602],
    ['an unknown task id', () => ({ jsonrpc: '2.0', id: 1, method: 'GetTask', params: { id: 'nope' } }), -32001],
  ])('[B12] %s', async (_what, body, code) => {
    const before = await stored();
    const answer = await post(agent, body());
    expect(answer.error?.code).toBe(code);
    expect(await stored()).toBe(before);
  });

  it('a body of more than 1 MB', async () => {
    const before = await stored();
    const input = mediaBuyInput(agent, { context: { filler: 'x'.repeat(1_100_000) } });
    const answer = await send(agent, 'create_media_buy', input);
    expect(answer.status).toBe(413);
    expect(errorOf(answer)).toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
    expect(await stored()).toBe(before);
  });

  it('[C.errors.token] a missing or wrong credential', async () => {
    const read = { jsonrpc: '2.0', id: 1, method: 'GetTask', params: { id: 'x' } };
    for (const authorization of ['', 'Bearer nope', 'Basic dXNlcjpwYXNz']) {
      const answer = await post(agent, read, { authorization });
      expect(answer.status).toBe(401);
    }
  });
});
