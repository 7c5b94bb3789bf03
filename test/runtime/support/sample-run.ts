import { newRun } from '../../../src/runtime/new-run.ts';
import type { TaskRun } from '../../../src/runtime/task-run.ts';
import { organizationId, taskId } from '../../support/ids.ts';

const AT = '2023-11-14T22:13:20.000Z';

/** A submitted run that somebody listens to. */
export function sampleRun(changes: Partial<TaskRun> = {}): TaskRun {
  return newRun({
    task_id: taskId('task-1'),
    organization_id: organizationId('org_a'),
    principal_id: 'key_a',
    task_type: 'sample',
    context_id: 'context-1',
    message_key: 'message-1',
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
    events: [{ kind: 'status', sequence: 1, state: 'submitted', timestamp: AT, message: 'submitted' }],
    run_due_at: AT,
    created_at: AT,
    ...changes,
  });
}
