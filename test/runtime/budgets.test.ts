import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AppError } from '../../src/platform/errors.ts';
import { TaskRuns } from '../../src/runtime/task-run.ts';
import { organizationId } from '../support/ids.ts';
import { openBudgets } from '../support/open-budgets.ts';
import { BUYER, openRuntime } from './support/open-runtime.ts';
import type { OpenRuntime } from './support/open-runtime.ts';
import { aTask, echo, only, plain } from './support/tasks.ts';

/** Makes a row that stays, one at a time for each text. */
const buy = aTask('buy', () => Promise.resolve({ done: {}, message: 'done' }), {
  makes: ({ text }) => ({ budget: 'media_buys', amount: text === undefined ? 0 : 1 }),
  ...(only.mode === 'queued' && { exclusive: only.exclusive }),
});

/** Begins, and waits for somebody. */
const waits = aTask('waits', () => Promise.resolve({ waitUntil: undefined }));

let open: OpenRuntime;
const { budgets, close } = openBudgets({
  sizes: { stored_bytes: 0.02, answered_bytes: 0.02, media_buys: 2, tasks_queued: 4 },
});
beforeAll(async () => {
  open = await openRuntime([buy, echo, plain, waits], undefined, budgets);
});
afterAll(async () => {
  await open.close();
  await close();
});

const newCaller = () => ({ ...BUYER, organization_id: organizationId(randomUUID()) });
type Submits = ReturnType<typeof newCaller>;
const stored = ({ organization_id }: Submits) => open.store.collection(TaskRuns).count({ organization_id });

/** The budget that refuses, or undefined where nothing does. */
async function refusedBy(caller: Submits, task_type: string, input: object): Promise<unknown> {
  try {
    await open.runtime.submit({ caller, task_type, input });
    return undefined;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return (error.details.details?.['budget'] as { name: string } | undefined)?.name ?? error.code;
  }
}

describe('[S2.bytes] what an organization has stored in a day', () => {
  it('is counted with all that the row holds, reads apart, and what is refused for it leaves nothing', async () => {
    const [caller, other] = [newCaller(), newCaller()];
    expect(await refusedBy(caller, 'echo', { text: 'x'.repeat(7_000) })).toBeUndefined();
    expect(await refusedBy(caller, 'echo', { text: 'x'.repeat(7_000) })).toBe('answered_bytes');
    expect(await refusedBy(caller, 'buy', { context: { note: 'x'.repeat(20_000) } })).toBe('stored_bytes');
    expect(await refusedBy(caller, 'buy', { context: { note: 'what was read hinders no buy' } })).toBeUndefined();
    expect(await stored(caller)).toBe(2);
    expect(await refusedBy(caller, 'echo', { text: 'small' })).toBeUndefined();
    expect(await refusedBy(other, 'echo', { text: 'x'.repeat(7_000) })).toBeUndefined();
  });
});

describe('[S2.rows] rows that tasks make', () => {
  it('are counted by the day when the task is taken; what is refused or taken before costs none', async () => {
    const caller = newCaller();
    const key = { text: 'a', idempotency_key: 'a-key-of-this-test' };
    expect(await refusedBy(caller, 'buy', key)).toBeUndefined();
    expect(await refusedBy(caller, 'buy', key)).toBeUndefined();
    expect(await refusedBy(caller, 'buy', { text: 'a' })).toBe('CONFLICT');
    expect(await refusedBy(caller, 'buy', {})).toBeUndefined();
    expect(await refusedBy(caller, 'buy', { text: 'b' })).toBeUndefined();
    expect(await refusedBy(caller, 'buy', { text: 'c' })).toBe('media_buys');
    expect(await stored(caller)).toBe(3);
  });
});

describe('[S2.queued] tasks that have not begun', () => {
  it('are counted until a worker has begun with them, and whatever is refused for them leaves nothing', async () => {
    const [caller, other] = [newCaller(), newCaller()];
    const submit = (more = {}) => open.runtime.submit({ caller, task_type: 'waits', input: {}, ...more });
    const first = await submit({ message_key: 'first' });
    for (let i = 0; i < 3; i++) await submit();
    const key = { idempotency_key: 'a-key-that-is-refused' };
    expect(await refusedBy(caller, 'plain', key)).toBe('tasks_queued');
    expect(await stored(caller)).toBe(4);
    expect(await refusedBy(other, 'plain', key)).toBeUndefined();
    // What was taken before is answered as before.
    expect(await submit({ message_key: 'first' })).toMatchObject({
      replayed: true,
      run: { task_id: first.run.task_id },
    });
    await open.takeTurn(first.run.task_id);
    expect(await refusedBy(caller, 'plain', { ...key, text: 'another request' })).toBeUndefined();
    expect(await refusedBy(caller, 'plain', {})).toBe('tasks_queued');
  });

  it('are no more than the budget where many come at once', async () => {
    const caller = newCaller();
    const all = await Promise.all(Array.from({ length: 20 }, () => refusedBy(caller, 'plain', {})));
    expect(all.filter((refusal) => refusal !== undefined && refusal !== 'tasks_queued')).toEqual([]);
    expect(await stored(caller)).toBe(4);
  });

  it('are not those that were canceled, failed or wait for somebody', async () => {
    const caller = newCaller();
    const submit = async (task_type: string) =>
      (await open.runtime.submit({ caller, task_type, input: {} })).run.task_id;
    const ids = [await submit('plain'), await submit('plain'), await submit('waits')] as const;
    await open.runtime.cancel(caller, ids[0]);
    for (const id of ids.slice(1)) await open.takeTurn(id);
    for (let i = 0; i < 4; i++) expect(await refusedBy(caller, 'plain', {})).toBeUndefined();
    expect(await refusedBy(caller, 'plain', {})).toBe('tasks_queued');
  });
});
