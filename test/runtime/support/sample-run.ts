import type { TaskRun } from '../../../src/runtime/task-run.ts';

const AT = '2023-11-14T22:13:20.000Z';

/** A submitted run that somebody listens to. */
export function sampleRun(changes: Partial<TaskRun> = {}): TaskRun {
  return {
    task_id: 'task-1',
    revision: 1,
    organization_id: 'org_a',
    principal_id: 'key_a',
    task_type: 'sample',
    context_id: 'context-1',
    message_key: 'message-1',
    messages: [],
    input: {},
    idempotency_key: null,
    idempotency_live: false,
    request_hash: '',
    exclusive_key: null,
    exclusive_live: false,
    registrations: [
      {
        registration_id: 'r1',
        channel: 'mcp',
        url: 'https://buyer.example/hook',
        operation_id: 'op',
        mode: 'rfc9421',
        created_at: AT,
      },
    ],
    state: 'submitted',
    events: [{ kind: 'status', sequence: 1, state: 'submitted', timestamp: AT, message: 'submitted' }],
    run_due_at: AT,
    turn: 0,
    faults: 0,
    notified_sequence: 1,
    notify_due_at: null,
    created_at: AT,
    updated_at: AT,
    expires_at: null,
    ...changes,
  };
}
