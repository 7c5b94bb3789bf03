import { z } from 'zod';
import type { Caller } from '../directory/caller.ts';
import { AppError } from '../platform/errors.ts';
import type { ErrorCode } from '../platform/errors.ts';
import type { JsonObject } from '../platform/json-object.ts';
import type { Logger } from '../platform/log.ts';
import type { Counters } from '../platform/metrics/metrics.ts';
import { recordRefusal } from '../platform/security/record-refusal.ts';
import type { SecurityLog } from '../platform/security/security-log.ts';
import { shownError } from '../platform/store/shown-error.ts';
import { TaskId } from '../platform/task-id.ts';
import { parseInput } from '../platform/validation.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { TaskRun } from '../runtime/task-run.ts';
import type { Exchanged } from './exchanged.ts';
import { INVALID_PARAMS, mcpError } from './mcp-error.ts';
import { answerTo, InputResponses, questionOf } from './task-question.ts';
import { MCP_STATUS, mcpTask } from './task-view.ts';
import { undeclared } from './tasks-extension.ts';
import type { Declared } from './tasks-extension.ts';
import { toolResult } from './tool-result.ts';
import type { ToolSet } from './tool-set.ts';

export interface TaskMethodDependencies {
  runtime: Pick<Runtime, 'read' | 'resume' | 'cancel'>;
  tools: ToolSet;
  counters: Counters;
  security: SecurityLog;
  log: Logger;
}

/** One request about a task. */
interface TaskRequest {
  caller: Caller;
  params: unknown;
  declared: Declared;
}

/** A method of the extension, and its result. @throws {AppError} for every refusal. */
type TaskMethod = (deps: TaskMethodDependencies, request: TaskRequest) => Promise<JsonObject>;

/** @throws {ProtocolError} for every refusal, and for clients that have not declared the extension. */
export async function answerAboutTask(
  deps: TaskMethodDependencies,
  { caller, message, signal }: Exchanged,
  { method, declared }: { method: TaskMethodName; declared: Declared },
): Promise<JsonObject> {
  if (!declared.tasks) throw undeclared();
  const { counters, security, log } = deps;
  try {
    const result = await TASK_METHODS[method](deps, { caller, params: message.value['params'], declared });
    if (signal.reason instanceof AppError) throw signal.reason;
    counters.add('mcp_calls_total', { tool: method, outcome: 'ok' });
    return result;
  } catch (thrown) {
    const error = shownError(thrown);
    counters.add('mcp_calls_total', { tool: method, outcome: 'failed' });
    recordRefusal(security, error, { subject: caller.principal_id, organization_id: caller.organization_id });
    if (error.code === 'INTERNAL_ERROR') log.error({ err: thrown }, 'MCP request failed');
    throw mcpError(error, deps.tools, OF_PARAMS.has(error.code) ? INVALID_PARAMS : undefined);
  }
}

/** What is refused for what was sent, and for naming no task of the caller's. */
const OF_PARAMS: ReadonlySet<ErrorCode> = new Set(['INVALID_REQUEST', 'VALIDATION_ERROR', 'TASK_NOT_FOUND']);

/** MCP's methods about tasks that calls have answered with; there is no list of them, and none that waits (rule D9.tasks). */
const TASK_METHODS = {
  'tasks/get': async (deps, { caller, params, declared }) => {
    const run = await deps.runtime.read(caller, taskIdIn(params));
    return { ...mcpTask(run), ...(await detailsOf(deps, run, caller, declared)) };
  },

  'tasks/update': async ({ runtime }, { caller, params }) => {
    const { inputResponses } = parseInput(UpdateParams, params, ['params']);
    const run = await runtime.read(caller, taskIdIn(params));
    const question = questionOf(run);
    const message = question && answerTo(question, run, inputResponses);
    if (message === undefined) return {};
    await runtime.resume(caller, run.task_id, message, undefined, question?.sequence).catch((error: unknown) => {
      // Somebody else has answered it meanwhile.
      if (!isRefusal(error, 'INVALID_STATE')) throw error;
    });
    return {};
  },

  'tasks/cancel': async ({ runtime }, { caller, params }) => {
    await runtime.cancel(caller, taskIdIn(params)).catch((error: unknown) => {
      // Over already: there is nothing left to cancel, and how it ended is told by `tasks/get`.
      if (!isRefusal(error, 'NOT_CANCELLABLE') || error.details.details?.['since'] !== undefined) throw error;
    });
    return {};
  },
} as const satisfies Record<string, TaskMethod>;
type TaskMethodName = keyof typeof TASK_METHODS;
export const TASK_METHOD_NAMES = Object.keys(TASK_METHODS) as readonly TaskMethodName[];

const TaskParams = z.looseObject({
  taskId: z.string().min(1, 'must not be empty').max(512, 'must be at most 512 characters'),
});
const UpdateParams = TaskParams.extend({ inputResponses: InputResponses });

function taskIdIn(params: unknown): TaskId {
  return TaskId.parse(parseInput(TaskParams, params, ['params']).taskId);
}

/** What a task is besides, by where it stands. */
async function detailsOf(
  { tools }: TaskMethodDependencies,
  run: TaskRun,
  caller: Caller,
  { forms }: Declared,
): Promise<JsonObject> {
  switch (MCP_STATUS[run.state]) {
    case 'working':
    case 'cancelled':
      return {};
    case 'completed':
      return { result: { resultType: 'complete', ...toolResult(await tools.standing(run, caller)) } };
    case 'input_required': {
      const question = forms ? questionOf(run) : undefined;
      return { inputRequests: question === undefined ? {} : { [question.key]: question.request } };
    }
  }
}

function isRefusal(error: unknown, code: AppError['code']): error is AppError {
  return error instanceof AppError && error.code === code;
}
