import type { TaskRun } from './task-run.ts';

/** What every run says of itself when it begins. */
type Begun = 'task_id' | 'organization_id' | 'principal_id' | 'task_type' | 'context_id' | 'message_key' | 'created_at';

/** The row of a run that begins: asked for nothing, owed nothing, told nothing, but for what `row` says. */
export function newRun(row: Pick<TaskRun, Begun> & Partial<TaskRun>): TaskRun {
  return {
    revision: 1,
    messages: [],
    input: {},
    idempotency_key: null,
    idempotency_live: false,
    request_hash: '',
    exclusive_key: null,
    exclusive_live: false,
    registrations: [],
    state: 'submitted',
    events: [],
    run_due_at: null,
    turn: 0,
    faults: 0,
    waits: 0,
    committed_at: null,
    notified_sequence: 1,
    notify_due_at: null,
    updated_at: row.created_at,
    expires_at: null,
    ...row,
  };
}
