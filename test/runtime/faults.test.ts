import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TaskId } from '../../src/platform/task-id.ts';
import { AppError } from '../../src/platform/errors.ts';
import { askAgainMs, backoffMs, MAX_FAULTS } from '../../src/runtime/backoff.ts';
import { Broken, Misconfigured, Unreachable } from '../../src/sales/ad-server/faults.ts';
import { BUYER, NEVER, openRuntime } from './support/open-runtime.ts';
import type { OpenRuntime } from './support/open-runtime.ts';
import { aTask } from './support/tasks.ts';

/** What the next turns throw, in order; then they go through. */
let thrown: unknown[];
const logged: { level: number; msg: string; task_id?: string; error_id?: string }[] = [];

const order = aTask('order', async ({ text }, context) => {
  if (text === 'commit') await context.commit();
  if (thrown.length > 0) throw thrown.shift();
  return text === 'rest' ? { waitUntil: undefined } : { done: {}, message: 'ordered' };
});

let open: OpenRuntime;
beforeAll(async () => {
  const write = (line: string) => logged.push(JSON.parse(line) as (typeof logged)[number]);
  open = await openRuntime([order], pino({ level: 'warn' }, { write }));
});
beforeEach(() => {
  thrown = [];
});
afterAll(() => open.close());

const times = <T>(n: number, make: () => T): T[] => Array.from({ length: n }, make);
const away = (retryAtMs?: number) => new Unreachable('away', { sent: 'unknown', ...(retryAtMs && { retryAtMs }) });

/** Takes the turn that is owed, as soon as it is due. Answers after how long the next one is, in milliseconds. */
async function nextDueIn(task_id: TaskId): Promise<number> {
  await open.takeTurn(task_id);
  const { run_due_at } = await open.row(task_id);
  const dueMs = Date.parse(run_due_at ?? '');
  const inMs = dueMs - open.clock.nowMs;
  if (!Number.isNaN(dueMs)) open.clock.nowMs = dueMs;
  return inMs;
}

function alarmsOf(task_id: TaskId): number {
  return logged.filter((line) => line.level >= 60 && line.task_id === task_id).length;
}

describe('turns that break down are owed again', () => {
  it('after 1, 4, 16 and 64 s, 5 min, and then every 15 min', () => {
    const seconds = [1, 2, 3, 4, 5, 6, 7, 1000].map((n) => backoffMs(n) / 1000);
    expect(seconds).toEqual([1, 4, 16, 64, 300, 900, 900, 900]);
  });

  it('[T1.no-return] without end once the task is committed, with an alarm each time from the fifth on', async () => {
    thrown = times(40, () => new Error('the house is on fire'));
    const { task_id } = await open.submit('order', { text: 'commit' });
    for (let n = 1; n <= 40; n++) {
      expect(await nextDueIn(task_id)).toBe(backoffMs(n));
      expect(await open.row(task_id)).toMatchObject({ state: 'submitted', faults: n, turn: n });
      expect(alarmsOf(task_id)).toBe(Math.max(0, n - MAX_FAULTS + 1));
    }
    await expect(open.runtime.cancel(BUYER, task_id)).rejects.toMatchObject({ code: 'NOT_CANCELLABLE' });
    await open.takeTurn(task_id);
    expect(await open.row(task_id)).toMatchObject({ state: 'completed', run_due_at: null, faults: 0 });
  });

  it('until the fifth fault ends a task that is not committed, without an alarm', async () => {
    thrown = times(MAX_FAULTS, () => new Error('the house is on fire'));
    const { task_id } = await open.submit('order');
    for (let n = 1; n <= MAX_FAULTS; n++) await nextDueIn(task_id);
    expect(await open.row(task_id)).toMatchObject({ state: 'failed' });
    expect(alarmsOf(task_id)).toBe(0);
  });
});

describe('the faults that a row tells of', () => {
  const told = async (task_id: TaskId) => (await open.row(task_id)).fault_log ?? [];

  it('[T1.fault-log] are the last five in order, each in our words with an id that the log has', async () => {
    const secret = 'mk_live_that-nobody-may-read';
    const system = Object.assign(new TypeError(secret), { code: 'ECONNREFUSED' });
    thrown = [new Error(secret), system, secret, ...times(4, () => new RangeError(secret))];
    const { task_id } = await open.submit('order', { text: 'commit' });
    const blank = await open.row(task_id);
    expect([blank.fault_log, blank.has_faults]).toEqual([undefined, undefined]);
    const at: string[] = [];
    for (let n = 1; n <= 7; n++) {
      at.push(new Date(open.clock.nowMs).toISOString());
      await nextDueIn(task_id);
    }
    const log = await told(task_id);
    const broke = (kind: string) => `the turn broke down: ${kind}`;
    expect(log.map(({ error_id: _, ...rest }) => rest)).toEqual([
      { at: at[2], turn: 2, message: broke('something that is no error was thrown') },
      ...[3, 4, 5, 6].map((turn) => ({ at: at[turn], turn, message: broke('RangeError') })),
    ]);
    expect(JSON.stringify(await open.row(task_id))).not.toContain(secret);
    const ids = logged.flatMap((line) => (line.task_id === task_id ? (line.error_id ?? []) : []));
    expect(ids.slice(-5)).toEqual(log.map(({ error_id }) => error_id));
    expect(new Set(ids).size).toBe(7);
    await open.takeTurn(task_id);
    expect(await open.row(task_id)).toMatchObject({ state: 'completed', faults: 0, fault_log: log, has_faults: true });
  });

  it('[T1.fault-log] have the code of a system, and the one that ends the task among them', async () => {
    thrown = times(MAX_FAULTS, () => Object.assign(new TypeError('x'), { code: 'ECONNREFUSED' }));
    const { task_id } = await open.submit('order');
    for (let n = 1; n <= MAX_FAULTS; n++) await nextDueIn(task_id);
    const log = await told(task_id);
    expect(log.map(({ turn }) => turn)).toEqual([0, 1, 2, 3, 4]);
    expect(log.at(-1)?.message).toBe('the turn broke down: TypeError ECONNREFUSED');
    expect(await open.row(task_id)).toMatchObject({ state: 'failed', has_faults: true });
  });
});

describe('a turn that a person brings forward', () => {
  it('is taken now and once: the job of its later time is stale, and its faults go on being counted', async () => {
    thrown = times(4, () => new Error('the house is on fire'));
    const { task_id } = await open.submit('order');
    for (let n = 1; n <= 3; n++) await nextDueIn(task_id);
    await open.takeTurn(task_id);
    const before = await open.row(task_id);
    expect(Date.parse(before.run_due_at ?? '') - open.clock.nowMs).toBe(backoffMs(4));
    const other = await open.another();
    await Promise.all([open.runtime.nudge(task_id), other.runtime.nudge(task_id)]);
    const nudged = await open.row(task_id);
    expect(nudged).toMatchObject({ faults: 4, turn: before.turn + 1 });
    expect(nudged.run_due_at).toBe(new Date(open.clock.nowMs).toISOString());
    await open.runtime.execute({ task_id, turn: before.turn }, new AbortController().signal);
    expect(await open.row(task_id)).toEqual(nudged);
    await open.takeTurn(task_id);
    expect(await open.row(task_id)).toMatchObject({ state: 'completed', faults: 0 });
  });

  it('is none of a task that is over, that waits for somebody, or that nobody knows', async () => {
    const done = await open.submit('order');
    await open.takeTurn(done.task_id);
    const waits = await open.submit('order', { text: 'rest' });
    await open.takeTurn(waits.task_id);
    for (const { task_id } of [done, waits]) {
      const before = await open.row(task_id);
      await expect(open.runtime.nudge(task_id)).rejects.toMatchObject({
        code: 'INVALID_STATE',
        details: { field: 'task_id' },
      });
      expect(await open.row(task_id)).toEqual(before);
    }
    await expect(open.runtime.nudge('task_none' as TaskId)).rejects.toMatchObject({ code: 'TASK_NOT_FOUND' });
  });
});

describe('a task that the seller cancels', () => {
  it('[T1.no-return] tells its caller why, once, and is refused past its point of no return and once it is over', async () => {
    const { task_id } = await open.submit('order');
    for (let n = 0; n < 2; n++) await open.runtime.cancelForSeller(task_id, 'sold twice');
    const { state, events } = await open.row(task_id);
    expect(state).toBe('canceled');
    expect(events.map((event) => event.kind === 'status' && event.message)).toContain(
      'canceled by the seller: sold twice',
    );
    expect(events).toHaveLength(2);
    const again = open.runtime.cancelForSeller(task_id, 'another reason');
    await expect(again).rejects.toMatchObject({ code: 'NOT_CANCELLABLE' });
    thrown = [new Error('the house is on fire')];
    const committed = await open.submit('order', { text: 'commit' });
    await open.takeTurn(committed.task_id);
    await expect(open.runtime.cancelForSeller(committed.task_id, 'too late')).rejects.toMatchObject({
      code: 'NOT_CANCELLABLE',
      details: { field: 'task_id', details: { since: expect.any(String) as unknown } },
    });
  });
});

describe('an ad server whose answer is not known', () => {
  it.each(['commit', 'not yet'])('never ends a task (%s), however often it is asked', async (text) => {
    const faults = [away(), new Misconfigured('401'), new Broken('no JSON')];
    thrown = times(10, () => faults).flat();
    const { task_id } = await open.submit('order', { text });
    for (let n = 1; n <= 30; n++) {
      expect(await nextDueIn(task_id)).toBe(backoffMs(n));
      expect(await open.row(task_id)).toMatchObject({ state: 'submitted', faults: 0, waits: n });
    }
    await open.takeTurn(task_id);
    expect(await open.row(task_id)).toMatchObject({ state: 'completed', waits: 0 });
    expect(alarmsOf(task_id)).toBe(0);
  });

  it('counts nothing toward the faults that end a task, nor they toward it', async () => {
    thrown = times(MAX_FAULTS - 1, () => [new Error('ours'), away()]).flat();
    const { task_id } = await open.submit('order');
    for (let n = 1; n < MAX_FAULTS; n++) {
      expect([await nextDueIn(task_id), await nextDueIn(task_id)]).toEqual([backoffMs(n), backoffMs(n)]);
    }
    await open.takeTurn(task_id);
    expect(await open.row(task_id)).toMatchObject({ state: 'completed' });
  });

  it('is asked again when it has said, at most an hour later and never at once', async () => {
    const { nowMs } = open.clock;
    expect(askAgainMs(nowMs + 90_000, 1, nowMs)).toBe(nowMs + 90_000);
    expect(askAgainMs(nowMs + 5_000, 9, nowMs)).toBe(nowMs + 5_000);
    expect(askAgainMs(nowMs - 5_000, 9, nowMs)).toBe(nowMs + 1_000);
    expect(askAgainMs(nowMs + 86_400_000, 1, nowMs)).toBe(nowMs + 3_600_000);
    expect(askAgainMs(undefined, 2, nowMs)).toBe(nowMs + 4_000);
    thrown = [away(nowMs + 90_000)];
    const { task_id } = await open.submit('order');
    expect(await nextDueIn(task_id)).toBe(90_000);
  });

  it('is forgotten once the run has come to a rest', async () => {
    const { task_id } = await open.submit('order', { text: 'rest' });
    for (let i = 0; i < 3; i++) {
      thrown = [away()];
      expect(await nextDueIn(task_id)).toBe(backoffMs(1));
      await open.takeTurn(task_id);
      expect(await open.row(task_id)).toMatchObject({ waits: 0, run_due_at: null });
      await open.runtime.wake(task_id);
    }
  });

  it('[B7.effect] leaves a retry at hour 25 of an outage of 26 the same task, which then goes through once', async () => {
    const input = { text: 'commit', idempotency_key: 'spring-order-0000001' };
    const { task_id } = await open.submit('order', input);
    const [beganMs, hour] = [open.clock.nowMs, 3_600_000];
    let isRetried = false;
    while (open.clock.nowMs < beganMs + 26 * hour) {
      thrown = [away()];
      await nextDueIn(task_id);
      if (isRetried || open.clock.nowMs < beganMs + 25 * hour) continue;
      expect(await open.runtime.submit({ caller: BUYER, task_type: 'order', input })).toMatchObject({
        ...{ replayed: true, run: { task_id, state: 'submitted' } },
      });
      isRetried = true;
    }
    expect(isRetried).toBe(true);
    await open.takeTurn(task_id);
    expect(await open.row(task_id)).toMatchObject({ state: 'completed', expires_at: expect.any(String) as string });
  });

  it('can be waited for no longer by the caller, while the task is not committed', async () => {
    thrown = times(9, () => away());
    const { task_id } = await open.submit('order');
    for (let n = 1; n < 9; n++) await nextDueIn(task_id);
    expect((await open.runtime.cancel(BUYER, task_id)).state).toBe('canceled');
  });
});

it.each([
  ['a fault', new Error('out of order'), 'out of order'],
  ['an ad server that does not answer', away(), 'away'],
  ['an answer to the caller', new AppError('CONFLICT', 'it is taken'), 'CONFLICT: it is taken'],
  ['nothing known', 'text', 'a fault of an unknown kind'],
])('a turn that ends in %s tells the job queue page why', async (_what, error, failed) => {
  thrown = [error];
  const { task_id, turn } = await open.submit('order');
  expect(await open.runtime.execute({ task_id, turn }, NEVER)).toEqual({ failed });
  expect((await open.row(task_id)).turn).toBe(turn + 1);
});
