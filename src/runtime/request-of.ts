import { AppError } from '../platform/errors.ts';
import type { Problem } from '../platform/errors.ts';
import { isObject } from '../platform/json-object.ts';
import type { JsonObject } from '../platform/json-object.ts';
import { problemsFrom, problemsIn, refusalOf, withOthers } from '../platform/problem.ts';
import { parseInput } from '../platform/validation.ts';
import type { RuntimeDependencies } from './dependencies.ts';
import type { Submission } from './submission.ts';
import type { QueuedTask, TaskDefinition } from './task-definition.ts';

/**
 * The task that is asked for, and its input, parsed.
 * @throws {AppError} `UNSUPPORTED_TASK`, `FORBIDDEN`, or all that is wrong with the input.
 */
export async function requestOf(
  deps: RuntimeDependencies,
  submission: Submission,
): Promise<{ definition: TaskDefinition; input: JsonObject }> {
  const { task_type, caller, input } = submission;
  const definition = deps.tasks.get(task_type);
  if (definition === undefined) throw unknownTask(deps, task_type);
  if (!caller.scopes.includes(definition.scope)) {
    throw new AppError(
      'FORBIDDEN',
      `this credential lacks the scope ${definition.scope} that ${definition.name} needs`,
    );
  }
  try {
    return { definition, input: parseInput(definition.input, input) as JsonObject };
  } catch (error) {
    if (!(error instanceof AppError) || definition.mode !== 'queued') throw error;
    throw await withWhatElse(deps, definition, submission, error);
  }
}

/** The refusal of an input that does not fit the schema, with what is wrong in the parts that do (rule B12.details). */
async function withWhatElse(
  deps: RuntimeDependencies,
  definition: QueuedTask,
  { caller, input, translated }: Submission,
  refusal: AppError,
): Promise<AppError> {
  try {
    const { account_id, dialect, extra: said } = translated?.spoken ?? {};
    const others = [
      ...(await registrationProblems(deps, definition, input)),
      ...((await definition.checkParts?.(input, {
        ...{ caller, account_id, dialect, said },
        now: () => deps.clock.now(),
      })) ?? []),
    ];
    const form = problemsIn(refusal);
    // A form that has a code of its own keeps it (rule W2).
    const lead = form.find(({ code }) => code === refusal.code && code !== 'VALIDATION_ERROR');
    return refusalOf(withOthers(form, others), input, lead);
  } catch (error) {
    // What is known already is told; the parts are judged when the request comes again.
    deps.log.warn({ err: error, task_type: definition.name }, 'the parts of a refused request could not be judged');
    return refusal;
  }
}

async function registrationProblems(
  { notifier }: RuntimeDependencies,
  definition: QueuedTask,
  input: unknown,
): Promise<readonly Problem[]> {
  const field = 'push_notification_config';
  const config = isObject(input) ? input[field] : undefined;
  if (config === undefined) return [];
  return problemsFrom(() => notifier.register({ channel: 'mcp', config, field }, definition));
}

/** @throws {AppError} `UNSUPPORTED_TASK` listing the tasks there are. */
function unknownTask(deps: RuntimeDependencies, task_type: string): AppError {
  const known = [...deps.tasks.keys()].join(', ');
  return new AppError(
    'UNSUPPORTED_TASK',
    `no task is called ${JSON.stringify(task_type.slice(0, 80))}; use one of ${known}`,
    {
      field: 'skill',
    },
  );
}
