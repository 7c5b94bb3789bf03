import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TaskRuns } from '../../src/runtime/task-run.ts';
import { allEvents, readEvents } from '../a2a/support/sse.ts';
import { ask, errorOf, mediaBuyInput, post, send, taskOf } from '../journeys/support/buyer.ts';
import type { Json } from '../journeys/support/buyer.ts';
import { approvalOf, operate } from '../journeys/support/operator.ts';
import { startTestAgent } from '../journeys/support/test-agent.ts';
import type { TestAgent } from '../journeys/support/test-agent.ts';
import { describeOnStores } from '../support/stores.ts';
import { accountOf, orderOf, packageForSale } from './support/booking.ts';
import { bodyOf, callPublic, RELEASES, schemaErrors } from './support/public-call.ts';
import type { ShownTask } from './support/public-call.ts';

const QUESTION = 'Which landing page?';

describeOnStores('[D2.shown] a task of the public protocol, over A2A on %s,', (store) => {
  let at: TestAgent;
  let line: Json;
  beforeAll(async () => {
    at = await startTestAgent(store, { env: { APPROVAL_OVER_USD: '30000' } });
    line = await packageForSale(at);
  });
  afterAll(() => at.stop());

  const order = (more: Json = {}): Json => {
    const account = accountOf(`${randomUUID()}.example`);
    return { adcp_version: '3.1', ...orderOf({ ...line, ...more }, { account, brand: account.brand }) };
  };
  const create = (request: Json, more: Json = {}) => callPublic(at, 'create_media_buy', request, more);

  async function call(method: string, params: Json): Promise<Json> {
    const { result, error } = await post(at, { jsonrpc: '2.0', id: 1, method, params });
    return result ?? expect.unreachable(JSON.stringify(error));
  }
  const get = async (id: string) => (await call('GetTask', { id })) as unknown as ShownTask;

  /** Follows a task that is under way. */
  const follow = (version: '1.0' | '0.3', id: string) =>
    fetch(`${at.baseUrl}/a2a/jsonrpc`, {
      method: 'POST',
      headers: {
        ...{ authorization: `Bearer ${at.apiKey}`, 'content-type': 'application/json', 'a2a-version': version },
      },
      body: JSON.stringify({
        ...{ jsonrpc: '2.0', id: 1, params: { id } },
        method: version === '1.0' ? 'SubscribeToTask' : 'tasks/resubscribe',
      }),
    });
  const resultOf = ({ data }: { data: unknown }) => (data as { result: Json }).result;

  /** With what the wire of a list says though it is empty, and that of a task does not. */
  const whole = ({ artifacts = [], ...task }: Partial<ShownTask>) => ({ history: [], ...task, artifacts });

  it('is listed as it is read by itself, among those in our own words', async () => {
    const contextId = randomUUID();
    await ask(at, 'create_media_buy', mediaBuyInput(at));
    const sent = [
      await create(order(), { contextId }),
      await create(order({ budget: 60_000 }), { contextId }),
      await create(order({ product_id: 'none' }), { contextId }),
      await callPublic(at, 'get_products', { adcp_version: '3.2', buying_mode: 'wholesale' }, { contextId }),
    ];
    for (const within of [{}, { contextId }]) {
      const { tasks } = (await call('ListTasks', { ...within, includeArtifacts: true })) as unknown as {
        tasks: ShownTask[];
      };
      const read = await Promise.all(tasks.map(({ id }) => get(id)));
      expect(tasks.map(whole)).toEqual(read.map(whole));
      const bare = await call('ListTasks', within);
      expect((bare['tasks'] as ShownTask[]).map(({ id, status }) => ({ id, status }))).toEqual(
        read.map(({ id, status }) => ({ id, status })),
      );
      if ('contextId' in within) expect(tasks.map(({ id }) => id).sort()).toEqual(sent.map(({ id }) => id).sort());
    }
  });

  it('is listed without its answer where that cannot be told any more', async () => {
    const contextId = randomUUID();
    const asked = { adcp_version: '3.1', buying_mode: 'wholesale' };
    const { id } = await callPublic(at, 'get_products', asked, { contextId });
    const poll = await callPublic(at, 'get_task_status', { adcp_version: '3.1', task_id: id }, { contextId });
    await at.core.store.collection(TaskRuns).delete(id);
    const { tasks } = (await call('ListTasks', { contextId, includeArtifacts: true })) as unknown as {
      tasks: ShownTask[];
    };
    expect(tasks).toMatchObject([{ id: poll.id, status: poll.status }]);
    expect(tasks[0]?.artifacts ?? []).toEqual([]);
  });

  /** A booking that a person has a question about, by its steps. */
  async function waiting() {
    const request = order({ budget: 60_000 });
    const { id } = await create(request);
    const { approval_id } = await approvalOf(at, id);
    return {
      id,
      question: () => operate(at, 'POST', `/approvals/${approval_id}/ask`, { question: QUESTION }),
      answer: () =>
        create(
          {},
          {
            taskId: id,
            parts: [{ data: { skill: 'create_media_buy', parameters: { adcp_version: '3.1' } } }, { text: 'one' }],
          },
        ),
      approve: () => operate(at, 'POST', `/approvals/${approval_id}/approve`, {}),
    };
  }

  it('[D1] is polled without a mark as it was begun, and one in our own words as that was', async () => {
    for (const release of RELEASES) {
      const { id } = await create({ ...order(), adcp_version: release });
      const asked = { task_id: id };
      const unmarked = bodyOf(await callPublic(at, 'get_task_status', asked));
      const marked = bodyOf(await callPublic(at, 'get_task_status', { adcp_version: release, ...asked }));
      expect(unmarked).toEqual(marked);
      expect(unmarked).toMatchObject({ adcp_version: release, status: 'completed', protocol: 'media-buy' });
      expect(schemaErrors('get_task_status', release, unmarked)).toEqual([]);
    }
    const ours = taskOf(await send(at, 'create_media_buy', mediaBuyInput(at)));
    const told = bodyOf(await callPublic(at, 'get_task_status', { task_id: ours.id }));
    expect(told).toMatchObject({ task_id: ours.id });
    expect(told).not.toHaveProperty('adcp_version');
    const none = await post(at, {
      ...{ jsonrpc: '2.0', id: 1, method: 'SendMessage' },
      params: {
        message: {
          messageId: randomUUID(),
          role: 'ROLE_USER',
          parts: [{ data: { skill: 'get_task_status', input: { task_id: 'none' } } }],
        },
      },
    });
    expect(errorOf(none)).toMatchObject({ code: 'TASK_NOT_FOUND' });
  });

  it('is followed by 1.0 to its question and its end, each told as the task is read then', async () => {
    const { id, question, answer, approve } = await waiting();
    const events = readEvents(await follow('1.0', id));
    const next = async () => resultOf((await events.next()).value ?? expect.unreachable());
    const until = async (key: string) => {
      for (;;) {
        const event = await next();
        if (key in event) return event[key] as { artifact: ShownTask['artifacts'][0]; status: ShownTask['status'] };
      }
    };
    expect(await next()).toMatchObject({ task: { id } });
    await question();
    const asked = await until('artifactUpdate');
    const { statusUpdate } = (await next()) as { statusUpdate: { status: unknown } };
    const then = await get(id);
    expect(bodyOf(then)).toMatchObject({ status: 'input-required', reason: 'APPROVAL_REQUIRED', message: QUESTION });
    expect([asked.artifact, statusUpdate.status]).toEqual([then.artifacts[0], then.status]);
    await answer();
    await approve();
    const made = await until('artifactUpdate');
    const last = await until('statusUpdate');
    const over = await get(id);
    expect(bodyOf(over)).toMatchObject({ status: 'completed', media_buy_status: 'pending_creatives' });
    expect([made.artifact, last.status]).toEqual([over.artifacts[0], over.status]);
    expect((await events.next()).done).toBe(true);
  });

  it('is told by 0.3 that it is completed where it asks, and followed no further', async () => {
    const { id, question, answer, approve } = await waiting();
    const response = await follow('0.3', id);
    await question();
    const seen = (await allEvents(response)).map(resultOf);
    expect(seen[0]).toMatchObject({ kind: 'task', id });
    const [artifact, status] = seen.slice(-2) as [{ artifact: ShownTask['artifacts'][0] }, Json];
    expect(artifact.artifact.parts).toContainEqual(
      expect.objectContaining({ data: expect.objectContaining({ status: 'input-required', task_id: id }) as unknown }),
    );
    expect(status).toMatchObject({ kind: 'status-update', final: true, status: { state: 'completed' } });
    await answer();
    const rest = await follow('0.3', id);
    await approve();
    const [told, end] = (await allEvents(rest)).map(resultOf).slice(-2);
    expect(told).toMatchObject({
      artifact: { parts: [{ data: { status: 'completed', media_buy_status: 'pending_creatives' } }, {}] },
    });
    expect(end).toMatchObject({ final: true, status: { state: 'completed' } });
  });
});
