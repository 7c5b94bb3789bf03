import type { Caller } from '../directory/caller.ts';
import type { TaskId } from '../platform/task-id.ts';
import type { InboundMessage } from './content.ts';
import type { JsonObject } from '../platform/json-object.ts';
import type { RegistrationRequest } from './notifier.ts';
import type { Spoken } from './spoken.ts';

/** One call of a task, on whichever wire it came. */
export interface Submission {
  caller: Caller;
  task_type: string;
  /** Default: a random one. */
  task_id?: TaskId;
  /** As sent; parsed here. */
  input: unknown;
  /** The input's `context` as it was written, in compact JSON (rule W19); absent where the wire is no JSON. */
  context_text?: string;
  /** The message it came in; repeated, it is the same task (rule T6). */
  message?: InboundMessage;
  /** What makes two submissions the same message, where that is not the message itself. */
  message_key?: string;
  context_id?: string;
  /** Where the input is a translation: of what, and what makes two requests the same in it. */
  translated?: { spoken: Spoken; request: JsonObject };
  /** What it comes to already, where nothing is to be done: told, and kept under the key as what was done is. */
  done?: { result: JsonObject; message: string };
  /** Is awaited once nothing stands in the way, before the task is stored; it may be called for a request that then is not stored. */
  beforehand?: () => Promise<unknown>;
  /** Registrations made through the wire's own mechanism. */
  registrations?: RegistrationRequest[];
}
