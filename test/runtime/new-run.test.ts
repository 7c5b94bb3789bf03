import { expect, it } from 'vitest';
import { newRun } from '../../src/runtime/new-run.ts';
import { TaskRun } from '../../src/runtime/task-run.ts';
import { organizationId, taskId } from '../support/ids.ts';

const BEGUN = {
  ...{
    task_id: taskId('t'),
    organization_id: organizationId('o'),
    principal_id: 'p',
    task_type: 'sample',
    context_id: 'c',
    message_key: 'm',
  },
  created_at: '2023-11-14T22:13:20.000Z',
};

it('a run that begins is a whole row, changed when it was made, that owes nobody anything', () => {
  const run = newRun(BEGUN);
  expect(TaskRun.parse(run)).toEqual(run);
  expect(run).toMatchObject({ ...BEGUN, revision: 1, state: 'submitted', updated_at: BEGUN.created_at });
  expect([run.run_due_at, run.notify_due_at, run.expires_at]).toEqual([null, null, null]);
  expect([run.idempotency_live, run.exclusive_live]).toEqual([false, false]);
});

it('what the row says itself stands', () => {
  const said = { state: 'input-required', idempotency_key: 'k', idempotency_live: true, updated_at: 'later' } as const;
  expect(newRun({ ...BEGUN, ...said })).toMatchObject(said);
});
