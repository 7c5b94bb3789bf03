import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '../../src/platform/errors.ts';
import type { TaskId } from '../../src/platform/task-id.ts';
import { LINGER_MS } from '../../src/runtime/undo.ts';
import type { StoreHooks } from '../support/store-hooks.ts';
import { createGate } from './support/gate.ts';
import type { Gate } from './support/gate.ts';
import { BUYER, dyingAt, hook, openRuntime } from './support/open-runtime.ts';
import type { OpenRuntime } from './support/open-runtime.ts';
import { aTask } from './support/tasks.ts';

/** What tasks have done outside, as often as they have. */
const effects: TaskId[] = [];
let gate: Gate;
let answer: AppError | undefined;

/** Ships a thing: before it commits nothing has left the house, after it the thing has. */
const ship = aTask('ship', async ({ text }, context) => {
  const { task_id } = context.run;
  await context.step({ current_step: 'packing', step_number: 1, total_steps: 2 });
  if (text === 'hold before') await gate.pass();
  await context.commit();
  if (text === 'hold after') await gate.pass();
  if (answer !== undefined) throw answer;
  if (!effects.includes(task_id)) effects.push(task_id);
  await context.commit();
  await context.step({ current_step: 'shipped', step_number: 2, total_steps: 2 });
  return { done: {}, message: 'shipped' };
});

let open: OpenRuntime;
beforeAll(async () => {
  open = await openRuntime([ship]);
});
beforeEach(() => {
  effects.length = 0;
  [gate, answer] = [createGate(), undefined];
});
afterAll(() => open.close());

const submit = (text = 'a', key: string = randomUUID()) =>
  open.submit('ship', { text, idempotency_key: key }, { registrations: [hook()] });
const cancel = (task_id: TaskId) => open.runtime.cancel(BUYER, task_id);

/** Time goes on: whatever is owed is done. */
async function recover(task_id: TaskId): Promise<void> {
  for (let i = 0; i < 3; i++) {
    open.clock.nowMs += LINGER_MS;
    await open.runtime.reconcile(10_000);
    await open.takeTurn(task_id);
  }
}

/** That a task came to what its canceling answered: nothing at all, or everything once. */
async function expectTruth(task_id: TaskId, wasCanceled: boolean): Promise<void> {
  const { state, events, run_due_at, notify_due_at } = await open.row(task_id);
  expect([state, run_due_at, notify_due_at]).toEqual([wasCanceled ? 'canceled' : 'completed', null, null]);
  expect(effects.filter((id) => id === task_id)).toHaveLength(wasCanceled ? 0 : 1);
  const told = (await open.told(task_id)).map((one) => one.state);
  expect(told).toEqual(events.flatMap((event) => (event.kind === 'status' ? [event.state] : [])).slice(1));
}

/** Whether the task could be canceled; if not, that it says since when, and that nothing has changed. */
async function tryToCancel(task_id: TaskId): Promise<boolean> {
  try {
    return (await cancel(task_id)).state === 'canceled';
  } catch (error) {
    const { committed_at } = await open.row(task_id);
    expect(error).toMatchObject({ code: 'NOT_CANCELLABLE', details: { details: { since: committed_at } } });
    expect(committed_at).not.toBeNull();
    return false;
  }
}

describe('[T1.no-return] a task that commits', () => {
  it('can be canceled before, and then has done nothing', async () => {
    const { task_id } = await submit('hold before');
    const turn = open.takeTurn(task_id);
    await gate.reached;
    expect((await cancel(task_id)).state).toBe('canceled');
    gate.open();
    await turn;
    await recover(task_id);
    await expectTruth(task_id, true);
    expect(await open.row(task_id)).toMatchObject({ committed_at: null });
  });

  it('cannot be canceled after, says since when and that its outcome will be told, and completes', async () => {
    const { task_id } = await submit('hold after');
    const turn = open.takeTurn(task_id);
    await gate.reached;
    const before = await open.row(task_id);
    expect(before).toMatchObject({ state: 'working', committed_at: new Date(open.clock.nowMs).toISOString() });
    const refused = await cancel(task_id).catch((error: unknown) => error);
    expect(refused).toMatchObject({
      code: 'NOT_CANCELLABLE',
      message: expect.stringMatching(/on its way since .*; its outcome will be told/) as string,
      details: { field: 'task_id', details: { since: before.committed_at } },
    });
    expect(await open.row(task_id)).toEqual(before);
    gate.open();
    await turn;
    await recover(task_id);
    await expectTruth(task_id, false);
    await expect(cancel(task_id)).rejects.toThrow('the task is completed');
  });

  it('again writes nothing', async () => {
    const { task_id } = await submit('hold after');
    const first = open.takeTurn(task_id);
    await gate.reached;
    const { revision, committed_at } = await open.row(task_id);
    open.clock.nowMs += 1000;
    gate.open();
    await first;
    // The second step and the end, and that both are told.
    expect(await open.row(task_id)).toMatchObject({ revision: revision + 3, committed_at });
  });

  it('in a turn that has lost to a later one does not, and leaves the later one alone', async () => {
    const { task_id } = await submit('hold before');
    const lost = open.takeTurn(task_id);
    await gate.reached;
    await open.runtime.wake(task_id);
    const { revision } = await open.row(task_id);
    gate.open();
    await lost;
    expect(await open.row(task_id)).toMatchObject({ revision, committed_at: null });
    expect(effects).toEqual([]);
    await open.takeTurn(task_id);
    await recover(task_id);
    await expectTruth(task_id, false);
  });

  it('is canceled with nothing done or completes, at whichever of its writes a cancel comes', async () => {
    for (const moment of ['before', 'after'] as const) {
      const outcomes = new Set<boolean>();
      for (let n = 1; ; n++) {
        const key = randomUUID();
        const { task_id } = await submit('a', key);
        let seen = 0;
        let wasCanceled: boolean | undefined;
        const atIts = async () => {
          if (++seen === n) wasCanceled = await tryToCancel(task_id);
        };
        const hooks: StoreHooks = { [moment]: atIts };
        await (await open.another(hooks)).takeTurn(task_id);
        await recover(task_id);
        if (wasCanceled === undefined) break;
        outcomes.add(wasCanceled);
        await expectTruth(task_id, wasCanceled);
        // The same request again: the same task where it took effect, else another, which does.
        const again = await submit('a', key);
        expect(again.task_id === task_id).toBe(!wasCanceled);
        await recover(again.task_id);
        await expectTruth(again.task_id, false);
      }
      expect([...outcomes]).toEqual([true, false]);
    }
  });

  it('is canceled with nothing done or completes, wherever its process is killed and then a cancel comes', async () => {
    for (const moment of ['before', 'after'] as const) {
      const outcomes: boolean[] = [];
      for (let n = 1; ; n++) {
        const { task_id } = await submit();
        const hooks = dyingAt(moment, n);
        const doomed = await open.another(hooks);
        const died = await Promise.race([hooks.died, doomed.takeTurn(task_id).then(() => undefined)]);
        if (died === undefined) break;
        const { committed_at, state } = await open.row(task_id);
        if (state === 'completed') continue;
        const wasCanceled = await tryToCancel(task_id);
        expect(wasCanceled).toBe(committed_at === null);
        outcomes.push(wasCanceled);
        await recover(task_id);
        await expectTruth(task_id, wasCanceled);
      }
      // Canceled up to the commit, and never after it.
      expect(outcomes).toEqual([...outcomes].sort().reverse());
      expect(new Set(outcomes).size).toBe(2);
    }
  });

  it('[B7.effect] may say that nothing took effect, and then its key is free; or that this is not known, and then it is bound', async () => {
    for (const details of [undefined, { effect: 'unknown' }]) {
      const key = randomUUID();
      answer = new AppError('SERVICE_UNAVAILABLE', 'given up', details && { details });
      const { task_id } = await submit('a', key);
      await open.takeTurn(task_id);
      expect(await open.row(task_id)).toMatchObject({ state: 'failed' });
      const again = await submit('a', key);
      expect(again.task_id === task_id).toBe(details !== undefined);
    }
  });
});
