import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { post } from '../journeys/support/buyer.ts';
import type { Json } from '../journeys/support/buyer.ts';
import { approvalOf, operate } from '../journeys/support/operator.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { describeOnStores } from '../support/stores.ts';
import { until } from '../support/until.ts';
import { accountOf, orderOf, packageForSale } from './support/booking.ts';
import { openPublicAgent } from './support/public-agent.ts';
import type { AskPublic } from './support/public-agent.ts';
import { bodyOf, callPublic, OFFICIAL, RELEASES, schemaErrors } from './support/public-call.ts';
import type { Release, ShownTask } from './support/public-call.ts';

const QUESTION = 'Which landing page?';
/** What a task that asks is told by, of a booking and of a change. */
const ASKED = ['create', 'update'].map((one) => `media-buy/${one}-media-buy-async-response-input-required.json`);

describeOnStores('a question that the seller puts to a buyer of the public protocol, on %s,', (store) => {
  let at: TestAgent;
  let ask: AskPublic;
  let line: Json;
  beforeAll(async () => {
    ({ at, ask } = await openPublicAgent(store, { env: { APPROVAL_OVER_USD: '100' } }));
    line = await packageForSale(at);
  });
  afterAll(() => at.stop());

  /** Asks for a media buy of an account of its own, which a person at the seller has a question about. */
  async function asked(release: Release) {
    const account = accountOf(`${randomUUID()}.example`);
    const { brand } = account;
    const request = { adcp_version: release, ...orderOf(line, { account, brand }) };
    const task_id = String(bodyOf(await callPublic(at, 'create_media_buy', request))['task_id']);
    const { approval_id } = await approvalOf(at, task_id);
    await operate(at, 'POST', `/approvals/${approval_id}/ask`, { question: QUESTION });
    const status = await until(async () => {
      const told = await ask(release, 'get_task_status', { task_id });
      return told['status'] === 'input-required' && told;
    });
    return { account, request, task_id, approval_id, status };
  }

  /** Sends a request with words beside it, in a message that names the task. */
  async function answer(taskId: string, parameters: Json, more: { text?: string; messageId?: string } = {}) {
    const { text = 'https://acme.example/spring', messageId = randomUUID() } = more;
    const parts = [{ data: { skill: 'create_media_buy', parameters } }, ...(text === '' ? [] : [{ text }])];
    return callPublic(at, 'create_media_buy', parameters, { taskId, messageId, parts });
  }

  const status_filter = ['pending_creatives', 'pending_start', 'active', 'paused', 'rejected', 'canceled'];
  const booked = async (release: Release, account: Json) =>
    (await ask(release, 'get_media_buys', { account, status_filter }))['media_buys'] as Json[];
  const approval = async (approval_id: string) => (await operate(at, 'GET', `/approvals/${approval_id}`)).body;

  it.each(RELEASES)(
    '[D2.asked] is told in %s as the official schemas have it, and as its task is polled',
    async (release) => {
      const { task_id, status } = await asked(release);
      const shown = await post(at, { jsonrpc: '2.0', id: 1, method: 'GetTask', params: { id: task_id } });
      const body = bodyOf(shown.result as unknown as ShownTask);
      expect(body).toMatchObject({
        ...{ status: 'input-required', task_id, reason: 'APPROVAL_REQUIRED', message: QUESTION },
        errors: [{ code: 'APPROVAL_REQUIRED', message: QUESTION, recovery: 'correctable' }],
      });
      expect(body).not.toHaveProperty('approval_id');
      expect(schemaErrors('create_media_buy', release, body)).toEqual([]);
      for (const file of [...ASKED, ...(release === '3.2' ? ['core/compact-task-input-required.json'] : [])])
        expect(OFFICIAL[release](file, body), file).toEqual([]);
      expect(status).toMatchObject({ task_id, message: QUESTION });
    },
  );

  it.each(RELEASES)(
    '[D2.task] is answered in %s by the request again in a message that names the task, and nothing is booked twice',
    async (release) => {
      const { account, request, task_id, approval_id } = await asked(release);
      const again = { ...request, idempotency_key: randomUUID() };
      const other = await answer(task_id, { ...again, packages: [{ ...line, budget: 30_000 }] });
      expect(bodyOf(other)).toMatchObject({
        adcp_error: { code: 'INVALID_REQUEST', field: 'message.taskId', recovery: 'correctable' },
      });
      // The first call again, as clients repeat it that name the last task in all they send.
      const repeated = bodyOf(await answer(task_id, request, { text: '' }));
      expect(repeated).toMatchObject({ task_id, replayed: true });
      expect(await approval(approval_id)).toMatchObject({ status: 'asked' });

      const taken = await answer(task_id, again);
      expect(taken.id).toBe(task_id);
      expect(bodyOf(taken)).toMatchObject({ status: 'submitted', task_id });
      const back = await until(async () => {
        const told = await approval(approval_id);
        return told['status'] === 'pending' && told;
      });
      const parts = (back['questions'] as { answer: unknown }[])[0]?.answer;
      expect(parts).toContainEqual(expect.objectContaining({ text: 'https://acme.example/spring' }));
      // Sent again by a client that did not hear of it.
      expect(bodyOf(await answer(task_id, again))).toMatchObject({ task_id, replayed: true });

      await operate(at, 'POST', `/approvals/${approval_id}/approve`, {});
      await until(async () => (await ask(release, 'get_task_status', { task_id }))['status'] === 'completed');
      expect((await answer(task_id, again)).id).toBe(task_id);
      expect(await booked(release, account)).toHaveLength(1);
    },
  );

  it('[D2.task] is answered by words beside an empty request, and by no message of another conversation', async () => {
    const { account, task_id, approval_id } = await asked('3.1');
    const parts = [
      { data: { skill: 'create_media_buy', parameters: { adcp_version: '3.1' } } },
      { text: 'the old one' },
    ];
    const elsewhere = await callPublic(at, '', {}, { taskId: task_id, contextId: randomUUID(), parts });
    expect(bodyOf(elsewhere)).toMatchObject({ adcp_error: { code: 'INVALID_REQUEST', field: 'message.contextId' } });
    const message = { messageId: randomUUID(), taskId: task_id, parts };
    const taken = await callPublic(at, '', {}, message);
    expect(taken.id).toBe(task_id);
    expect((await callPublic(at, '', {}, message)).id).toBe(task_id);
    await until(async () => (await approval(approval_id))['status'] === 'pending');
    // It waits for its caller no more, and what is said now is no request of its own.
    const late = bodyOf(await callPublic(at, '', {}, { taskId: task_id, parts }));
    expect(late).toMatchObject({ status: 'failed', adcp_error: { code: 'INVALID_STATE', field: 'message.taskId' } });
    expect((await approval(approval_id))['questions']).toHaveLength(1);
    await operate(at, 'POST', `/approvals/${approval_id}/approve`, {});
    await until(async () => (await booked('3.1', account)).length === 1);
  });

  it.each(RELEASES)(
    '[D2.task] a request under a key of its own is one of its own in %s, though it names a task at work',
    async (release) => {
      const account = accountOf(`${randomUUID()}.example`);
      const request = { adcp_version: release, ...orderOf(line, { account, brand: account.brand }) };
      const first = await callPublic(at, 'create_media_buy', request);
      expect(bodyOf(first)).toMatchObject({ status: 'submitted', task_id: first.id });
      const named = { taskId: first.id };
      const again = await callPublic(at, 'create_media_buy', request, named);
      expect(bodyOf(again)).toMatchObject({ status: 'submitted', task_id: first.id, replayed: true });
      const other = await callPublic(at, 'create_media_buy', { ...request, idempotency_key: randomUUID() }, named);
      expect(bodyOf(other)).toMatchObject({ status: 'submitted', task_id: other.id });
      expect([other.id === first.id, other.contextId]).toEqual([false, first.contextId]);
      const read = await callPublic(at, 'get_media_buys', { adcp_version: release, account }, named);
      expect(bodyOf(read)).toHaveProperty('media_buys');
      await until(async () => (await booked(release, account)).length === 2);
    },
  );
});
