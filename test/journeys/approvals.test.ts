import { SHARED_KEY_OPERATOR } from '../../src/directory/operator/operator.ts';
import { randomUUID } from 'node:crypto';
import { afterEach, expect, it } from 'vitest';
import { recorded } from '../../src/admin/operator/actions/record.ts';
import type { OperatorDeps } from '../../src/admin/operator/operation.ts';
import { termsOn } from '../../src/main/wiring/engine.ts';
import { operatorDeps } from '../../src/main/wiring/operator-routes.ts';
import type { TaskId } from '../../src/platform/task-id.ts';
import { withStoreHooks } from '../support/store-hooks.ts';
import { TaskRuns } from '../../src/runtime/task-run.ts';
import { createApprovalDesk } from '../../src/sales/approval/approval-desk.ts';
import { Approvals } from '../../src/sales/approval/approval.ts';
import { until } from '../support/until.ts';
import { openReceiver } from '../webhooks/support/open-receiver.ts';
import type { Receiver } from '../webhooks/support/open-receiver.ts';
import { ask, eventsOf, mediaBuyInput, post, send, taskOf } from './support/buyer.ts';
import { actingAs, approvalOf, operate } from './support/operator.ts';
import { startTestAgent } from './support/test-agent.ts';
import type { TestAgent } from './support/test-agent.ts';
import { describeOnStores } from '../support/stores.ts';
import type { StoreKind } from '../support/stores.ts';

const cleanUp: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of cleanUp.splice(0).reverse()) await close();
});

interface House {
  agent: TestAgent;
  receiver: Receiver;
  /** Asks for a buy that needs a person; answers the task's id once a person is asked. */
  wait: (changes?: Record<string, unknown>) => Promise<string>;
  /** The statuses told of a task, in order. */
  told: (task_id: string) => string[];
  /** Resolves with the event of this status. */
  hear: (task_id: string, status: string) => Promise<Record<string, unknown>>;
  buyOf: (media_buy_id: string) => Promise<Record<string, unknown>>;
}

async function open(store: StoreKind, working = true): Promise<House> {
  const receiver = await openReceiver();
  cleanUp.push(() => receiver.close());
  const agent = await startTestAgent(store, { env: { APPROVAL_OVER_USD: '100' }, working });
  cleanUp.push(() => agent.stop());
  const eventOf = (task_id: string, status: string) =>
    eventsOf(receiver.received, task_id).find(({ body }) => body['status'] === status)?.body;
  return {
    agent,
    receiver,
    async wait(changes = {}) {
      const push_notification_config = { url: receiver.url(), operation_id: 'op-1' };
      const input = mediaBuyInput(agent, { push_notification_config, ...changes });
      const { id } = taskOf(await send(agent, 'create_media_buy', input));
      await approvalOf(agent, id);
      return id;
    },
    told: (task_id) => eventsOf(receiver.received, task_id).map(({ body }) => String(body['status'])),
    hear: (task_id, status) => until(() => eventOf(task_id, status)),
    async buyOf(media_buy_id) {
      const buy = await agent.core.sales.mediaBuys.get(media_buy_id);
      return { ...buy };
    },
  };
}

const stateOf = async (agent: TestAgent, id: string) =>
  taskOf(await post(agent, { jsonrpc: '2.0', id: 1, method: 'GetTask', params: { id } })).state;

/** Answers a task that waits for its buyer. */
const reply = (agent: TestAgent, taskId: string, text: string) =>
  post(agent, {
    jsonrpc: '2.0',
    id: 1,
    method: 'SendMessage',
    params: {
      message: { messageId: randomUUID(), taskId, role: 'ROLE_USER', parts: [{ text }] },
      configuration: { returnImmediately: true },
    },
  });

describeOnStores('an operation that needs a person, on %s', (store) => {
  it('[B1] [T2.wait] [T3] a large create waits as pending, with all that is needed to decide; approved, it completes by webhook', async () => {
    const { agent, wait, hear, told, buyOf } = await open(store);
    const task_id = await wait();
    const waiting = await approvalOf(agent, task_id);
    expect(waiting).toMatchObject({
      status: 'pending',
      operation: 'create_media_buy',
      why: expect.stringMatching(/total budget of [\d.,]+ USD is above the 100\.00/) as string,
      buyer: { organization_id: 'org_demo_buyer', name: 'Demo Buyer' },
      money: { currency: 'USD', total_budget: expect.any(Number) as number, previous_budget: null, change: null },
      brand: { name: expect.any(String) as string },
      media_buy: {
        status: 'pending',
        pending_reason: 'approval',
        start_time: expect.any(String) as string,
        packages: [{ product_name: expect.any(String) as string }, {}],
      },
      request: { buyer_ref: waiting['buyer_ref'] },
      age_seconds: expect.any(Number) as number,
    });
    expect(await stateOf(agent, task_id)).toBe('TASK_STATE_WORKING');
    const runs = agent.core.store.collection(TaskRuns);
    await until(async () => (await runs.get(task_id as TaskId))?.waits_for === 'person');

    const { approval_id, media_buy_id } = waiting;
    const answer = await operate(agent, 'POST', `/approvals/${approval_id}/approve`, { note: 'welcome' });
    expect(answer).toMatchObject({ status: 200, body: { status: 'approved', note: 'welcome' } });
    const completed = await hear(task_id, 'completed');
    expect(completed['result']).toMatchObject({ media_buy_id, status: 'pending', pending_reason: 'creatives' });
    expect(told(task_id)).toEqual(['working', 'working', 'completed']);
    expect((await buyOf(media_buy_id))['history']).toContainEqual(
      expect.objectContaining({ action: 'approved', actor: 'seller', note: 'welcome' }),
    );
    const seen = await until(async () => {
      const { body } = await operate(agent, 'GET', `/approvals/${approval_id}`);
      return body['acted_on'] === true && body;
    });
    expect(seen).toMatchObject({ status: 'approved', decided_by: 'OPERATOR_API_KEY' });
  });

  it('[B1] [T3] rejected with a reason, the task fails and the buy is rejected, and the buyer is told why', async () => {
    const { agent, wait, hear, buyOf } = await open(store);
    const task_id = await wait();
    const { approval_id, media_buy_id } = await approvalOf(agent, task_id);
    await operate(agent, 'POST', `/approvals/${approval_id}/reject`, { reason: 'no crypto' });
    const { result } = await hear(task_id, 'failed');
    expect(result).toMatchObject({
      error: { code: 'APPROVAL_REJECTED', message: expect.stringContaining('no crypto') as string },
    });
    expect(await buyOf(media_buy_id)).toMatchObject({ status: 'rejected', open: false });
    expect(await stateOf(agent, task_id)).toBe('TASK_STATE_FAILED');
  });

  it('[T3] [C.states.tasks] a question makes the task input-required; the buyer’s message brings the matter back', async () => {
    const { agent, wait, hear, told } = await open(store);
    const task_id = await wait();
    const { approval_id } = await approvalOf(agent, task_id);
    await operate(agent, 'POST', `/approvals/${approval_id}/ask`, { question: 'Which landing page?' });
    const asked = await hear(task_id, 'input-required');
    expect(asked).toMatchObject({ message: 'Which landing page?', result: { reason: 'Which landing page?' } });
    expect(await stateOf(agent, task_id)).toBe('TASK_STATE_INPUT_REQUIRED');

    await reply(agent, task_id, 'https://acme.example/spring');
    const back = await until(async () => {
      const { body } = await operate(agent, 'GET', `/approvals/${approval_id}`);
      return body['status'] === 'pending' && body;
    });
    expect(back['questions']).toMatchObject([
      { question: 'Which landing page?', answer: [{ text: 'https://acme.example/spring' }] },
    ]);
    await operate(agent, 'POST', `/approvals/${approval_id}/approve`, {});
    await hear(task_id, 'completed');
    expect(told(task_id)).toEqual(['working', 'working', 'input-required', 'completed']);
  });

  it('approved while the buyer still owes an answer, it goes on without it', async () => {
    const { agent, wait, hear } = await open(store);
    const task_id = await wait();
    const { approval_id } = await approvalOf(agent, task_id);
    await operate(agent, 'POST', `/approvals/${approval_id}/ask`, { question: 'Sure?' });
    await hear(task_id, 'input-required');
    await operate(agent, 'POST', `/approvals/${approval_id}/approve`, {});
    await hear(task_id, 'completed');
  });

  it('[B6] an update that needs a person says so with implementation_date null, and changes nothing until approved', async () => {
    const { agent, receiver, wait, hear, buyOf } = await open(store);
    const first = await wait();
    const { approval_id, media_buy_id } = await approvalOf(agent, first);
    await operate(agent, 'POST', `/approvals/${approval_id}/approve`, {});
    await hear(first, 'completed');
    const before = await buyOf(media_buy_id);

    const push_notification_config = { url: receiver.url(), operation_id: 'op-2' };
    const input = { media_buy_id, updates: { budget_change: 5000 }, push_notification_config };
    const { id } = taskOf(await send(agent, 'update_media_buy', input));
    const waiting = await approvalOf(agent, id);
    expect(waiting).toMatchObject({ operation: 'update_media_buy', money: { change: 5000 } });
    const working = await until(() =>
      eventsOf(receiver.received, id)
        .map(({ body }) => body['result'] as Record<string, unknown>)
        .find((result) => 'implementation_date' in result),
    );
    expect(working).toMatchObject({ media_buy_id, implementation_date: null });
    expect((await buyOf(media_buy_id))['total_budget_minor']).toBe(before['total_budget_minor']);

    await operate(agent, 'POST', `/approvals/${waiting.approval_id}/approve`, {});
    const { result } = await hear(id, 'completed');
    expect(result).toMatchObject({ media_buy_id, implementation_date: expect.any(String) as string });
    expect((await buyOf(media_buy_id))['total_budget_minor']).toBe(Number(before['total_budget_minor']) + 500_000);
  });

  it('[B15.shown] shows what an approval would come to now, and the history of the buy tells of each', async () => {
    const { agent, wait, hear, buyOf } = await open(store);
    const { media_buy_id, ...first } = await approvalOf(agent, await wait());
    await operate(agent, 'POST', `/approvals/${first.approval_id}/approve`, {});
    await hear(first.task_id, 'completed');
    const base = Number((await buyOf(media_buy_id))['total_budget_minor']) / 100;

    const raise = async (budget_change: number) => {
      const { id } = taskOf(await send(agent, 'update_media_buy', { media_buy_id, updates: { budget_change } }));
      return approvalOf(agent, id);
    };
    const moneyOf = async ({ approval_id }: { approval_id: string }) =>
      (await operate(agent, 'GET', `/approvals/${approval_id}`)).body['money'];
    const one = await raise(6000);
    const two = await raise(7000);
    const asked = { previous_budget: base, change: 7000, total_budget: base + 7000 };
    expect(await moneyOf(two)).toMatchObject({ ...asked, current_total: base, resulting_total: base + 7000 });
    await ask(agent, 'update_media_buy', { media_buy_id, updates: { budget_change: -100 } });
    await operate(agent, 'POST', `/approvals/${one.approval_id}/approve`, { note: 'one of two' });
    await until(async () => (await buyOf(media_buy_id))['total_budget_minor'] === (base + 5900) * 100);
    expect(await moneyOf(two)).toMatchObject({ ...asked, current_total: base + 5900, resulting_total: base + 12_900 });
    expect(await moneyOf(one)).toMatchObject({ current_total: base + 5900, resulting_total: null });
    const shown = (await operate(agent, 'GET', `/approvals/${two.approval_id}`)).body['terms_now'] as {
      digest: string;
    };
    await operate(agent, 'POST', `/approvals/${two.approval_id}/approve`, { digest: shown.digest });
    await until(async () => (await buyOf(media_buy_id))['total_budget_minor'] === (base + 12_900) * 100);

    const history = (await buyOf(media_buy_id))['history'] as Record<string, unknown>[];
    expect(history.map(({ action, actor }) => `${String(action)} by ${String(actor)}`)).toEqual([
      ...['created by buyer', 'approved by seller', 'readiness_changed by system', 'updated by buyer'],
      ...['approved by seller', 'updated by buyer', 'approved by seller', 'updated by buyer'],
    ]);
    expect(history[4]).toMatchObject({ task_id: one.task_id, note: 'one of two', by: 'OPERATOR_API_KEY' });
    expect(history[6]).toMatchObject({ task_id: two.task_id, note: null, by: 'OPERATOR_API_KEY' });
    const { media_buys } = await ask(agent, 'get_media_buys', { media_buy_ids: [media_buy_id] });
    const [told] = media_buys as { history: object[] }[];
    expect(told?.history[6]).toMatchObject({ action: 'approved', actor: 'seller' });
    expect(told?.history[6]).not.toHaveProperty('by');
  });

  it('canceled by the buyer while it waits, there is nothing to decide any more', async () => {
    const { agent, wait, hear, buyOf } = await open(store);
    const task_id = await wait();
    const { approval_id, media_buy_id } = await approvalOf(agent, task_id);
    await post(agent, { jsonrpc: '2.0', id: 1, method: 'CancelTask', params: { id: task_id } });
    await hear(task_id, 'canceled');
    await until(async () => (await buyOf(media_buy_id))['status'] === 'canceled');
    const shown = await operate(agent, 'GET', `/approvals/${approval_id}`);
    expect(shown.body).toMatchObject({ status: 'withdrawn', decided_by: 'buyer' });
    const late = await operate(agent, 'POST', `/approvals/${approval_id}/approve`, {});
    expect(late).toMatchObject({ status: 409, body: { error: { code: 'INVALID_STATE', field: 'approval_id' } } });
  });

  it('two operators at once: one decision stands, the other is told which', async () => {
    const { agent, wait, hear, told, buyOf } = await open(store);
    const task_id = await wait();
    const { approval_id, media_buy_id } = await approvalOf(agent, task_id);
    const decide = async (by: string, verb: string, body: object) =>
      operate(agent, 'POST', `/approvals/${approval_id}/${verb}`, body, await actingAs(agent, by));
    const answers = await Promise.all([
      decide('ann', 'approve', {}),
      decide('bob', 'reject', { reason: 'too late' }),
      decide('ann', 'approve', {}),
      decide('bob', 'reject', { reason: 'too late' }),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 409, 409]);
    const { body } = await operate(agent, 'GET', `/approvals/${approval_id}`);
    const isApproved = body['status'] === 'approved';
    expect(body['decided_by']).toBe(isApproved ? 'ann' : 'bob');
    await hear(task_id, isApproved ? 'completed' : 'failed');
    expect(await buyOf(media_buy_id)).toMatchObject({ status: isApproved ? 'pending' : 'rejected' });
    expect(told(task_id)).toHaveLength(3);
  });

  it.each([1, 2, 3].flatMap((write) => [`before ${write}`, `after ${write}`]))(
    'a server killed %s of the three writes of an approval loses nothing, and nothing is done twice',
    async (moment) => {
      const { agent, wait, hear, told, buyOf } = await open(store);
      const task_id = await wait();
      const { approval_id, media_buy_id } = await approvalOf(agent, task_id);
      const click = {
        ...{ action: 'approvals.approve', target: `/approvals/${approval_id}` },
        input: {},
        operator: SHARED_KEY_OPERATOR,
      };
      const dying = dyingServer(agent, moment);
      const act = async () => ({ ...(await dying.desk.approve(approval_id, { by: 'ann' })) });
      await expect(recorded(dying, { ...click, idempotency_key: undefined }, act)).rejects.toThrow('killed');

      await agent.core.approvals.wakeDue(0);
      const { status } = await agent.core.approvals.show(approval_id);
      expect(status).toBe(['before 1', 'after 1', 'before 2'].includes(moment) ? 'pending' : 'approved');
      if (status === 'pending') await operate(agent, 'POST', `/approvals/${approval_id}/approve`, {});
      await hear(task_id, 'completed');
      expect(told(task_id)).toEqual(['working', 'working', 'completed']);
      const { history } = await buyOf(media_buy_id);
      expect((history as { action: string }[]).filter(({ action }) => action === 'approved')).toHaveLength(1);
    },
  );

  it('waits for days: what was asked a week ago is decided and done as if it were new', async () => {
    const { agent, wait, hear } = await open(store);
    const task_id = await wait();
    const { approval_id } = await approvalOf(agent, task_id);
    const { approvals } = agent.core.sales;
    const weekAgo = new Date(Date.now() - 7 * 86_400_000).toISOString();
    await approvals.update(approval_id, (row) => ({ ...row, requested_at: weekAgo }));
    const runs = agent.core.store.collection(TaskRuns);
    await runs.update(task_id, (run) => ({ ...run, created_at: weekAgo, updated_at: weekAgo }));
    const { body } = await operate(agent, 'GET', `/approvals/${approval_id}`);
    expect(body['age_seconds']).toBeGreaterThanOrEqual(7 * 86_400);
    await operate(agent, 'POST', `/approvals/${approval_id}/approve`, {});
    await hear(task_id, 'completed');
  });
});

/** The operator's side of a server that dies before or after its n-th write, and does nothing more from then on. */
function dyingServer(agent: TestAgent, moment: string): OperatorDeps {
  const [when, n] = moment.split(' ');
  let isDead = false;
  const die = () => {
    isDead = true;
    throw new Error('killed');
  };
  const store = withStoreHooks(agent.core.store, {
    before: (write) => (isDead || (when === 'before' && write.n === Number(n)) ? die() : undefined),
    after: (write) => (when === 'after' && write.n === Number(n) ? die() : undefined),
  });
  const { clock, runtime, catalog } = agent.core;
  const sales = { ...agent.core.sales, catalog };
  const wake = (task_id: TaskId) => runtime.wake(task_id, { interrupted: true });
  const desk = createApprovalDesk({ approvals: store.collection(Approvals), clock, wake, termsNow: termsOn(sales) });
  return { ...operatorDeps(agent.core), store, sales, desk };
}
