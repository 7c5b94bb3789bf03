import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TaskId } from '../../src/platform/task-id.ts';
import { RUN_QUEUE } from '../../src/runtime/dependencies.ts';
import type { Runtime } from '../../src/runtime/runtime.ts';
import { organizationId, taskId } from '../support/ids.ts';
import { createGate } from './support/gate.ts';
import type { Gate } from './support/gate.ts';
import { BUYER, dyingAt, hook, openRuntime } from './support/open-runtime.ts';
import type { OpenRuntime } from './support/open-runtime.ts';
import { aTask } from './support/tasks.ts';

/** Whether somebody at the seller has approved, by task id. */
const approved = new Set<string>();
let gate: Gate | undefined;

const approval = aTask('approval', async (_, context) => {
  const { task_id } = context.run;
  await context.step({ current_step: 'asking a person', step_number: 1, total_steps: 1 });
  const isApproved = approved.has(task_id);
  await gate?.pass();
  return isApproved ? { done: {}, message: 'approved' } : { waitUntil: undefined };
});
const asking = aTask('asking', ({ text }) =>
  Promise.resolve(
    text === undefined
      ? { ask: { reason: 'which text?' }, message: 'which text?' }
      : { done: { text }, message: 'thanks' },
  ),
);
const timed = aTask('timed', (_, { now, run }) =>
  Promise.resolve(
    now() < Date.parse(run.created_at) + 60_000
      ? { waitUntil: Date.parse(run.created_at) + 60_000 }
      : { done: {}, message: 'done' },
  ),
);

let open: OpenRuntime;
beforeAll(async () => {
  open = await openRuntime([approval, asking, timed]);
});
beforeEach(() => {
  gate = undefined;
});
afterAll(() => open.close());

const message = (message_id: string) => ({ message_id, wire: {} });
const submit = (task_type: string, message_id?: string) =>
  open.submit(task_type, {}, { registrations: [hook()], ...(message_id && { message: message(message_id) }) });
const statesOf = async (task_id: TaskId) =>
  (await open.row(task_id)).events.flatMap((event) => (event.kind === 'status' ? [event.state] : []));

describe('a run that waits', () => {
  it('[T3] for a person at the seller stays working and owes nothing until it is woken', async () => {
    const { task_id } = await submit('approval');
    await open.takeTurn(task_id);
    expect(await open.row(task_id)).toMatchObject({ state: 'working', run_due_at: null });
    approved.add(task_id);
    await open.runtime.wake(task_id);
    await open.takeTurn(task_id);
    expect(await statesOf(task_id)).toEqual(['submitted', 'working', 'completed']);
    expect(await open.told(task_id)).toHaveLength(2);
  });

  it('and is woken between its last look and its rest is not forgotten', async () => {
    gate = createGate();
    const { task_id } = await submit('approval');
    const turn = open.takeTurn(task_id);
    await gate.reached;
    approved.add(task_id);
    const other = await open.another();
    await other.runtime.wake(task_id);
    gate.open();
    await turn;
    expect((await open.row(task_id)).run_due_at).not.toBeNull();
    await open.takeTurn(task_id);
    expect((await open.row(task_id)).state).toBe('completed');
  });

  it('for a time is queued for that time and goes on then', async () => {
    const { task_id } = await submit('timed');
    await open.takeTurn(task_id);
    expect(Date.parse((await open.row(task_id)).run_due_at ?? '')).toBe(open.clock.nowMs + 60_000);
    const { delayed } = await open.queues.queue(RUN_QUEUE).counts();
    expect(delayed).toBeGreaterThan(0);
    open.clock.nowMs += 60_000;
    await open.takeTurn(task_id);
    expect((await open.row(task_id)).state).toBe('completed');
  });

  it('tells what an earlier attempt wrote just before it was killed', async () => {
    const { task_id } = await submit('approval');
    const hooks = dyingAt('after', 1);
    const doomed = await open.another(hooks);
    void doomed.takeTurn(task_id);
    await hooks.died;
    expect(await open.told(task_id)).toEqual([]);
    await open.takeTurn(task_id);
    expect(await open.row(task_id)).toMatchObject({ run_due_at: null, notify_due_at: null });
    expect((await open.told(task_id)).map(({ state }) => state)).toEqual(['working']);
  });

  it('is not woken when it is over or waits for its caller', async () => {
    const { task_id } = await submit('asking');
    await open.takeTurn(task_id);
    await open.runtime.wake(task_id);
    expect((await open.row(task_id)).run_due_at).toBeNull();
    await open.runtime.cancel(BUYER, task_id);
    const { revision } = await open.row(task_id);
    await open.runtime.wake(task_id);
    await open.runtime.wake(taskId('none'));
    expect((await open.row(task_id)).revision).toBe(revision);
  });
});

describe('[T1] a run that asks its caller', () => {
  it('goes on with the answer, once however often that comes', async () => {
    const { task_id } = await submit('asking', 'question-1');
    await open.takeTurn(task_id);
    expect((await open.row(task_id)).events.at(-1)).toMatchObject({
      state: 'input-required',
      data: { reason: 'which text?' },
    });
    const other = await open.another();
    const answers = [open, other, open, other].map(({ runtime }) =>
      runtime.resume(BUYER, task_id, message('answer-1'), { text: 'this' }),
    );
    await Promise.all(answers);
    await open.takeTurn(task_id);
    expect(await statesOf(task_id)).toEqual(['submitted', 'input-required', 'submitted', 'completed']);
    expect((await open.row(task_id)).events.at(-1)).toMatchObject({ data: { text: 'this' } });
    expect((await open.told(task_id)).map(({ state }) => state)).toEqual(['input-required', 'completed']);
  });

  it('tells the question even if its process was killed right after writing it and the first message comes again', async () => {
    const { task_id } = await submit('asking', 'question-2');
    const hooks = dyingAt('after', 1);
    const doomed = await open.another(hooks);
    void doomed.takeTurn(task_id);
    await hooks.died;
    await open.runtime.resume(BUYER, task_id, message('question-2'));
    open.clock.nowMs += 20_000;
    await open.runtime.reconcile(10_000);
    expect((await open.told(task_id)).map(({ state }) => state)).toEqual(['input-required']);
    expect((await open.row(task_id)).notify_due_at).toBeNull();
  });

  it('refuses an answer that is not valid, one to a task that does not ask, and one of another caller', async () => {
    const { task_id } = await submit('asking');
    const resume: Runtime['resume'] = (...args) => open.runtime.resume(...args);
    await expect(resume(BUYER, task_id, message('early'))).rejects.toMatchObject({ code: 'INVALID_STATE' });
    await open.takeTurn(task_id);
    const invalid = resume(BUYER, task_id, message('wrong'), { text: 7 });
    await expect(invalid).rejects.toMatchObject({ code: 'VALIDATION_ERROR', details: { field: 'text' } });
    const stranger = { ...BUYER, organization_id: organizationId('org_b') };
    await expect(resume(stranger, task_id, message('x'))).rejects.toMatchObject({ code: 'TASK_NOT_FOUND' });
    const reader = { ...BUYER, scopes: ['tasks:read'] as const };
    await expect(resume(reader, task_id, message('x'))).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect((await open.row(task_id)).state).toBe('input-required');
  });

  it('takes no answer to a question before as one to the next', async () => {
    const { task_id } = await submit('asking');
    await open.takeTurn(task_id);
    const first = (await open.row(task_id)).events.length;
    await open.runtime.resume(BUYER, task_id, message('unhelpful'), undefined, first);
    await open.takeTurn(task_id);
    const late = open.runtime.resume(BUYER, task_id, message('slow'), { text: 'x' }, first);
    await expect(late).rejects.toMatchObject({ code: 'INVALID_STATE' });
    expect(await statesOf(task_id)).toEqual(['submitted', 'input-required', 'submitted', 'input-required']);
    await open.runtime.resume(BUYER, task_id, message('helpful'), { text: 'x' }, first + 2);
    expect((await open.row(task_id)).state).toBe('submitted');
  });

  it('that is canceled while it waits takes no answer', async () => {
    const { task_id } = await submit('asking');
    await open.takeTurn(task_id);
    await open.runtime.cancel(BUYER, task_id);
    const late = open.runtime.resume(BUYER, task_id, message('late'), { text: 'x' });
    await expect(late).rejects.toMatchObject({ code: 'INVALID_STATE' });
  });
});
