import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TaskId } from '../../src/platform/task-id.ts';
import { isTerminal } from '../../src/runtime/states.ts';
import { Unreachable } from '../../src/sales/ad-server/faults.ts';
import { taskId } from '../support/ids.ts';
import { LONG_MS } from '../support/until.ts';
import { NEVER, openRuntime } from './support/open-runtime.ts';
import type { Instance, OpenRuntime } from './support/open-runtime.ts';
import { aTask, plain } from './support/tasks.ts';

const STEPS = 6;
const steps = aTask('steps', async (_, context) => {
  for (let i = 1; i <= STEPS; i++) {
    await context.step({ current_step: `step ${i}`, step_number: i, total_steps: STEPS });
  }
  return { done: {}, message: 'done' };
});
const asking = aTask('asking', () => Promise.resolve({ ask: {}, message: 'what?' }));
const handed = aTask('handed', (_, { run: { turn } }) =>
  Promise.resolve(turn < 2 ? { waitUntil: undefined, waits_for: 'person' } : { done: {}, message: 'done' }),
);
const faulty = aTask('faulty', ({ text }) =>
  Promise.reject(text === 'away' ? new Unreachable('away', { sent: 'no' }) : new Error('as you wish')),
);

let open: OpenRuntime;
let other: Instance;
beforeAll(async () => {
  open = await openRuntime([steps, asking, handed, faulty, plain]);
  other = await open.another();
});
afterAll(() => open.close());

async function sequencesSeen({ runtime }: Instance, task_id: TaskId, from = 0): Promise<number[]> {
  const seen: number[] = [];
  for await (const { events } of runtime.follow(task_id, from, NEVER)) {
    seen.push(...events.map(({ sequence }) => sequence));
  }
  return seen;
}

const ALL = Array.from({ length: STEPS + 2 }, (_, i) => i + 1);

describe('following', () => {
  it('500 followers in two processes see every event of 25 tasks once and in order, wherever they begin', async () => {
    const tasks = await Promise.all(Array.from({ length: 25 }, () => open.submit('steps')));
    const watches = Array.from({ length: 500 }, (_, i) => {
      const { task_id } = tasks[i % tasks.length] ?? { task_id: taskId('') };
      const from = Math.floor(i / 25) % 4;
      return { from, seen: sequencesSeen(i % 2 === 0 ? open : other, task_id, from) };
    });
    const work = other.work();
    for (const { from, seen } of watches) expect(await seen).toEqual(ALL.slice(from));
    await work.stop();
  });

  it('a task that is over already shows what was missed, and ends', async () => {
    const { task_id } = await open.submit('plain');
    await open.takeTurn(task_id);
    expect(await sequencesSeen(open, task_id, 1)).toEqual([2]);
    expect(await sequencesSeen(open, task_id, 2)).toEqual([]);
    expect(await sequencesSeen(open, taskId('none'))).toEqual([]);
  });

  it('[T2.wait] whoever waits is answered when their time is over, also where garbage is collected meanwhile', async () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const run = await open.submit('plain');
    const waiting = [10, 300].map((capMs) => open.runtime.waitWhileInHand(run, capMs, NEVER));
    const collecting = setInterval(collectGarbage, 20);
    expect((await Promise.all(waiting)).map(({ state }) => state)).toEqual(['submitted', 'submitted']);
    clearInterval(collecting);
    await open.takeTurn(run.task_id);
  });

  it('shows a slow reader several events at once', async () => {
    const { task_id } = await open.submit('steps');
    const sightings = open.runtime.follow(task_id, 0, NEVER);
    await sightings.next();
    await open.takeTurn(task_id);
    const { value } = await sightings.next();
    expect(value?.events.map(({ sequence }) => sequence)).toEqual(ALL.slice(1));
    expect((await sightings.next()).done).toBe(true);
  });

  it('ends when the reader goes, and when the process closes', async () => {
    const { task_id } = await open.submit('asking');
    const third = await open.another();
    const gone = new AbortController();
    const read = async (signal: AbortSignal) => {
      for await (const _ of third.runtime.follow(task_id, 0, signal));
      return 'ended';
    };
    const [one, two] = [read(gone.signal), read(NEVER)];
    gone.abort();
    expect(await one).toBe('ended');
    third.runtime.close();
    expect(await two).toBe('ended');
  });
});

describe('waiting for a task to settle', () => {
  it('answers once it is over, or waits for its caller', async () => {
    for (const task_type of ['plain', 'asking']) {
      const run = await open.submit(task_type);
      const settled = other.runtime.waitUntilIdle(run, LONG_MS, NEVER);
      await open.takeTurn(run.task_id);
      const { state } = await settled;
      expect(isTerminal(state) || state === 'input-required').toBe(true);
      expect(await open.runtime.waitUntilIdle(await open.row(run.task_id), LONG_MS, NEVER)).toMatchObject({ state });
    }
  });

  it('[T2.wait] who waits only while it is in hand is answered when a turn leaves it to somebody else, until it is woken', async () => {
    const run = await open.submit('handed');
    const waiting = other.runtime.waitWhileInHand(run, 3_600_000, NEVER);
    await open.takeTurn(run.task_id);
    expect(await waiting).toMatchObject({ state: 'submitted', waits_for: 'person' });
    const left = await open.row(run.task_id);
    expect(await other.runtime.waitWhileInHand(left, 3_600_000, NEVER)).toMatchObject({ waits_for: 'person' });
    await open.runtime.wake(run.task_id);
    expect((await open.row(run.task_id)).waits_for).toBeNull();
    const again = other.runtime.waitWhileInHand(await open.row(run.task_id), 3_600_000, NEVER);
    await open.takeTurn(run.task_id);
    expect(await again).toMatchObject({ state: 'completed', waits_for: null });
  });

  it('[T2.wait] an answer of an ad server that is not known leaves it to the ad server, a fault of ours to nobody', async () => {
    for (const [text, waits_for] of [
      ['away', 'ad_server'],
      ['broken', null],
    ] as const) {
      const run = await open.submit('faulty', { text });
      await open.takeTurn(run.task_id);
      expect(await open.row(run.task_id)).toMatchObject({ state: 'submitted', waits_for });
    }
  });

  it('answers the task as it stands when the time is over or the caller has gone', async () => {
    const run = await open.submit('asking');
    expect((await open.runtime.waitUntilIdle(run, 30, NEVER)).state).toBe('submitted');
    const gone = new AbortController();
    const settled = open.runtime.waitUntilIdle(run, LONG_MS, gone.signal);
    gone.abort();
    expect((await settled).state).toBe('submitted');
  });
});
