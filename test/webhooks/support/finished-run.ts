import { randomUUID } from 'node:crypto';
import { toTimestamp } from '../../../src/platform/clock.ts';
import { newRun } from '../../../src/runtime/new-run.ts';
import type { TaskRun } from '../../../src/runtime/task-run.ts';
import { organizationId, taskId } from '../../support/ids.ts';

/** The webhooks that a finished run owes. */
export const EVENTS = 2;

/** A task that has worked and completed, and that has told nobody yet. */
export function finishedRun(url: string, nowMs: number): TaskRun {
  const at = (ms: number) => toTimestamp(nowMs + ms);
  const status = (sequence: number, state: TaskRun['state']) =>
    ({ kind: 'status', sequence, state, timestamp: at(sequence), message: state, data: { n: sequence } }) as const;
  return newRun({
    task_id: taskId(randomUUID()),
    organization_id: organizationId('buyer'),
    principal_id: 'key-1',
    task_type: 'create_media_buy',
    context_id: randomUUID(),
    message_key: randomUUID(),
    request_hash: '0',
    registrations: [
      { registration_id: 'r1', channel: 'mcp', url, operation_id: 'op', mode: 'rfc9421', created_at: at(0) },
    ],
    state: 'completed',
    events: [status(1, 'submitted'), status(2, 'working'), status(3, 'completed')],
    notify_due_at: at(2),
    created_at: at(0),
    updated_at: at(3),
  });
}
