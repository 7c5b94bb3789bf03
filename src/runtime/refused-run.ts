import type { Caller } from '../directory/caller.ts';
import { toTimestamp } from '../platform/clock.ts';
import type { AppError } from '../platform/errors.ts';
import { TaskId } from '../platform/task-id.ts';
import type { InboundMessage } from './content.ts';
import { kept } from './context-text.ts';
import { countSubmitted } from './count-runs.ts';
import type { RuntimeDependencies } from './dependencies.ts';
import { newRun } from './new-run.ts';
import { spendBytes } from './spend.ts';
import type { Spoken } from './spoken.ts';
import { INLINE_RETENTION_MS } from './submit.ts';
import type { TaskRun } from './task-run.ts';

/** A call that was refused, for those whose wire answers that with a task. */
export interface Refused {
  caller: Caller;
  spoken: Spoken;
  error: AppError;
  context_id?: string | undefined;
  context?: unknown;
  context_text?: string | undefined;
  message?: InboundMessage | undefined;
}

/**
 * Keeps a refusal for as long as the answer of a read, so that its task can be asked for. It holds no message and no key: the
 * same request again is judged again.
 * @throws {AppError} `RATE_LIMITED`; then nothing is kept.
 */
export async function keepRefusal(deps: RuntimeDependencies, refused: Refused): Promise<TaskRun> {
  const { caller, spoken, error, context_id, message } = refused;
  const nowMs = deps.clock.now();
  const timestamp = toTimestamp(nowMs);
  const task_id = TaskId.parse(deps.ids.newId());
  const carried = { context: refused.context, context_text: refused.context_text };
  const run = newRun({
    ...{ task_id, spoken, message_key: task_id },
    organization_id: caller.organization_id,
    principal_id: caller.principal_id,
    task_type: spoken.skill,
    is_read: true,
    context_id: context_id ?? deps.ids.newId(),
    messages: message === undefined ? [] : [message],
    ...kept(carried),
    state: 'rejected',
    events: [
      {
        ...{ kind: 'status', sequence: 1, state: 'rejected', timestamp, message: error.message },
        data: { error: error.toBody() },
      },
    ],
    created_at: timestamp,
    expires_at: toTimestamp(nowMs + INLINE_RETENTION_MS),
  });
  await spendBytes(deps, run.organization_id, run, true);
  await deps.runs.insert(run);
  countSubmitted(deps, run);
  return run;
}
