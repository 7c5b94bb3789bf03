import type { Caller } from '../../directory/caller.ts';
import type { ErrorBody } from '../../platform/errors.ts';
import { isObject } from '../../platform/json-object.ts';
import type { JsonObject } from '../../platform/json-object.ts';
import { echoed } from '../../runtime/context-text.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import { currentStatus, dataOf } from '../../runtime/task-run.ts';
import type { TaskRun } from '../../runtime/task-run.ts';
import { askedAnswer } from './asked-answer.ts';
import { enveloped } from './envelope.ts';
import type { Around } from './envelope.ts';
import { failedAnswer, publicError } from './errors.ts';
import { isRelease, SERVED_BY_DEFAULT } from './release.ts';
import type { Served } from './release.ts';
import type { Translating, Translator } from './translator.ts';

/** What an answer comes to: the wires tell some of these apart by states of their own. */
export type PublicOutcome = 'completed' | 'submitted' | 'failed' | 'canceled' | 'input-required' | 'auth-required';

/** An answer in the public dialect, before a wire has it. */
export interface PublicAnswer {
  /** The task that it is the answer of. */
  run: TaskRun;
  outcome: PublicOutcome;
  /** For people. */
  text: string;
  body: JsonObject;
}

export interface AnswerDependencies {
  runtime: Pick<Runtime, 'list' | 'peek' | 'read'>;
  translators: ReadonlyMap<string, Translator>;
  nowMs: () => number;
}

/** Who is answered, and what around it is of this request, where that is not the task's own. */
export interface AskingCaller {
  caller: Caller;
  served?: Served;
  context?: unknown;
  replayed?: boolean;
}

/**
 * How a task stands, in the public dialect.
 * @throws {AppError} what reading along with it throws.
 */
export async function answerOf(deps: AnswerDependencies, run: TaskRun, asking: AskingCaller): Promise<PublicAnswer> {
  const served = asking.served ?? servedFirst(run);
  const { leavesOut = [] } = translatorFor(deps, run) ?? {};
  const around: Around = { context: echoed(run), ...asking, served, leavesOut };
  const status = currentStatus(run);
  const text = status.message;
  const answer = (body: JsonObject) => ({ ...bareAnswer(run), body: enveloped(body, around) });
  switch (run.state) {
    case 'completed':
      return answer(await resultOf(deps, run, { ...asking, served }));
    case 'failed':
    case 'rejected':
      return answer(failedAnswer(endError(deps, run, served)));
    case 'input-required':
      return answer(askedAnswer(run, translatorFor(deps, run) === undefined ? dataOf(status) : undefined));
    case 'canceled':
    case 'auth-required':
      return answer({ status: run.state, task_id: run.task_id, message: text });
    case 'submitted':
    case 'working':
      return submittedAnswer(run, around);
  }
}

/** What a task has come to, with no answer. Pure. */
export function bareAnswer(run: TaskRun): PublicAnswer {
  return { run, outcome: OUTCOMES[run.state], text: currentStatus(run).message, body: {} };
}

const OUTCOMES = {
  submitted: 'submitted',
  working: 'submitted',
  'input-required': 'input-required',
  'auth-required': 'auth-required',
  completed: 'completed',
  failed: 'failed',
  rejected: 'failed',
  canceled: 'canceled',
} as const satisfies Record<TaskRun['state'], PublicOutcome>;

/** The answer that says that the work goes on, and by which id it can be asked for. Pure. */
export function submittedAnswer(run: TaskRun, around: Around): PublicAnswer {
  const text = run.spoken?.submitted_message ?? 'taken, and not done yet; call get_task_status with this task_id';
  const body = enveloped({ status: 'submitted', task_id: run.task_id, message: text }, around);
  return { run, outcome: 'submitted', text, body };
}

/**
 * A completed task's response: in the release that it was asked for in as it was told first, which has around it what the protocol
 * wants around answers; in others, and in rows of before, put into words now.
 */
export async function resultOf(
  deps: AnswerDependencies,
  run: TaskRun,
  { caller, served = servedFirst(run) }: AskingCaller,
): Promise<JsonObject> {
  const { told } = currentStatus(run);
  // What was told first is told again: what the result is about has moved on.
  if (told !== undefined && served.release === run.spoken?.release) return told;
  const result = dataOf(currentStatus(run));
  const extra = run.spoken?.extra ?? {};
  if (!isObject(result)) return {};
  const translator = translatorFor(deps, run);
  if (translator === undefined) return result;
  const answer = await translator.out(result, { ...translating(deps, caller, served), extra });
  return run.spoken?.sandbox === true ? { ...answer, sandbox: true } : answer;
}

/** The error that a task ended with, in the public protocol's words. */
export function endError(deps: Pick<AnswerDependencies, 'translators'>, run: TaskRun, { release }: Served): JsonObject {
  const data = dataOf(currentStatus(run)) as { error: ErrorBody };
  return publicError(data.error, release, translatorFor(deps, run)?.fields);
}

export function translating(deps: AnswerDependencies, caller: Caller, { release }: Served): Translating {
  return {
    ...{ caller, release },
    nowMs: deps.nowMs(),
    ask: (task, input) => deps.runtime.peek(caller, task, input),
    async skillsOf(task_ids) {
      if (task_ids.length === 0) return new Map();
      const { runs } = await deps.runtime.list(caller, { task_ids }, task_ids.length);
      return new Map(runs.flatMap(({ task_id, spoken }) => (spoken === undefined ? [] : [[task_id, spoken.skill]])));
    },
    async standing(task_id) {
      const run = await deps.runtime.read(caller, task_id);
      const served = { release };
      // What a poll told is asked for anew of the task that it was about: else polls of polls would be read one after the other.
      if (run.task_type === 'get_task_status') return { run };
      if (run.state === 'completed') return { run, result: await resultOf(deps, run, { caller, served }) };
      const isFailed = run.state === 'failed' || run.state === 'rejected';
      return isFailed ? { run, error: endError(deps, run, served) } : { run };
    },
  };
}

/** The release a task was first answered in; rows of callers in our own words have none. */
function servedFirst({ spoken }: TaskRun): Served {
  if (spoken === undefined || !isRelease(spoken.release)) return SERVED_BY_DEFAULT;
  return { release: spoken.release, ...(spoken.alias !== undefined && { alias: spoken.alias }) };
}

function translatorFor({ translators }: Pick<AnswerDependencies, 'translators'>, run: TaskRun): Translator | undefined {
  if (run.spoken !== undefined) return translators.get(run.spoken.skill);
  return [...translators.values()].find(({ task }) => task === run.task_type);
}
