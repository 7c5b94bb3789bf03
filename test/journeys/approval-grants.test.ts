import { afterEach, expect, it } from 'vitest';
import { TaskRuns } from '../../src/runtime/task-run.ts';
import { TaskId } from '../../src/platform/task-id.ts';
import { describeOnStores } from '../support/stores.ts';
import type { StoreKind } from '../support/stores.ts';
import { until } from '../support/until.ts';
import { openReceiver } from '../webhooks/support/open-receiver.ts';
import { ask, eventsOf, mediaBuyInput, post, send, taskOf } from './support/buyer.ts';
import type { Json } from './support/buyer.ts';
import { actingAs, approvalOf, operate } from './support/operator.ts';
import type { Listed } from './support/operator.ts';
import { startTestAgent } from './support/test-agent.ts';

const cleanUp: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of cleanUp.splice(0).reverse()) await close();
});

const LINE = { product_id: 'newsletter_gazette_morning', pricing_option_id: 'gazette_morning_fixed_usd' };

/** An agent that asks a person about totals above 50,000 US dollars, and its buyer. */
async function open(store: StoreKind, env: Record<string, string> = {}) {
  const receiver = await openReceiver();
  cleanUp.push(() => receiver.close());
  const agent = await startTestAgent(store, { env: { APPROVAL_OVER: 'USD:50000', ...env } });
  cleanUp.push(() => agent.stop());
  const push_notification_config = { url: receiver.url(), operation_id: 'op' };
  const order = (budget: number) => mediaBuyInput(agent, { packages: [{ ...LINE, budget }], push_notification_config });
  const told = (task_id: string) => eventsOf(receiver.received, task_id).map(({ body }) => body);
  return {
    agent,
    buy: (budget: number) => ask(agent, 'create_media_buy', order(budget)),
    /** Asks for what needs a person; answers what they are asked. */
    wait: async (skill: string, input: Json): Promise<Listed> => {
      const { id } = taskOf(await send(agent, skill, { ...input, push_notification_config }));
      return approvalOf(agent, id);
    },
    order,
    update: (media_buy_id: unknown, updates: Json) => ask(agent, 'update_media_buy', { media_buy_id, updates }),
    show: async (approval_id: string) => (await operate(agent, 'GET', `/approvals/${approval_id}`)).body,
    approve: async (approval_id: string, body: Json = {}, by = 'Ann') =>
      operate(agent, 'POST', `/approvals/${approval_id}/approve`, body, await actingAs(agent, by)),
    /** The next round of an approval, once it has been asked again. */
    asked: (approval_id: string) =>
      until(async () => {
        const { body } = await operate(agent, 'GET', `/approvals/${approval_id}`);
        return body['status'] === 'pending' && body;
      }),
    stored: async ({ media_buy_id }: Listed) => {
      const buy = await agent.core.sales.mediaBuys.get(media_buy_id);
      if (buy === undefined) throw new Error('the buy is gone');
      return buy;
    },
    hear: (task_id: string, status: string) => until(() => told(task_id).find((body) => body['status'] === status)),
    told,
    /** What is told of a task, once it is as much as is expected. */
    expectTold: async (task_id: string, expected: string[]) => {
      await until(() => told(task_id).length >= expected.length);
      const steps = told(task_id).map(
        (body) => (body['result'] as Json | undefined)?.['current_step'] ?? String(body['status']),
      );
      expect(steps).toEqual(expected);
    },
  };
}

const WAITING = 'waiting for approval by the seller';
const AGAIN = `${WAITING}, asked again since the terms have changed (round 2)`;

describeOnStores('what a person grants, on %s', (store) => {
  it('[B15] is what is made: a raise that a further one has carried above it is asked again, and not made', async () => {
    const { buy, wait, update, show, approve, asked, stored, hear, expectTold } = await open(store);
    const { media_buy_id } = await buy(1000);
    const raise = await wait('update_media_buy', { media_buy_id, updates: { budget_change: 60_000 } });
    const { approval_id, task_id } = raise;
    await update(media_buy_id, { budget_change: 40_000 });
    expect(await show(approval_id)).toMatchObject({
      round: 1,
      money: { total_budget: 61_000, previous_budget: 1000, current_total: 41_000, resulting_total: 101_000 },
      asked_terms: { base_revision: 2, base_total: 1000, total: 61_000, currency: 'USD' },
      terms_now: { base_revision: 3, base_total: 41_000, total: 101_000, packages: [{ budget: 101_000 }] },
      granted: null,
    });

    expect(await approve(approval_id)).toMatchObject({ status: 200, body: { granted: { total: 61_000 } } });
    const second = await asked(`${approval_id}_2`);
    expect(second).toMatchObject({
      ...{ round: 2, task_id, predecessor: approval_id, successor: null },
      why: expect.stringContaining('the total is 101000.00 USD, not 61000.00 USD') as string,
      money: { total_budget: 101_000, previous_budget: 41_000, current_total: 41_000, resulting_total: 101_000 },
    });
    expect((await stored(raise)).total_budget_minor).toBe(4_100_000);
    expect(await show(approval_id)).toMatchObject({
      ...{ status: 'superseded', successor: `${approval_id}_2`, decided_by: 'Ann', acted_on: true },
      ...{ granted: { total: 61_000 }, terms_now: null },
      superseded: { because: [expect.stringContaining('101000.00'), expect.stringContaining('package')] },
    });
    const late = await approve(approval_id);
    expect(late).toMatchObject({ status: 409, body: { error: { code: 'INVALID_STATE', field: 'approval_id' } } });
    expect(late.body.error?.message).toContain(`${approval_id}_2`);

    await approve(`${approval_id}_2`, { note: 'all right' });
    await hear(task_id, 'completed');
    const { total_budget_minor, history } = await stored(raise);
    expect(total_budget_minor).toBe(10_100_000);
    expect(history.filter(({ action }) => action === 'approved')).toEqual([
      expect.objectContaining({ actor: 'seller', by: 'Ann', note: 'all right', task_id }),
    ]);
    await expectTold(task_id, ['checking the change', WAITING, AGAIN, 'completed']);
  });

  it('[B15] of two raises that wait the second is asked again, once the first has been made', async () => {
    const { buy, wait, approve, asked, show, stored, hear } = await open(store);
    const { media_buy_id } = await buy(1000);
    const first = await wait('update_media_buy', { media_buy_id, updates: { budget_change: 60_000 } });
    const second = await wait('update_media_buy', { media_buy_id, updates: { budget_change: 70_000 } });
    await approve(first.approval_id);
    await hear(first.task_id, 'completed');
    await approve(second.approval_id);
    const again = await asked(`${second.approval_id}_2`);
    expect(again['money']).toMatchObject({ total_budget: 131_000, previous_budget: 61_000 });
    expect((await stored(second)).total_budget_minor).toBe(6_100_000);
    expect(await show(first.approval_id)).toMatchObject({ status: 'approved', successor: null });
  });

  it('[B15.grant] is what they were shown, if they say so: it is made at once, unless it has changed since', async () => {
    const { buy, wait, update, show, approve, stored, hear, expectTold } = await open(store);
    const { media_buy_id } = await buy(1000);
    const raise = await wait('update_media_buy', { media_buy_id, updates: { budget_change: 60_000 } });
    const { approval_id, task_id } = raise;
    const digestNow = async () => ((await show(approval_id))['terms_now'] as { digest: string }).digest;
    const seen = await digestNow();
    await update(media_buy_id, { budget_change: 40_000 });
    const now = await digestNow();
    expect(await approve(approval_id, { digest: seen })).toMatchObject({
      status: 409,
      body: { error: { code: 'CONFLICT', field: 'digest', details: { digest: now } } },
    });
    expect(await approve(approval_id, { digest: 'abc' })).toMatchObject({ status: 422 });
    expect(await show(approval_id)).toMatchObject({ status: 'pending' });
    await approve(approval_id, { digest: now });
    await hear(task_id, 'completed');
    expect((await stored(raise)).total_budget_minor).toBe(10_100_000);
    expect(await show(approval_id)).toMatchObject({ granted: { total: 101_000, digest: now } });
    await expectTold(task_id, ['checking the change', WAITING, 'completed']);
  });

  it('[B15] passes where it came to less money, and is asked again where the buyer moved the dates meanwhile', async () => {
    const { buy, wait, update, approve, asked, stored, hear } = await open(store);
    const { media_buy_id } = await buy(2000);
    const cheaper = await wait('update_media_buy', { media_buy_id, updates: { budget_change: 60_000 } });
    await update(media_buy_id, { budget_change: -500 });
    await approve(cheaper.approval_id);
    await hear(cheaper.task_id, 'completed');
    expect((await stored(cheaper)).total_budget_minor).toBe(6_150_000);

    const later = await wait('update_media_buy', { media_buy_id, updates: { budget_change: 60_000 } });
    const end_time = new Date(Date.now() + 50 * 86_400_000).toISOString();
    await update(media_buy_id, { end_time });
    await approve(later.approval_id);
    const { why } = await asked(`${later.approval_id}_2`);
    expect(why).toMatch(/^what was approved has changed: the end is \S+, not \S+$/);
    expect(await stored(later)).toMatchObject({ total_budget_minor: 6_150_000, end_time });
  });

  it('[B15] of a new buy is the buy as it was shown: what the buyer changed while it waited is asked again', async () => {
    const { agent, order, wait, update, show, approve, asked, stored, hear, expectTold } = await open(store);
    const create = await wait('create_media_buy', order(60_000));
    const { approval_id, media_buy_id, task_id } = create;
    await update(media_buy_id, { targeting: { geo: { countries: ['US'] } } });
    expect(await show(approval_id)).toMatchObject({ asked_terms: { base_total: 0, total: 60_000 } });
    await approve(approval_id);
    const again = await asked(`${approval_id}_2`);
    expect(again['why']).toMatch(/targeting of package \S+ is another$/);
    expect(await stored(create)).toMatchObject({ status: 'pending', pending_reason: 'approval' });

    await update(media_buy_id, { budget_change: -100 });
    await approve(`${approval_id}_2`);
    await hear(task_id, 'completed');
    expect(await stored(create)).toMatchObject({ pending_reason: 'creatives', total_budget_minor: 5_990_000 });
    await expectTold(task_id, ['reserving inventory', WAITING, AGAIN, 'completed']);
    const { history } = await stored(create);
    expect(history.filter(({ action }) => action === 'approved')).toMatchObject([{ by: 'Ann', task_id }]);
    const page = await operate(agent, 'GET', `/approvals?status=superseded&media_buy_id=${media_buy_id}`);
    expect(page.body['approvals']).toMatchObject([{ approval_id }]);
  });

  it('[B15.two] takes two people above SECOND_APPROVER_OVER: what the buyer changes between them is asked of both anew', async () => {
    const { agent, order, wait, update, show, approve, stored, hear, expectTold } = await open(store, {
      SECOND_APPROVER_OVER: 'USD:60000',
    });
    const small = await wait('create_media_buy', order(60_000));
    expect(await show(small.approval_id)).toMatchObject({ takes_two_people: false, first_yes: null });
    expect(await approve(small.approval_id)).toMatchObject({ body: { status: 'approved', decided_by: 'Ann' } });

    const large = await wait('create_media_buy', order(70_000));
    const { approval_id, media_buy_id, task_id } = large;
    expect(await show(approval_id)).toMatchObject({ takes_two_people: true, first_yes_stands: null });
    const path = `/approvals/${approval_id}/approve`;
    expect(await operate(agent, 'POST', path, {})).toMatchObject({
      status: 403,
      body: { error: { code: 'FORBIDDEN' } },
    });
    const { body: first } = await approve(approval_id, { note: 'a good customer' });
    expect(first).toMatchObject({ status: 'pending', first_yes: { by: 'Ann', granted: { total: 70_000 } } });
    await update(media_buy_id, { budget_change: -5000 });
    expect(await show(approval_id)).toMatchObject({ status: 'pending', first_yes_stands: false });
    expect(await approve(approval_id, {}, 'Bob')).toMatchObject({ status: 409, body: { error: { code: 'CONFLICT' } } });
    const { digest } = (await show(approval_id))['terms_now'] as { digest: string };
    await approve(approval_id, { digest }, 'Bob');
    expect(await stored(large)).toMatchObject({ status: 'pending', pending_reason: 'approval' });
    expect(await show(approval_id)).toMatchObject({
      status: 'pending',
      first_yes: { by: 'Bob' },
      first_yes_stands: true,
    });
    await approve(approval_id);
    await hear(task_id, 'completed');
    const { history, total_budget_minor } = await stored(large);
    expect(total_budget_minor).toBe(6_500_000);
    expect(history.filter(({ action }) => action === 'approved')).toMatchObject([{ by: 'Bob and Ann', task_id }]);
    await expectTold(task_id, ['reserving inventory', WAITING, 'completed']);
    const { body } = await operate(agent, 'GET', `/actions?target=/approvals/${approval_id}`);
    expect((body['actions'] as Json[]).map(({ by, outcome }) => [by, outcome])).toEqual([
      ['Ann', 'done'],
      ['Bob', 'done'],
      ['Bob', 'refused'],
      ['Ann', 'done'],
      ['OPERATOR_API_KEY', 'refused'],
    ]);

    // A raise by little that leaves the buy above the amount takes two, too.
    const raise = await wait('update_media_buy', { media_buy_id, updates: { budget_change: 1 } });
    expect(await show(raise.approval_id)).toMatchObject({ takes_two_people: true, money: { change: 1 } });
  });

  it('[B15] is asked again as often as it changes, with questions of its own, and ends with the task', async () => {
    const { agent, buy, wait, update, show, approve, asked, hear, told, expectTold } = await open(store);
    const { media_buy_id } = await buy(1000);
    const raise = await wait('update_media_buy', { media_buy_id, updates: { budget_change: 60_000 } });
    const { approval_id, task_id } = raise;
    await operate(agent, 'POST', `/approvals/${approval_id}/ask`, { question: 'Sure?' });
    await hear(task_id, 'input-required');
    for (const round of [2, 3]) {
      await update(media_buy_id, { budget_change: 1000 });
      await approve(round === 2 ? approval_id : `${approval_id}_2`);
      await asked(`${approval_id}_${round}`);
    }
    await operate(agent, 'POST', `/approvals/${approval_id}_3/ask`, { question: 'Still sure?' });
    await until(() => told(task_id).some(({ message }) => message === 'Still sure?'));
    await post(agent, { jsonrpc: '2.0', id: 1, method: 'CancelTask', params: { id: task_id } });
    await until(async () => (await show(`${approval_id}_3`))['status'] === 'withdrawn');
    expect(await show(`${approval_id}_2`)).toMatchObject({ status: 'superseded', successor: `${approval_id}_3` });
    expect(await approve(`${approval_id}_3`)).toMatchObject({ status: 409 });
    await hear(task_id, 'canceled');
    await expectTold(task_id, [
      ...[
        'checking the change',
        WAITING,
        'input-required',
        AGAIN,
        AGAIN.replace('2', '3'),
        'input-required',
        'canceled',
      ],
    ]);
    const run = await agent.core.store.collection(TaskRuns).get(TaskId.parse(task_id));
    expect(run?.state).toBe('canceled');
  });

  it('[B15] of a start as soon as possible is still that when the decision took its time', async () => {
    const { order, agent, wait, approve, hear, show, stored } = await open(store);
    const start_time = new Date(Date.now() + 5 * 86_400_000).toISOString();
    const { media_buy_id } = await ask(agent, 'create_media_buy', { ...order(1000), start_time });
    const updates = { budget_change: 60_000, start_time: 'asap' };
    const raise = await wait('update_media_buy', { media_buy_id, updates });
    const before = await show(raise.approval_id);
    expect(before).toMatchObject({ asked_terms: { start_time: 'asap' }, terms_now: { start_time: 'asap' } });
    await until(() => Date.now() > Date.parse(String(before['requested_at'])));
    await approve(raise.approval_id);
    await hear(raise.task_id, 'completed');
    expect(await show(raise.approval_id)).toMatchObject({ status: 'approved', round: 1 });
    expect((await stored(raise)).start_time < start_time).toBe(true);
  });
});
