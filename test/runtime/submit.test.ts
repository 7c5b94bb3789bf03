import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AppError } from '../../src/platform/errors.ts';
import { TaskRuns } from '../../src/runtime/task-run.ts';
import type { Submission } from '../../src/runtime/submission.ts';
import { organizationId } from '../support/ids.ts';
import { BUYER, openRuntime } from './support/open-runtime.ts';
import type { OpenRuntime } from './support/open-runtime.ts';
import { echo, only, plain } from './support/tasks.ts';

let open: OpenRuntime;
beforeAll(async () => {
  open = await openRuntime([plain, echo, only]);
});
afterAll(() => open.close());

const stored = () => open.store.collection(TaskRuns).count({ organization_id: BUYER.organization_id });
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'no error',
    (error: unknown) => (error as AppError).code,
  );
const message = (message_id: string) => ({ message: { message_id, wire: {} } });

describe('[T2] a submission', () => {
  it('of a queued task is stored as submitted, owed a turn, and queued', async () => {
    const run = await open.submit('plain', { text: 'a' });
    expect(run).toMatchObject({ state: 'submitted', input: { text: 'a' }, run_due_at: run.created_at });
    expect(await open.row(run.task_id)).toMatchObject({ state: 'submitted', revision: 1 });
    expect(await open.jobs()).toBeGreaterThan(0);
  });

  it('of an inline task is answered at once, owes nothing, and can be read again', async () => {
    const run = await open.submit('echo', { text: 'hello' });
    expect(run).toMatchObject({ state: 'completed', run_due_at: null, notify_due_at: null });
    expect((await open.row(run.task_id)).events).toMatchObject([{ sequence: 1, data: { text: 'hello' } }]);
  });

  const narrow = { ...BUYER, scopes: ['tasks:read'] as const };
  it.each<[string, string, Partial<Submission>]>([
    ['an unknown task', 'UNSUPPORTED_TASK', { task_type: 'nope' }],
    ['a missing scope', 'FORBIDDEN', { task_type: 'plain', caller: narrow }],
    ['input that is no object', 'VALIDATION_ERROR', { task_type: 'plain', input: 7 }],
    ['an unknown key', 'VALIDATION_ERROR', { task_type: 'plain', input: { texts: '' } }],
    ['a refusal by the task', 'INVALID_REQUEST', { task_type: 'only', input: { text: 'refuse me' } }],
    ['a refusal by an inline task', 'INVALID_REQUEST', { task_type: 'echo', input: { text: 'refuse me' } }],
  ])('that is refused for %s leaves nothing behind', async (_, code, given) => {
    const before = [await stored(), await open.jobs()];
    const submission = { caller: BUYER, task_type: 'plain', input: {}, ...given };
    expect(await codeOf(open.runtime.submit(submission))).toBe(code);
    expect([await stored(), await open.jobs()]).toEqual(before);
  });

  it('names the tasks there are when asked for another', async () => {
    await expect(open.submit('plian')).rejects.toThrow(/use one of plain, echo, only/);
  });
});

describe('the same message again', () => {
  it.each(['plain', 'echo'])('is the same task, for %s, even when many copies come at once', async (task_type) => {
    const copies = await Promise.all(
      Array.from({ length: 20 }, () => open.submit(task_type, { text: 'x' }, message(`message for ${task_type}`))),
    );
    expect(new Set(copies.map(({ task_id }) => task_id)).size).toBe(1);
  });

  it('of another organization is another task', async () => {
    const mine = await open.submit('plain', {}, message('shared'));
    const theirs = await open.submit(
      'plain',
      {},
      { ...message('shared'), caller: { ...BUYER, organization_id: organizationId('b') } },
    );
    expect(theirs.task_id).not.toBe(mine.task_id);
  });
});

describe('[B7] what only one run may be at work on', () => {
  it('is taken by one of many at once, and the others are told by whom', async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, () => open.submit('only', { text: 'campaign' })),
    );
    const [winner] = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    const refusals = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as AppError] : []));
    expect(refusals).toHaveLength(19);
    for (const { code, details } of refusals) {
      expect([code, details.details]).toEqual(['CONFLICT', { task_id: winner?.task_id }]);
    }
  });

  it('is free again for others when the run is over, and always for other organizations', async () => {
    const { task_id } = await open.submit('only', { text: 'again' });
    const elsewhere = await open.submit(
      'only',
      { text: 'again' },
      { caller: { ...BUYER, organization_id: organizationId('b') } },
    );
    expect(elsewhere.state).toBe('submitted');
    await open.runtime.cancel(BUYER, task_id);
    expect((await open.submit('only', { text: 'again' })).task_id).not.toBe(task_id);
  });
});
