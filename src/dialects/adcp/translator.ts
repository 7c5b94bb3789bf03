import type { z } from 'zod';
import type { Caller } from '../../directory/caller.ts';
import type { JsonObject } from '../../platform/json-object.ts';
import type { TaskId } from '../../platform/task-id.ts';
import type { TaskRun } from '../../runtime/task-run.ts';
import type { NoPlaceFor } from './envelope.ts';
import type { Release } from './release.ts';

/** Asks a task that is answered at once, as the same caller, without leaving a task of that behind. */
export type Ask = (task: string, input: JsonObject) => Promise<JsonObject>;

/** What a translator knows of the call. */
export interface Translating {
  caller: Caller;
  release: Release;
  ask: Ask;
  /** How a task of the caller's stands, its result or error in the public protocol's words. */
  standing: (task_id: TaskId) => Promise<{ run: TaskRun; result?: JsonObject; error?: JsonObject }>;
  /** By which public names tasks of the caller's were asked for, by their ids; none for what was not. At most a hundred ids. */
  skillsOf: (task_ids: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /** Milliseconds since the Unix epoch. */
  nowMs: number;
}

/** A public request in our own words. */
export interface Translated {
  /** Without the fields of the envelope, which are carried over by whoever calls the translator. */
  input: JsonObject;
  /** Where not the translator's own task does it, but one that only reads. */
  task?: string;
  /** What the task would answer, where there is nothing to do. */
  done?: { result: JsonObject; message: string };
  /** Is awaited once the task would be taken; it may be called again. */
  beforehand?: () => Promise<unknown>;
  /** The id that the task gets, where a test of the protocol has said so. */
  task_id?: TaskId;
  /** What the first answer says where the work goes on, in place of the usual words. */
  submitted_message?: string;
  /** The account that it is for. */
  account_id?: string;
  /** What it is about is of a sandbox account, where neither the request nor `account_id` names that. */
  sandbox?: boolean | undefined;
  /** What its answers need of the request besides. Stored with the task. */
  extra?: JsonObject;
}

/**
 * A public task in terms of one of ours. `out` may be called at any later time, for whoever reads the task's result again.
 */
export interface Translator<Request = JsonObject> {
  /** The public name. */
  skill: string;
  /** The task of ours that does it. */
  task: string;
  title: string;
  description: string;
  tags: readonly string[];
  /** Whether it changes anything: then it needs an `idempotency_key`, and news of it can be registered for. */
  mutates: boolean;
  /** It changes something though it needs no key: the same again comes to the same. */
  changesWithoutKey?: boolean;
  examples: readonly JsonObject[];
  /** The first release that has it, where not all have. */
  since?: Release;
  /** Where the schema of its answers is closed: what there is no place for. */
  leavesOut?: NoPlaceFor;
  /** Its answers have a place to say that they are of a sandbox account. */
  tellsSandbox?: boolean;
  /** What of the request is read; all else is passed over, as the protocol wants. */
  input: z.ZodType<Request>;
  /** @throws {AppError} for what cannot be said in our own words, with the public field. */
  in(request: Request, context: Translating): Promise<Translated> | Translated;
  /** A completed result, in the caller's release, without the envelope. */
  out(result: JsonObject, context: Translating & { extra: JsonObject }): Promise<JsonObject> | JsonObject;
  /** Where our own field names differ in errors: from ours (a path, its beginning is enough) to the public one. */
  fields?: Readonly<Record<string, string>>;
}

/** Declares a translator with its request type inferred, and hides that type from the list of all. */
export function translator<Request>(one: Translator<Request>): Translator {
  return one as unknown as Translator;
}
