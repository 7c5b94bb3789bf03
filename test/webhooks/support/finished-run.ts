import { randomUUID } from 'node:crypto';
import { toTimestamp } from '../../../src/platform/clock.ts';
import type { TaskRun } from '../../../src/runtime/task-run.ts';

/** The webhooks that a finished run owes. */
export const EVENTS = 2;

/** A task that has worked and completed, and that has told nobody yet. */
export function finishedRun(url: string, nowMs: number): TaskRun {
  const at = (ms: number) => toTimestamp(nowMs + ms);
  const status = (sequence: number, state: TaskRun['state']) =>
    ({ kind: 'status', sequence, state, timestamp: at(sequence), message: state, data: { n: sequence } }) as const;
  return {
    task_id: randomUUID(),
    revision: 1,
    organization_id: 'buyer',
    principal_id: 'key-1',
    task_type: 'create_media_buy',
    context_id: randomUUID(),
    message_key: randomUUID(),
    messages: [],
    input: {},
    idempotency_key: null,
    idempotency_live: false,
    exclusive_key: null,
    exclusive_live: false,
    request_hash: '0',
    registrations: [
      { registration_id: 'r1', channel: 'mcp', url, operation_id: 'op', mode: 'rfc9421', created_at: at(0) },
    ],
    state: 'completed',
    events: [status(1, 'submitted'), status(2, 'working'), status(3, 'completed')],
    run_due_at: null,
    turn: 0,
    faults: 0,
    notified_sequence: 1,
    notify_due_at: at(2),
    created_at: at(0),
    updated_at: at(3),
    expires_at: null,
  };
}
