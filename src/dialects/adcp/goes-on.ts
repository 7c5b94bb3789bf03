import { AppError, invalidRequest } from '../../platform/errors.ts';
import { canonicalDigest } from '../../platform/crypto/canonical-json.ts';
import type { JsonObject } from '../../platform/json-object.ts';
import { isTaken } from '../../runtime/content.ts';
import type { InboundMessage } from '../../runtime/content.ts';
import type { Submitted } from '../../runtime/insert-run.ts';
import { requestHash } from '../../runtime/request-hash.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import { isInterrupted } from '../../runtime/states.ts';
import type { TaskRun } from '../../runtime/task-run.ts';
import { ownTask } from './own-task.ts';
import type { PublicCall } from './public-call.ts';
import { essenceOf } from './envelope.ts';
import type { Translator } from './translator.ts';

/** A task of ours, and the call that may be about one of its runs. `mutates`: whether a request of it has a key of its own. */
export interface NamingCall extends PublicCall, Pick<Translator, 'task' | 'mutates'> {}

/**
 * The task that a call goes on with: one that it names, of the same public task, that waits for its caller (rule D2.task). The call is
 * the answer then, in whatever else its message says: its request is the one that was made, or empty. An answer that comes again, by
 * its message or its key, is answered with the task as it stands. Undefined: the call begins a task of its own, as whole requests under
 * keys of their own do: clients name the task that their last call has left open in whatever they ask next.
 * @throws {AppError} `INVALID_REQUEST`, field `message.taskId`, for another request than the one that waits: booked anew, it would be
 * booked twice; `message.contextId` for another conversation. `INVALID_STATE`, field `message.taskId`, for words alone to a task that does
 * not wait for them. What reading and resuming the task throws.
 */
export async function goneOnWith(
  runtime: Pick<Runtime, 'read' | 'resume' | 'addRegistration'>,
  { caller, skill, task, mutates, request, message, context_id, names, registrations = [] }: NamingCall,
): Promise<Submitted | undefined> {
  if (names === undefined || message === undefined) return undefined;
  const run = await ownTask(runtime, caller, names);
  if (run === undefined || (run.spoken?.skill ?? run.task_type) !== skill) return undefined;
  const { idempotency_key: key } = request;
  const answer = typeof key === 'string' && key !== run.idempotency_key ? underKey(message, run, key) : message;
  if (isTaken(run.messages, answer)) return { run, replayed: true };
  if (!isInterrupted(run.state)) {
    if (mutates && key === undefined && isEmpty(request)) throw notWaiting(run);
    return undefined;
  }
  if (typeof key === 'string' && key === run.idempotency_key && isRequestAlone(message)) return undefined;
  const asked = requestHash(task, essenceOf(request));
  if (asked !== run.request_hash && asked !== requestHash(task, {})) {
    const how = 'the same parameters, or {}, and the answer as text';
    throw invalidRequest('message.taskId', `this task waits for an answer; send ${how}, or leave it out to begin anew`);
  }
  if (context_id !== undefined && context_id !== run.context_id) {
    throw invalidRequest('message.contextId', 'the task belongs to another context');
  }
  const resumed = await runtime.resume(caller, run.task_id, answer);
  for (const registration of registrations) await runtime.addRegistration(caller, run.task_id, registration);
  return { run: resumed, replayed: false };
}

function isEmpty(request: JsonObject): boolean {
  return Object.keys(essenceOf(request)).every((name) => name === 'context');
}

function notWaiting({ state }: TaskRun): AppError {
  const message = `message.taskId: the task is ${state} and takes no further message; leave it out to begin a new one`;
  return new AppError('INVALID_STATE', message, { field: 'message.taskId' });
}

/** An answer with a key of its own is known by that, however often and in whatever message it is sent. */
function underKey(message: InboundMessage, { task_id }: TaskRun, idempotency_key: string): InboundMessage {
  return { ...message, message_key: canonicalDigest({ task_id, idempotency_key }) };
}

/** Nothing stands beside the request: with the key of the first call it is a repeat of that, and no answer. */
function isRequestAlone({ wire: { parts } }: InboundMessage): boolean {
  return !Array.isArray(parts) || parts.length < 2;
}
