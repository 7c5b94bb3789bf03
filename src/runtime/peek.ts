import type { Caller } from '../directory/caller.ts';
import type { JsonObject } from '../platform/json-object.ts';
import { TaskId } from '../platform/task-id.ts';
import type { RuntimeDependencies } from './dependencies.ts';
import { requestOf } from './request-of.ts';
import { callContext } from './submit.ts';

/**
 * What a task that is answered at once would answer this caller now; nothing is stored.
 * @throws {AppError} as the task would refuse it; a bare error for a task that is not answered at once.
 */
export async function peek(
  deps: RuntimeDependencies,
  caller: Caller,
  task_type: string,
  input: JsonObject,
): Promise<JsonObject> {
  const { definition, input: parsed } = await requestOf(deps, { caller, task_type, input });
  if (definition.mode !== 'inline') throw new Error(`${task_type} cannot be asked without being done`);
  const { result } = await definition.answer(
    parsed,
    callContext(deps, caller, { task_id: TaskId.parse(deps.ids.newId()) }),
  );
  return result;
}
