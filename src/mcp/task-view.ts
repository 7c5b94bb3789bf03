import { fromTimestamp } from '../platform/clock.ts';
import { isInterrupted } from '../runtime/states.ts';
import type { TaskState } from '../runtime/states.ts';
import { currentStatus } from '../runtime/task-run.ts';
import type { TaskRun } from '../runtime/task-run.ts';

/** Where a task stands, in the words of MCP; its `failed` is for what became a JSON-RPC error, which no task here does. */
export const MCP_STATUS = {
  submitted: 'working',
  working: 'working',
  'input-required': 'input_required',
  'auth-required': 'input_required',
  completed: 'completed',
  failed: 'completed',
  rejected: 'completed',
  canceled: 'cancelled',
} as const satisfies Record<TaskState, 'working' | 'input_required' | 'completed' | 'cancelled'>;

/** A task as a client of the extension first gets hold of it. */
export type McpTask = {
  taskId: string;
  status: (typeof MCP_STATUS)[TaskState];
  /** For people. */
  statusMessage: string;
  createdAt: string;
  lastUpdatedAt: string;
  /** How long after `createdAt` it can be asked for, in milliseconds; null, without an end, until it is over. */
  ttlMs: number | null;
  pollIntervalMs: number;
};

/** When to ask again, in milliseconds: of work in hand, and of what waits for a person or the ad server. */
const POLL_MS = { inHand: 1_000, waiting: 15_000 };

export function mcpTask(run: TaskRun): McpTask {
  const { task_id, state, created_at, updated_at, expires_at, waits_for = null } = run;
  const isWaiting = waits_for !== null || isInterrupted(state);
  return {
    taskId: task_id,
    status: MCP_STATUS[state],
    statusMessage: currentStatus(run).message,
    createdAt: created_at,
    lastUpdatedAt: updated_at,
    ttlMs: expires_at === null ? null : fromTimestamp(expires_at) - fromTimestamp(created_at),
    pollIntervalMs: isWaiting ? POLL_MS.waiting : POLL_MS.inHand,
  };
}
