import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TaskId } from '../../src/platform/task-id.ts';
import { describeOnStores } from '../support/stores.ts';
import { until } from '../support/until.ts';
import { openCopies } from './support/copies.ts';
import type { Copies } from './support/copies.ts';
import { invoke, invoke03, rpcClient } from './support/rpc.ts';
import type { WireTask } from './support/rpc.ts';
import { readEvents } from './support/sse.ts';
import { databaseOf } from './support/stores.ts';
import { hold } from './support/tasks.ts';

/** Longer than any test here may take, so that no answer comes because of it. */
const CAP_MS = 3_600_000;

describeOnStores('a caller who waits, on %s', (store) => {
  const mongodbUrl = databaseOf(store);
  let copies: Copies;
  let key: string;
  beforeAll(async () => {
    copies = await openCopies([hold], mongodbUrl, { limits: { waitCapMs: CAP_MS } });
    key = await copies.here.newKey();
  });
  afterAll(() => copies.close());

  const rpc = (version: '1.0' | '0.3') => rpcClient(copies.here.url, key, version);
  const rowOf = (id: string) => copies.there.runs.get(id);

  it.each(['person', 'ad_server'] as const)(
    '[T2.wait] is answered at once with the state it has when the task is left to wait for the %s, at another process',
    async (whom) => {
      const message = invoke('hold', { for: whom });
      const { task } = (await rpc('1.0').call('SendMessage', { message })).result;
      expect(task.status.state).toBe('TASK_STATE_WORKING');
      expect(await rowOf(task.id)).toMatchObject({ waits_for: whom });
      const again = (await rpc('1.0').call('SendMessage', { message })).result.task;
      expect(again).toMatchObject({ id: task.id, status: { state: 'TASK_STATE_WORKING' } });
      const configuration = { blocking: true };
      const legacy = await rpc('0.3').call('message/send', { message: invoke03('hold', { for: whom }), configuration });
      expect(legacy.result.status.state).toBe('working');
    },
  );

  it('[T2.wait] waits on where the task waits for a moment only', async () => {
    const { task } = (await rpc('1.0').call('SendMessage', { message: invoke('hold', { for: 'moment' }) })).result;
    expect(task.status.state).toBe('TASK_STATE_COMPLETED');
  });

  it('[T2.wait] waits again once the task was woken, and a stream stays open all the while', async () => {
    const response = await fetch(`${copies.there.url}/a2a/jsonrpc`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${key}`, 'A2A-Version': '1.0' },
      body: JSON.stringify({
        ...{ jsonrpc: '2.0', id: 1, method: 'SendStreamingMessage' },
        params: { message: invoke('hold', { for: 'person' }, { messageId: randomUUID() }) },
      }),
    });
    const states: string[] = [];
    let id = '';
    for await (const { data } of readEvents(response)) {
      const { task, statusUpdate } = (data as { result: Record<string, WireTask | undefined> }).result;
      id = task?.id ?? id;
      states.push((task ?? statusUpdate)?.status.state ?? '');
      if (states.at(-1) !== 'TASK_STATE_WORKING') continue;
      await until(async () => (await rowOf(id))?.waits_for === 'person');
      await copies.there.runtime.wake(id as TaskId);
      await until(async () => ((await rowOf(id))?.turn ?? 0) > 2 && (await rowOf(id))?.waits_for === 'person');
      await rpc('1.0').call('CancelTask', { id });
    }
    expect([states[0], states.at(-1)]).toEqual(['TASK_STATE_SUBMITTED', 'TASK_STATE_CANCELED']);
    expect((await rowOf(id))?.state).toBe('canceled');
  });
});
