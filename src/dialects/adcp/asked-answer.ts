import { isObject } from '../../platform/json-object.ts';
import type { JsonObject } from '../../platform/json-object.ts';
import { currentStatus } from '../../runtime/task-run.ts';
import type { TaskRun } from '../../runtime/task-run.ts';

/** The one word of the protocol for why a task of ours asks: a person at the seller decides, and has a question before. */
const REASON = 'APPROVAL_REQUIRED';

/**
 * The answer that tells a question to the caller, in `message` and where clients look for what keeps a task from going on; of our own
 * row nothing is told. `named`: what a task asks that is none of the public protocol's, told as it is. Pure.
 */
export function askedAnswer(run: TaskRun, named?: unknown): JsonObject {
  const { message } = currentStatus(run);
  const asked = isObject(named)
    ? named
    : { reason: REASON, errors: [{ code: REASON, message, recovery: 'correctable', suggestion: SUGGESTION }] };
  return { ...asked, status: 'input-required', task_id: run.task_id, message };
}

const SUGGESTION = 'answer in a message that names the task (A2A), or by tasks/update (MCP)';
