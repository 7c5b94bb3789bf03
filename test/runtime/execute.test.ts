import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '../../src/platform/errors.ts';
import type { TaskId } from '../../src/platform/task-id.ts';
import { backoffMs, MAX_FAULTS } from '../../src/runtime/backoff.ts';
import { LINGER_MS } from '../../src/runtime/undo.ts';
import { taskId } from '../support/ids.ts';
import { until } from '../support/until.ts';
import { createGate } from './support/gate.ts';
import type { Gate } from './support/gate.ts';
import { dyingAt, hook, openRuntime } from './support/open-runtime.ts';
import type { OpenRuntime } from './support/open-runtime.ts';
import { aTask } from './support/tasks.ts';

/** What tasks have done outside, by task id; undone things are gone. */
const effects = new Set<string>();
/** Faults still to come. */
let faults: number;
let gate: Gate;
let answer: AppError | undefined;

const chunk = { artifact: { artifact_id: 'a', parts: [{ text: 'ab' }], append: true } };
const story = aTask('story', async (_, context) => {
  await context.step({ current_step: 'first', step_number: 1, total_steps: 2 });
  await context.emit(chunk);
  await context.emit(chunk);
  await context.step({ current_step: 'second', step_number: 2, total_steps: 2 });
  await context.emit({ parts: [{ text: 'nearly' }] });
  return { done: { ok: true }, message: 'done' };
});
const undo = (_: unknown, { run }: { run: { task_id: TaskId } }) => {
  effects.delete(run.task_id);
  return Promise.resolve();
};
const refused = aTask(
  'refused',
  async (_, context) => {
    const { run } = context;
    await context.step({ current_step: 'reserving', step_number: 1, total_steps: 1 });
    effects.add(run.task_id);
    throw new AppError('AD_SERVER_REJECTED', 'sold out');
  },
  { undo },
);
const flaky = aTask(
  'flaky',
  ({ text }, { run }) => {
    effects.add(run.task_id);
    if (faults-- > 0) throw new Error('secret of the inside');
    return Promise.resolve(text === 'wait' ? { waitUntil: undefined } : { done: {}, message: 'done' });
  },
  { undo },
);
const gated = aTask(
  'gated',
  async (_, { run }) => {
    if (run.turn > 0) return { done: {}, message: 'done' };
    await gate.pass();
    effects.add(run.task_id);
    if (answer !== undefined) throw answer;
    return { waitUntil: undefined };
  },
  { undo },
);

let open: OpenRuntime;
beforeAll(async () => {
  open = await openRuntime([story, refused, flaky, gated]);
});
beforeEach(() => {
  effects.clear();
  [faults, gate, answer] = [0, createGate(), undefined];
});
afterAll(() => open.close());

const WITH_HOOK = { registrations: [hook()] };

/** Time goes on: whatever is owed is queued again and done. */
async function recover(task_id: TaskId): Promise<void> {
  for (let i = 0; i < 3; i++) {
    open.clock.nowMs += LINGER_MS;
    await open.runtime.reconcile(10_000);
    await open.takeTurn(task_id);
  }
}

/** Runs a task in a process that dies at its n-th write. Answers what it was writing, if it got so far. */
async function dieAt(moment: 'before' | 'after', n: number, task_type: string) {
  const { task_id } = await open.submit(task_type, {}, WITH_HOOK);
  const hooks = dyingAt(moment, n);
  const doomed = await open.another(hooks);
  const died = await Promise.race([hooks.died, doomed.takeTurn(task_id).then(() => undefined)]);
  return { task_id, died };
}

async function expectStory(task_id: TaskId): Promise<void> {
  const { events, notify_due_at, run_due_at } = await open.row(task_id);
  const states = events.map((event) => (event.kind === 'status' ? event.state : 'artifact'));
  expect(states).toEqual(['submitted', 'working', 'artifact', 'artifact', 'working', 'working', 'completed']);
  expect([notify_due_at, run_due_at]).toEqual([null, null]);
  expect((await open.told(task_id)).map(({ sequence }) => sequence)).toEqual([2, 5, 6, 7]);
}

describe('a run', () => {
  it('[T3] announces its steps and output, is told event by event, and ends', async () => {
    const { task_id } = await open.submit('story', {}, WITH_HOOK);
    await open.takeTurn(task_id);
    await expectStory(task_id);
    expect((await open.row(task_id)).events[1]).toMatchObject({ data: { percentage: 0, total_steps: 2 } });
    expect((await open.row(task_id)).events[4]).toMatchObject({ data: { percentage: 50, current_step: 'second' } });
  });

  it('[T1] [C.events.4] that is killed before or after any of its writes makes each event and its delivery once', async () => {
    for (const moment of ['before', 'after'] as const) {
      const diedAt = new Set<string>();
      for (let n = 1; ; n++) {
        const { task_id, died } = await dieAt(moment, n, 'story');
        if (died !== undefined) diedAt.add(`${died} with ${(await open.row(task_id)).events.length} events`);
        await recover(task_id);
        await expectStory(task_id);
        if (died === undefined) break;
      }
      // Every event of the story, and every delivery made of one.
      const rows = moment === 'before' ? [1, 2, 3, 4, 5, 6] : [2, 3, 4, 5, 6, 7];
      expect([...diedAt]).toEqual(
        expect.arrayContaining([
          ...rows.map((events) => `task_runs with ${events} events`),
          ...[2, 5, 6, 7].map((events) => `told with ${events} events`),
        ]),
      );
    }
  });

  it('that several processes do at once makes each event once, and tells it once', async () => {
    const others = await Promise.all([open.another(), open.another(), open.another()]);
    const { task_id } = await open.submit('story', {}, WITH_HOOK);
    await Promise.all([open, ...others].map((process) => process.takeTurn(task_id)));
    await recover(task_id);
    await expectStory(task_id);
  });

  it('is handed back by a worker that must stop, and finished by another', async () => {
    const first = await open.another();
    const { task_id } = await open.submit('gated');
    const stopping = new AbortController();
    const turn = first.takeTurn(task_id, stopping.signal);
    await gate.reached;
    stopping.abort(new Error('stopping'));
    answer = new AppError('AD_SERVER_REJECTED', 'too late to be an answer');
    gate.open();
    await expect(turn).rejects.toThrow('too late');
    expect(await open.row(task_id)).toMatchObject({ state: 'submitted', turn: 0, faults: 0 });
    answer = undefined;
    await open.takeTurn(task_id);
    expect(await open.row(task_id)).toMatchObject({ state: 'submitted', turn: 1, run_due_at: null });
  });

  it('whose job is of an earlier turn, of no task, or of one that is over does nothing', async () => {
    const { task_id } = await open.submit('story');
    const { signal } = new AbortController();
    await open.runtime.execute({ task_id, turn: 7 }, signal);
    await open.runtime.execute({ task_id: taskId('none'), turn: 0 }, signal);
    expect((await open.row(task_id)).revision).toBe(1);
    await open.takeTurn(task_id);
    const { revision } = await open.row(task_id);
    await open.takeTurn(task_id);
    expect((await open.row(task_id)).revision).toBe(revision);
  });
});

describe('a known error', () => {
  it('[C.states.tasks] is the answer of the failed task, and what was begun is undone', async () => {
    const { task_id } = await open.submit('refused', {}, WITH_HOOK);
    await open.takeTurn(task_id);
    const { state, events } = await open.row(task_id);
    expect(state).toBe('failed');
    expect(events.at(-1)).toMatchObject({ data: { error: { code: 'AD_SERVER_REJECTED', message: 'sold out' } } });
    expect(effects).toEqual(new Set());
    expect((await open.told(task_id)).map((row) => row.state)).toEqual(['working', 'failed']);
  });

  it('is answered once and undone, wherever the process is killed on the way', async () => {
    for (const moment of ['before', 'after'] as const) {
      const diedAt = new Set<string>();
      for (let n = 1; ; n++) {
        const { task_id, died } = await dieAt(moment, n, 'refused');
        if (died !== undefined) diedAt.add(`${died} while ${(await open.row(task_id)).state}`);
        await recover(task_id);
        const { state, run_due_at, events } = await open.row(task_id);
        expect([state, run_due_at, events.length]).toEqual(['failed', null, 3]);
        expect(effects.has(task_id)).toBe(false);
        expect(await open.told(task_id)).toHaveLength(2);
        if (died === undefined) break;
      }
      // The last row says that the undo is done.
      expect([...diedAt]).toEqual(
        expect.arrayContaining(['told while working', 'told while failed', 'task_runs while failed']),
      );
    }
  });

  it('of a turn that has lost to a later one changes nothing and undoes nothing', async () => {
    answer = new AppError('AD_SERVER_REJECTED', 'sold out');
    const { task_id } = await open.submit('gated');
    const lost = open.takeTurn(task_id);
    await gate.reached;
    await open.runtime.wake(task_id);
    await open.takeTurn(task_id);
    effects.add(task_id);
    gate.open();
    await lost;
    expect((await open.row(task_id)).state).toBe('completed');
    expect(effects).toContain(task_id);
  });
});

describe('a fault', () => {
  it('is tried again later and later, and only the last one ends the task, undone and with nothing of its text', async () => {
    faults = Infinity;
    const { task_id } = await open.submit('flaky', {}, WITH_HOOK);
    for (let n = 1; n < MAX_FAULTS; n++) {
      await open.takeTurn(task_id);
      const row = await open.row(task_id);
      expect(row).toMatchObject({ state: 'submitted', faults: n, turn: n });
      expect(row.run_due_at).toBe(new Date(open.clock.nowMs + backoffMs(n)).toISOString());
      open.clock.nowMs += backoffMs(n);
    }
    expect(effects).toContain(task_id);
    await open.takeTurn(task_id);
    const row = await open.row(task_id);
    expect(row).toMatchObject({ state: 'failed' });
    expect(row.events.at(-1)).toMatchObject({ data: { error: { code: 'INTERNAL_ERROR' } } });
    expect(JSON.stringify(row)).not.toContain('secret');
    expect(effects).toEqual(new Set());
  });

  it('that passes is never seen', async () => {
    faults = MAX_FAULTS - 1;
    const { task_id } = await open.submit('flaky');
    for (let n = 1; n <= MAX_FAULTS; n++) await open.takeTurn(task_id);
    expect((await open.row(task_id)).events.map((event) => event.kind === 'status' && event.state)).toEqual([
      'submitted',
      'completed',
    ]);
  });

  it('is forgotten once the run has come to a rest: faults of days do not add up', async () => {
    const { task_id } = await open.submit('flaky', { text: 'wait' });
    for (let i = 0; i < MAX_FAULTS + 1; i++) {
      faults = 1;
      await open.takeTurn(task_id);
      await open.takeTurn(task_id);
      expect(await open.row(task_id)).toMatchObject({ state: 'submitted', faults: 0, run_due_at: null });
      await open.runtime.wake(task_id);
    }
  });

  it('of the notifier after the end leaves the end as it is, undoes nothing, and the end is told later', async () => {
    const { task_id } = await open.submit('flaky', {}, WITH_HOOK);
    faults = MAX_FAULTS - 1;
    for (let n = 1; n < MAX_FAULTS; n++) await open.takeTurn(task_id);
    open.notifier.isFailing = true;
    await open.takeTurn(task_id);
    open.notifier.isFailing = false;
    expect((await open.row(task_id)).state).toBe('completed');
    expect(effects).toContain(task_id);
    await recover(task_id);
    expect((await open.told(task_id)).map(({ state }) => state)).toEqual(['completed']);
  });
});

describe('workers', () => {
  it('take turns from the queue until a task is over', async () => {
    const worker = await open.another();
    const work = worker.work();
    const tasks = await Promise.all(Array.from({ length: 20 }, () => open.submit('story', {}, WITH_HOOK)));
    for (const { task_id } of tasks) {
      await until(
        async () => (await open.row(task_id)).notify_due_at === null && (await open.told(task_id)).length === 4,
      );
      await expectStory(task_id);
    }
    await work.stop();
  });
});
