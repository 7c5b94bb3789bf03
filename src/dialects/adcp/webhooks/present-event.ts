import type { PresentedEvent } from '../../../runtime/dependencies.ts';
import { lastSequence } from '../../../runtime/task-run.ts';
import type { StatusEvent, TaskRun } from '../../../runtime/task-run.ts';
import type { Logger } from '../../../platform/log.ts';
import type { JsonObject } from '../../../platform/json-object.ts';
import { answerOf } from '../answers.ts';
import type { AnswerDependencies } from '../answers.ts';

/**
 * What an event says in the release that its run was asked for in, just as an answer would: for the webhooks that tell of it. Nothing
 * where it cannot be said now; then they say where to read it.
 */
export async function presentEvent(
  deps: AnswerDependencies & { log: Logger },
  run: TaskRun,
  { state, message, data, parts }: PresentedEvent,
): Promise<JsonObject | undefined> {
  const { organization_id, principal_id, task_id } = run;
  const told = { state, message, ...(data !== undefined && { data }), ...(parts && { parts }) };
  const event: StatusEvent = { ...told, kind: 'status', sequence: lastSequence(run) + 1, timestamp: run.updated_at };
  const caller = { organization_id, principal_id, scopes: ['tasks:read', 'tasks:write'] as const };
  try {
    const moved: TaskRun = { ...run, state, events: [...run.events, event] };
    // The request's own context stands in the envelope.
    const { body } = await answerOf(deps, moved, { caller, context: undefined });
    return body;
  } catch (error) {
    deps.log.error({ task_id, err: error }, 'an event could not be put into the words of those who hear of it');
    return undefined;
  }
}
