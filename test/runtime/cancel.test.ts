import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TaskId } from '../../src/platform/task-id.ts';
import type { Runtime } from '../../src/runtime/runtime.ts';
import { LINGER_MS } from '../../src/runtime/undo.ts';
import { organizationId } from '../support/ids.ts';
import { createGate } from './support/gate.ts';
import type { Gate } from './support/gate.ts';
import { BUYER, dyingAt, hook, openRuntime } from './support/open-runtime.ts';
import type { OpenRuntime } from './support/open-runtime.ts';
import { aTask, plain } from './support/tasks.ts';

const effects = new Set<string>();
/** Faults of the undo still to come. */
let undoFaults: number;
let gate: Gate;

const booking = aTask(
  'booking',
  async (_, context) => {
    await context.step({ current_step: 'booking', step_number: 1, total_steps: 2 });
    await gate.pass();
    effects.add(context.run.task_id);
    await context.step({ current_step: 'booked', step_number: 2, total_steps: 2 });
    return { done: {}, message: 'booked' };
  },
  {
    undo(_, { run }) {
      if (undoFaults-- > 0) return Promise.reject(new Error('the ad server is away'));
      effects.delete(run.task_id);
      return Promise.resolve();
    },
  },
);

let open: OpenRuntime;
beforeAll(async () => {
  open = await openRuntime([booking, plain]);
});
beforeEach(() => {
  effects.clear();
  [undoFaults, gate] = [0, createGate()];
});
afterAll(() => open.close());

const submit = () => open.submit('booking', {}, { registrations: [hook()] });

async function statesTold(task_id: TaskId): Promise<string[]> {
  return (await open.told(task_id)).map(({ state }) => state);
}

describe('[T1] canceling', () => {
  it('from another process stops the run at its next write, tells it, and undoes what was done', async () => {
    const { task_id } = await submit();
    const turn = open.takeTurn(task_id);
    await gate.reached;
    const other = await open.another();
    const canceled = await other.runtime.cancel(BUYER, task_id);
    expect(canceled.state).toBe('canceled');
    gate.open();
    await turn;
    expect(effects).toEqual(new Set());
    expect(await open.row(task_id)).toMatchObject({ state: 'canceled', notify_due_at: null });
    expect(await statesTold(task_id)).toEqual(['working', 'canceled']);
  });

  it('undoes what a process did that was killed before it learned of it', async () => {
    const { task_id } = await submit();
    const doomed = await open.another();
    void doomed.takeTurn(task_id);
    await gate.reached;
    await open.runtime.cancel(BUYER, task_id);
    await open.takeTurn(task_id);
    // The doomed process does its last deed after the undo, and never writes again.
    effects.add(task_id);
    open.clock.nowMs += LINGER_MS + 1000;
    await open.takeTurn(task_id);
    expect(effects).toEqual(new Set());
    expect((await open.row(task_id)).run_due_at).toBeNull();
    gate.open();
  });

  it('is undone at last, wherever the process is killed on the way', async () => {
    for (const moment of ['before', 'after'] as const) {
      const diedAt = new Set<string>();
      for (let n = 1; ; n++) {
        const { task_id } = await submit();
        effects.add(task_id);
        const hooks = dyingAt(moment, n);
        const doomed = await open.another(hooks);
        const story = doomed.runtime.cancel(BUYER, task_id).then(() => doomed.takeTurn(task_id));
        const died = await Promise.race([hooks.died, story.then(() => undefined)]);
        if (died !== undefined) diedAt.add(`${died} while ${(await open.row(task_id)).state}`);
        if ((await open.row(task_id)).state !== 'canceled') await open.runtime.cancel(BUYER, task_id);
        for (let i = 0; i < 3; i++) {
          open.clock.nowMs += LINGER_MS;
          await open.runtime.reconcile(10_000);
          await open.takeTurn(task_id);
        }
        expect(effects.has(task_id)).toBe(false);
        expect(await open.row(task_id)).toMatchObject({ run_due_at: null, notify_due_at: null });
        expect(await statesTold(task_id)).toEqual(['canceled']);
        if (died === undefined) break;
      }
      // The cancellation itself, what is told of it, and the end of its undo.
      const first = moment === 'before' ? ['task_runs while submitted'] : [];
      const rest = ['told while canceled', 'task_runs while canceled'];
      expect([...diedAt]).toEqual(expect.arrayContaining([...first, ...rest]));
    }
  });

  it('is undone again and again, later each time, until the undo succeeds', async () => {
    undoFaults = 7;
    const { task_id } = await submit();
    effects.add(task_id);
    await open.runtime.cancel(BUYER, task_id);
    for (let n = 1; n <= 7; n++) {
      const before = open.clock.nowMs;
      await open.takeTurn(task_id);
      const { run_due_at, faults } = await open.row(task_id);
      expect([faults, Date.parse(run_due_at ?? '') - before]).toEqual([n, 1000 * 2 ** (n - 1)]);
      open.clock.nowMs = Date.parse(run_due_at ?? '');
    }
    await open.takeTurn(task_id);
    expect(effects).toEqual(new Set());
    expect((await open.row(task_id)).run_due_at).toBeNull();
  });

  it('against completing: the first to write wins, and the other is told so', async () => {
    for (let i = 0; i < 20; i++) {
      const { task_id } = await open.submit('plain', {}, { registrations: [hook()] });
      const other = await open.another();
      const [, canceled] = await Promise.allSettled([open.takeTurn(task_id), other.runtime.cancel(BUYER, task_id)]);
      const { state, events } = await open.row(task_id);
      expect(state).toBe(canceled.status === 'fulfilled' ? 'canceled' : 'completed');
      expect(events).toHaveLength(2);
      expect(await statesTold(task_id)).toEqual([state]);
      if (canceled.status === 'rejected') expect(canceled.reason).toMatchObject({ code: 'NOT_CANCELLABLE' });
    }
  });

  it('is refused for a task that is over, for another caller, and without the scope', async () => {
    const { task_id } = await open.submit('plain');
    await open.takeTurn(task_id);
    const cancel: Runtime['cancel'] = (caller, id) => open.runtime.cancel(caller, id);
    await expect(cancel(BUYER, task_id)).rejects.toMatchObject({ code: 'NOT_CANCELLABLE' });
    const stranger = { ...BUYER, organization_id: organizationId('org_b') };
    await expect(cancel(stranger, task_id)).rejects.toMatchObject({ code: 'TASK_NOT_FOUND' });
    const reader = { ...BUYER, scopes: ['tasks:read'] as const };
    await expect(cancel(reader, task_id)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });
});
