import type { Caller } from '../directory/caller.ts';
import type { AppError } from '../platform/errors.ts';
import type { JsonObject } from '../platform/json-object.ts';
import type { TaskRun } from '../runtime/task-run.ts';

/** One tool, as a client lists it. */
export interface ToolListing {
  name: string;
  title: string;
  description: string;
  /** JSON Schema, of an object; unknown keys are taken where the language passes them over. */
  inputSchema: JsonObject & { type: 'object' };
  annotations: { readOnlyHint: boolean; idempotentHint: boolean };
}

/** One call of a tool. */
export interface ToolCall {
  caller: Caller;
  name: string;
  input: JsonObject;
  /** The input's `context` as it was written (rule W19). */
  contextText: string | undefined;
  /** Is told the task that does it, once there is one. */
  begun: (run: TaskRun) => void;
  /** How long the answer waits for the end of the work, in milliseconds; default: as long as is any use. */
  waitMs?: number | undefined;
  /** Aborts when nobody waits for the answer any more. */
  signal: AbortSignal;
}

export interface ToolAnswer {
  body: JsonObject;
  /** Whether the call has come to nothing. */
  isError: boolean;
  /** The task that does it, where that is not over. */
  goesOn?: TaskRun;
}

/** The tools, in the one language that all of them are called in. */
export interface ToolSet {
  /** Always in the same order. */
  list(): readonly ToolListing[];
  /** Undefined for what is no tool. @throws {AppError} what {@link ToolSet.refused} then tells. */
  call(call: ToolCall): Promise<ToolAnswer> | undefined;
  /** What the call that a task was begun by would answer now, whichever words it was in. */
  standing(run: TaskRun, caller: Caller): Promise<ToolAnswer>;
  /** What anybody may call, without a credential. */
  readonly discovery: ReadonlySet<string>;
  /** The refusal of a call that needs a credential and came without. */
  needsCredential(input: JsonObject): AppError;
  /** A refusal of a credential in the words of these tools; undefined for other errors, and where the agent's own words are all. */
  credentialRefused(error: AppError): JsonObject | undefined;
  /** A refusal that left no task, as these tools answer it. */
  refused(error: AppError, input: JsonObject): JsonObject;
}

/** What tools may be called (MCP 2025-11-25, "Tool names"). */
export function isToolName(name: string): boolean {
  return /^[\w.-]{1,128}$/.test(name);
}
