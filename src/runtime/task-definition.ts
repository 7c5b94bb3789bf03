import type { z } from 'zod';
import type { Caller, Scope } from '../directory/caller.ts';
import type { SpentBudget } from '../platform/budget/budget-table.ts';
import type { AppError, Problem } from '../platform/errors.ts';
import type { JsonObject } from '../platform/json-object.ts';
import type { Logger } from '../platform/log.ts';
import type { Artifact, Part } from './content.ts';
import type { Spoken } from './spoken.ts';
import type { TaskRun, WaitsFor } from './task-run.ts';

/** What a task learns of the call it serves. Time and chance come from here. */
export interface CallContext {
  caller: Caller;
  /** The account that the call is under, where its dialect has such. */
  account_id: string | undefined;
  /** The public dialect that it is in; undefined: our own words. */
  dialect: Spoken['dialect'] | undefined;
  /** What it says in that besides, which our own words have no place for; see {@link Spoken.extra}. */
  said: JsonObject | undefined;
  log: Logger;
  /** Milliseconds since the Unix epoch. */
  now: () => number;
  /** A random UUID. */
  newId: () => string;
}

/** What a queued task can do besides answering. */
export interface RunContext extends CallContext {
  readonly run: TaskRun;
  /** Aborts when the process must stop: stop at the next safe place, the run will be taken up again. */
  readonly signal: AbortSignal;
  /** Announces a step, once per step however often the run is repeated. @throws when the task is over meanwhile. */
  step(step: { current_step: string; step_number: number; total_steps: number; details?: JsonObject }): Promise<void>;
  /**
   * Announces a status or output of the task's own making. The n-th time a run announces the same content, it does so
   * once, however often the run is repeated: a run must announce the same things in the same order.
   */
  emit(update: { parts: Part[] } | { artifact: Artifact }): Promise<void>;
  /** Reads the task anew. @throws when the task is over meanwhile (canceled, most likely). */
  checkpoint(): Promise<TaskRun>;
  /**
   * The point of no return (rule T1.no-return), to be passed before the first effect outside the task's own row. Once it has
   * resolved, the task cannot be canceled any more, and no fault of ours ends it: it stays owed until `run` answers, or
   * throws an {@link AppError}, which then says that nothing took effect, for sure. Repeats write nothing.
   * @throws when the task is over meanwhile (canceled, most likely), or a later turn has taken it up.
   */
  commit(): Promise<void>;
}

/** How a run ends for now. */
export type RunOutcome =
  | { done: JsonObject; message: string }
  /** Over, with content of the task's own making. */
  | { end: 'completed' | 'failed' | 'rejected'; parts?: Part[] }
  /** The caller must act: the task becomes `input-required`, unless `state` says otherwise, and goes on with their next message. */
  | { ask: JsonObject; message: string; parts?: Part[]; state?: 'input-required' | 'auth-required' }
  /**
   * Somebody else must act: the run is taken up again at this time (ms) or when it is woken, whichever is first. `waits_for` is
   * left out where that is a matter of moments, which a caller may wait for.
   */
  | { waitUntil: number | undefined; waits_for?: WaitsFor };

export interface TaskExample {
  title: string;
  input: JsonObject;
}

interface Described {
  /** The task's name on every wire, in snake_case; the id of its card skill. */
  name: string;
  title: string;
  description: string;
  tags: readonly string[];
  examples: readonly TaskExample[];
  scope: Scope;
  /** Plain text may stand for its input. Default false. */
  takesText?: boolean;
  /** What callers are told of the input, where `input` leaves parts of it to the task itself. Default: `input`. */
  toldInput?: z.ZodType;
  output: z.ZodType;
}

/** A task answered at once; its initial response is terminal, so it never notifies (rules T2, W3). */
export interface InlineTask<Input = unknown> extends Described {
  mode: 'inline';
  input: z.ZodType<Input>;
  /** @throws {AppError} for a refusal. */
  answer(input: Input, context: CallContext): Promise<{ result: JsonObject; message: string }>;
}

/** A task that takes minutes to days: answered `submitted`, done by a worker, told by webhook (rule T2). */
export interface QueuedTask<Input = unknown> extends Described {
  mode: 'queued';
  input: z.ZodType<Input>;
  /** Whether it changes what the buyer has; such callbacks need proof of their origin (rule W4). */
  mutates: boolean;
  /**
   * The input as it may be stored, its secrets sealed; `run` and `undo` get it so. Absent: there are none.
   * @throws {AppError} for secrets that cannot be taken.
   */
  protect?(input: Input): Input;
  /**
   * What else is wrong with an input that does not fit the schema, as far as parts of it can be judged: one refusal is to name
   * all (rule B12.details). Absent: nothing is known of parts.
   */
  checkParts?(
    input: unknown,
    context: Pick<CallContext, 'caller' | 'account_id' | 'dialect' | 'said' | 'now'>,
  ): Promise<readonly Problem[]>;
  /** How many rows that stay it may make, and the budget that they count in (rule S2). Absent: none. */
  makes?(input: Input): { budget: SpentBudget; amount: number };
  /** Refuses what can be refused at once, before anything is stored. @throws {AppError} all that is wrong, see `refusalOf`. */
  check(input: Input, context: CallContext): Promise<void>;
  /** Names what only one run of an organization may be at work on at a time, such as a campaign to be made. */
  exclusive?: {
    key(input: Input): string;
    /** The refusal of a second run while this one is at work. */
    refusal(holder: TaskRun): AppError;
  };
  /**
   * Does the work. Runs at least once and may be repeated from the top at any time: its effects must happen once, by
   * ids derived from `run.task_id`. @throws {AppError} to fail the task with that answer: nothing took effect, or what did is
   * undone by `undo`, unless it says `details.effect: 'unknown'`, which keeps the idempotency key bound. Anything else is
   * a fault. An ad server's faults (`Unreachable`, `Misconfigured`, `Broken`) never end the task: the turn is owed again later.
   */
  run(input: Input, context: RunContext): Promise<RunOutcome>;
  /**
   * Undoes what an interrupted run may have done, after the task was canceled, which is before its point of no return, or
   * failed for good. Called at least twice, at once and a minute later, and until it does not throw.
   */
  undo?(input: Input, context: CallContext & { run: TaskRun }): Promise<void>;
}

export type TaskDefinition = InlineTask | QueuedTask;

/** Whether the task only reads: nobody waits for it, and it leaves nothing behind (rules T2, T8). */
export function isRead({ mode, scope }: TaskDefinition): boolean {
  return mode === 'inline' && scope === 'tasks:read';
}

/** Declares a task with its input type inferred, and hides that type from the list of all tasks. */
export function inlineTask<Input>(task: Omit<InlineTask<Input>, 'mode'>): TaskDefinition {
  return { ...task, mode: 'inline' } as unknown as TaskDefinition;
}

/** See {@link inlineTask}. */
export function queuedTask<Input>(task: Omit<QueuedTask<Input>, 'mode'>): TaskDefinition {
  return { ...task, mode: 'queued' } as unknown as TaskDefinition;
}

/** The input as it may be stored; see {@link QueuedTask.protect}. */
export function storable(definition: TaskDefinition, input: JsonObject): JsonObject {
  return definition.mode === 'queued' && definition.protect ? (definition.protect(input) as JsonObject) : input;
}
