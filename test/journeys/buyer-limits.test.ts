import { afterAll, beforeAll, expect, it } from 'vitest';
import { organizations } from '../../src/directory/organization/organization.ts';
import { operatorKey } from '../../src/main/wiring/operator-routes.ts';
import { runAgentCommand } from '../main/support/cli.ts';
import { textOf, visitorOf } from '../admin/console/support/visitor.ts';
import { BUYER, begin, refusal, result, settled } from '../tasks/support/calls.ts';
import type { Json } from '../tasks/support/calls.ts';
import { describeOnStores } from '../support/stores.ts';
import { accountOf, orderOf } from '../dialects/support/booking.ts';
import { bodyOf, callPublic } from '../dialects/support/public-call.ts';
import { mediaBuyInput } from './support/buyer.ts';
import { approvalOf, operate } from './support/operator.ts';
import { startTestAgent } from './support/test-agent.ts';
import type { TestAgent } from './support/test-agent.ts';

const LINE = { product_id: 'gazette_run_of_site', pricing_option_id: 'ros_fixed_usd', budget: 4_000 };
const PATH = `/buyers/${BUYER.organization_id}/limits`;

describeOnStores('what a buyer is told where a person is asked about none but it, on %s', (store) => {
  let agent: TestAgent;
  beforeAll(async () => {
    agent = await startTestAgent(store);
  });
  afterAll(() => agent.stop());

  it('[B3.buyers] [D3.actions] is that one may be asked, of its products and media buys, by another version of the feed', async () => {
    const ask = async (skill: string, parameters: Json) => {
      const release = skill === 'list_products' ? '3.2' : '3.1';
      return bodyOf(await callPublic(agent, skill, { adcp_version: release, ...parameters }));
    };
    const modes = (actions: unknown) =>
      new Map((actions as { action: string }[]).map((one) => [one.action, JSON.stringify(one)]));
    const account = accountOf('acme.example');
    const made = await ask('create_media_buy', orderOf(LINE, { account }));
    expect(made).not.toHaveProperty('adcp_error');
    const { media_buy_id } = made;
    const told = async () => {
      const { products, wholesale_feed_version: version } = await ask('get_products', { buying_mode: 'wholesale' });
      const listed = await ask('list_products', {});
      const { media_buys } = await ask('get_media_buys', { account, media_buy_ids: [media_buy_id] });
      const capabilities = await result(agent, 'get_agent_capabilities', {});
      return {
        versions: [version, listed['feed_version']],
        raises: [
          modes((products as Json[])[0]?.['allowed_actions']).get('increase_budget'),
          modes((listed['products'] as Json[])[0]?.['allowed_actions']).get('increase_budget'),
          modes((media_buys as Json[])[0]?.['available_actions']).get('increase_budget'),
        ].map((one) => /(conditional_)?self_serve/.exec(one ?? '')?.[0]),
        byPeople: (capabilities['features'] as Json)['approval_by_people'],
      };
    };
    const before = await told();
    expect(before).toMatchObject({ raises: Array(3).fill('self_serve'), byPeople: false });
    await operate(agent, 'POST', PATH, { approval_over: 'USD:5000' });
    const after = await told();
    expect(after).toMatchObject({ raises: Array(3).fill('conditional_self_serve'), byPeople: true });
    expect(after.versions[0]).not.toBe(before.versions[0]);
    expect(after.versions).toEqual([after.versions[0], after.versions[0]]);
    await operate(agent, 'POST', PATH, { approval_over: 'none' });
    expect(await told()).toEqual(before);
  });
});

describeOnStores('limits of one buyer, on %s', (store) => {
  let agent: TestAgent;
  beforeAll(async () => {
    agent = await startTestAgent(store, { env: { APPROVAL_OVER: 'USD:50000', SECOND_APPROVER_OVER: 'USD:200000' } });
  });
  afterAll(() => agent.stop());

  const order = (budget: number) =>
    mediaBuyInput(agent, {
      packages: [{ product_id: 'gazette_run_of_site', pricing_option_id: 'ros_fixed_usd', budget }],
    });
  const set = (body: Json) => operate(agent, 'POST', PATH, body);
  const limits = async () => (await operate(agent, 'GET', PATH)).body as Json;
  /** What is committed, which is told of a credit alone. */
  const limitsUnder = async (credit: string) => {
    await set({ credit });
    return limits();
  };
  const why = async (input: Json) => {
    const { task_id } = await begin(agent, 'create_media_buy', input);
    const { why: words } = await approvalOf(agent, task_id);
    const canceled = await agent.core.runtime.cancel(BUYER, task_id);
    expect(canceled.state).toBe('canceled');
    return words;
  };

  it("[B3.buyers] a person is asked by the buyer's own amount before the setting's, and always where it takes two", async () => {
    expect((await set({ approval_over: 'USD:5000' })).status).toBe(200);
    expect(await why(order(5_001))).toBe(
      "the total budget of 5,001.00 USD is above the 5,000.00 USD of this buyer's that pass without a person",
    );
    await set({ approval_over: 'USD:900000' });
    const passed = await result(agent, 'create_media_buy', order(150_000));
    expect(passed).toMatchObject({ pending_reason: 'creatives' });
    expect(await why(order(200_001))).toBe(
      'the total budget of 200,001.00 USD is above what passes without two people',
    );
    const raise = { media_buy_id: passed['media_buy_id'], updates: { budget_change: 1 } };
    expect(await result(agent, 'update_media_buy', raise)).toMatchObject({ revision: 3 });
    await set({ approval_over: 'none' });
    expect(await why(order(50_001))).toContain('above the 50,000.00 USD that pass without a person');
    await result(agent, 'update_media_buy', { media_buy_id: passed['media_buy_id'], updates: { status: 'canceled' } });
  });

  it('[B3.credit] what is above the credit is refused at once, with what is left; less, an end or more credit make room', async () => {
    await set({ credit: 'USD:10000' });
    const first = await result(agent, 'create_media_buy', order(6_000));
    const { media_buy_id } = first;
    const refused = await refusal(agent, 'create_media_buy', order(4_001));
    expect(refused).toMatchObject({
      ...{ code: 'BUDGET_EXCEEDED', recovery: 'correctable', field: 'packages' },
      suggestion: '4,000.00 USD or less, or ask the seller for more credit',
    });
    const second = await result(agent, 'create_media_buy', order(4_000));
    const raised = await refusal(agent, 'update_media_buy', { media_buy_id, updates: { budget_change: 1 } });
    expect(raised).toMatchObject({ code: 'BUDGET_EXCEEDED', field: 'updates' });
    expect(await limits()).toMatchObject({
      credit_in_use: [{ currency: 'USD', credit: 10_000, committed: 10_000, left: 0 }],
    });
    await result(agent, 'update_media_buy', { media_buy_id, updates: { budget_change: -500 } });
    await result(agent, 'update_media_buy', {
      media_buy_id: second['media_buy_id'],
      updates: { budget_change: 500 },
    });
    // Less than what is booked takes nothing back, and lets nothing be added.
    await set({ credit: 'USD:1' });
    expect(await refusal(agent, 'create_media_buy', order(2_500))).toMatchObject({ code: 'BUDGET_EXCEEDED' });
    await result(agent, 'update_media_buy', { media_buy_id, updates: { status: 'paused' } });
    for (const id of [media_buy_id, second['media_buy_id']])
      await result(agent, 'update_media_buy', { media_buy_id: id, updates: { status: 'canceled' } });
    expect(await limits()).toMatchObject({ credit_in_use: [{ committed: 0, left: 1 }] });
  });

  it('[B3.credit] of several that are asked for at once as many are booked as fit, and the others are told why', async () => {
    await set({ credit: 'USD:10000' });
    const asked = await Promise.all(
      [3_000, 4_000, 5_000, 6_000].map((budget) =>
        begin(agent, 'create_media_buy', order(budget)).catch((error: unknown) => error as Error),
      ),
    );
    let booked = 0;
    for (const run of asked) {
      if (run instanceof Error) {
        expect(run).toMatchObject({ code: 'BUDGET_EXCEEDED' });
        continue;
      }
      const { state, task_id } = await settled(agent, run.task_id);
      if (state === 'completed') {
        const buy = await agent.core.sales.mediaBuys.find({ where: { task_id }, limit: 1 });
        booked += (buy.rows[0]?.total_budget_minor ?? 0) / 100;
        continue;
      }
      const last = (await agent.core.runtime.read(BUYER, task_id)).events.at(-1);
      expect([state, JSON.stringify(last)]).toEqual(['failed', expect.stringContaining('BUDGET_EXCEEDED')]);
    }
    expect(booked).toBeGreaterThan(0);
    expect(booked).toBeLessThanOrEqual(10_000);
    expect(await limits()).toMatchObject({ credit_in_use: [{ committed: booked, left: 10_000 - booked }] });
  });

  it('[B3.credit] a raise that was approved and does not fit any more fails with the reason, and leaves all as it was', async () => {
    await set({ credit: 'none', approval_over: 'none' });
    const { media_buy_id } = await result(agent, 'create_media_buy', order(4_000));
    const others = Number(
      ((await limitsUnder('USD:900000'))['credit_in_use'] as { committed: number }[])[0]?.committed,
    );
    await set({ credit: `USD:${others + 6_000}`, approval_over: 'USD:5000' });
    const raise = { media_buy_id, updates: { budget_change: 2_000 } };
    const { task_id } = await begin(agent, 'update_media_buy', raise);
    const { approval_id } = await approvalOf(agent, task_id);
    await result(agent, 'create_media_buy', order(4_500));
    expect((await operate(agent, 'POST', `/approvals/${approval_id}/approve`, {})).status).toBe(200);
    const { state, events } = await settled(agent, task_id);
    expect([state, JSON.stringify(events.at(-1))]).toEqual(['failed', expect.stringContaining('BUDGET_EXCEEDED')]);
    expect((await agent.core.sales.mediaBuys.get(String(media_buy_id)))?.total_budget_minor).toBe(400_000);
    expect(await limits()).toMatchObject({ credit_in_use: [{ committed: others + 4_500, left: 1_500 }] });
  });

  it('[O1] are set on the page and in the command line, refused by name, on record, and undone', async () => {
    await set({ credit: 'USD:10000', approval_over: 'none' });
    const admin = await visitorOf(agent, 'admin');
    const page = `/buyers/${BUYER.organization_id}`;
    const form = await admin.form(page, 'Set limits');
    const sent = await admin.send(form, { approval_over: 'USD:700.50,JPY:9000', credit: 'none' });
    expect(sent.status).toBe(303);
    const html = textOf((await admin.get(page)).html);
    expect(html).toContain('700.50 USD, 9,000 JPY, for this buyer alone');
    expect(await limits()).toMatchObject({ approval_over: { USD: 700.5, JPY: 9_000 }, credit: {}, credit_in_use: [] });
    const landed = (sent.headers.get('location') ?? '').replace('/admin', '');
    expect((await admin.send(await admin.form(landed, 'Undo'))).status).toBe(303);
    expect(await limits()).toMatchObject({ approval_over: {}, credit: { USD: 10_000 } });

    for (const [body, field, fix] of [
      [{ approval_over: '5000' }, 'approval_over', 'names no currency; write the currency, a colon and the amount'],
      [{ credit: 'USD' }, 'credit', 'has no amount; write the currency, a colon and the amount'],
      [
        { credit: 'XXX:1' },
        'credit',
        'such as USD:50000,EUR:45000, or none: entry 1, "XXX:1", begins with no ISO 4217',
      ],
      [{ approval_over: 'USD:1,USD:2' }, 'approval_over', 'names USD again; keep one of the two'],
      [{}, undefined, 'must have approval_over or credit'],
    ] as const) {
      const refused = await set(body);
      expect([refused.status, refused.body.error?.code]).toEqual([422, 'VALIDATION_ERROR']);
      if (field !== undefined) expect(refused.body.error).toMatchObject({ field });
      expect(refused.body.error?.message).toContain(fix);
    }
    expect((await operate(agent, 'POST', '/buyers/org_none/limits', { credit: 'none' })).status).toBe(404);

    const key = await operatorKey(agent.core);
    const cli = (...args: string[]) =>
      runAgentCommand(['buyers', 'limits', ...args, '--url', agent.baseUrl, '--key', key], {});
    const shown = await cli(BUYER.organization_id, '--credit', 'USD:20000');
    expect(shown.stdout).toMatch(/credit +USD:20000\.00/);
    expect(shown.stdout).toMatch(/^CREDIT +OPEN BUDGETS +LEFT\n20,000\.00 USD /m);
    const { actions } = (await operate(agent, 'GET', `/actions?action=buyers.limits`)).body as {
      actions: { input: Json }[];
    };
    expect(actions[0]?.input).toEqual({ credit: { USD: 20_000 } });
    const row = await agent.core.store.collection(organizations).get(BUYER.organization_id);
    expect(row?.limits).toEqual({ approval_over: {}, credit: { USD: 2_000_000 } });
  });
});
