import type { Caller } from '../../directory/caller.ts';
import type { JsonObject } from '../../platform/json-object.ts';
import type { TaskId } from '../../platform/task-id.ts';
import type { InboundMessage } from '../../runtime/content.ts';
import type { RegistrationRequest } from '../../runtime/notifier.ts';
import type { TaskRun } from '../../runtime/task-run.ts';

/** One call of a public task, on whichever wire it came. */
export interface PublicCall {
  caller: Caller;
  skill: string;
  request: JsonObject;
  /** The request's `context` as it was written (rule W19). */
  contextText?: string | undefined;
  message?: InboundMessage;
  context_id?: string | undefined;
  /** An earlier task that the message names. */
  names?: TaskId | undefined;
  /** Registrations made through the wire's own mechanism. */
  registrations?: RegistrationRequest[];
  /** Is told the task that does it, once there is one. */
  begun?: (run: TaskRun) => void;
  /** How long its answer waits, in milliseconds, for callers that know better what to do meanwhile; default: `CallDependencies.waitMs`. */
  waitMs?: number | undefined;
  /** Aborts when the caller has gone. */
  signal: AbortSignal;
}
