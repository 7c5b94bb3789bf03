import type { Caller } from '../directory/caller.ts';
import { AppError } from '../platform/errors.ts';
import type { TaskId } from '../platform/task-id.ts';
import type { RuntimeDependencies } from './dependencies.ts';
import { endRegistrations } from './end-registrations.ts';
import type { RegistrationRequest } from './notifier.ts';
import { oldRegistrations, withoutOldOf } from './old-registrations.ts';
import { readTask } from './read.ts';
import type { Registration } from './registration.ts';
import { inDialectOf } from './spoken.ts';
import { isTerminal } from './states.ts';
import type { TaskRun } from './task-run.ts';

/** Most registrations that one task may have at a time. */
const MAX_REGISTRATIONS = 20;

/** Most that may have ended without that what is pending for them has, while a task takes new ones. */
const MAX_ENDING = 50;

/**
 * Registers a webhook with a task that exists already: it hears every later event. One with the same id takes the place
 * of the earlier one.
 * @throws {AppError} `TASK_NOT_FOUND`, `FORBIDDEN`, `CONFLICT` when there are {@link MAX_REGISTRATIONS}, or what
 * `Notifier.register` refuses.
 */
export async function addRegistration(
  deps: RuntimeDependencies,
  caller: Caller,
  task_id: TaskId,
  request: RegistrationRequest,
): Promise<Registration> {
  const run = await writableTask(deps, caller, task_id);
  const definition = deps.tasks.get(run.task_type);
  if (definition === undefined) {
    throw new AppError('INVALID_STATE', 'the task does not know yet what it is to do; answer its question first', {
      field: 'task_id',
    });
  }
  const registration = { ...(await deps.notifier.register(request, definition)), ...inDialectOf(run.spoken) };
  if (oldRegistrations(run).length > 0) await endRegistrations(deps, task_id, () => false);
  await deps.runs.update(task_id, (stored) => {
    if ((stored.endings?.length ?? 0) >= MAX_ENDING) {
      throw new AppError('CONFLICT', `${MAX_ENDING} webhooks of this task are being ended; try again in a minute`, {
        field: request.field,
        retry_after: 60,
      });
    }
    const others = stored.registrations.filter((other) => !isSame(other, registration));
    if (others.filter((other) => other.ended_at === undefined).length >= MAX_REGISTRATIONS) {
      throw new AppError('CONFLICT', `a task has at most ${MAX_REGISTRATIONS} webhooks; delete one first`, {
        field: request.field,
      });
    }
    return { ...stored, registrations: [...others, registration] };
  });
  return registration;
}

/**
 * The webhooks of a task that were registered by the protocol's own mechanism and still hear of it, oldest first.
 * @throws {AppError} `TASK_NOT_FOUND`, `FORBIDDEN`.
 */
export async function readPushRegistrations(
  deps: RuntimeDependencies,
  caller: Caller,
  task_id: TaskId,
): Promise<Registration[]> {
  const { registrations } = await readTask(deps, caller, task_id);
  return registrations.filter(({ channel, ended_at }) => channel === 'a2a' && ended_at === undefined);
}

/**
 * Ends a webhook as its owner asked, with all that is pending for it (rule W6.ended). Ending one that is not there changes
 * nothing.
 * @throws {AppError} `TASK_NOT_FOUND`, `FORBIDDEN`.
 */
export async function endRegistration(
  deps: RuntimeDependencies,
  caller: Caller,
  task_id: TaskId,
  registration_id: string,
): Promise<void> {
  await writableTask(deps, caller, task_id);
  await endRegistrations(deps, task_id, (one) => one.channel === 'a2a' && one.registration_id === registration_id);
}

/**
 * Gives a task another webhook in place of those its input named: later events go there and not to them. One that was
 * made earlier than those, and a task that is over, change nothing. The protocol's own webhooks stay.
 */
export async function redirectTask(
  { runs }: Pick<RuntimeDependencies, 'runs'>,
  task_id: TaskId,
  registration: Registration,
): Promise<void> {
  const { created_at } = registration;
  await runs.update(task_id, (run) => {
    const own = run.registrations.filter(({ channel }) => channel === 'mcp');
    if (isTerminal(run.state) || own.some((other) => other.created_at >= created_at)) return undefined;
    const registrations = run.registrations.map((one) =>
      one.channel === 'mcp' && one.ended_at === undefined ? { ...one, ended_at: created_at } : one,
    );
    return { ...run, registrations: [...withoutOldOf('mcp', registrations), registration] };
  });
}

async function writableTask(deps: RuntimeDependencies, caller: Caller, task_id: TaskId): Promise<TaskRun> {
  const run = await readTask(deps, caller, task_id);
  if (!caller.scopes.includes('tasks:write')) {
    throw new AppError('FORBIDDEN', 'this credential lacks the scope tasks:write');
  }
  return run;
}

function isSame(one: Registration, other: Registration): boolean {
  return one.channel === other.channel && one.registration_id === other.registration_id;
}
