import type { AgentCard, Message, SendMessageRequest, StreamResponse, Task } from '@a2a-js/sdk';
import type { A2ARequestHandler, ServerCallContext } from '@a2a-js/sdk/server';
import { apart } from '../platform/json-text.ts';
import { isAnybody } from '../directory/caller.ts';
import { MissingCredential } from '../directory/credential/credential-refusal.ts';
import { toTimestamp } from '../platform/clock.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/log.ts';
import { callOf } from './call.ts';
import type { A2aCall } from './call.ts';
import type { CredentialWatch } from '../directory/credential/credential-watch.ts';
import { listTasksOverA2a } from './list-tasks.ts';
import { checkedTaskId, checkHistoryLength } from './message-check.ts';
import { partsTaken } from './output-modes.ts';
import { createPushConfig, deletePushConfig, getPushConfig, listPushConfigs } from './push-configs.ts';
import { faultAnswer } from './public-fault.ts';
import { answerPublic, publicMessage } from './public-send.ts';
import { passingView, publicView } from './public-view.ts';
import { sdkError } from './sdk-error.ts';
import { isWaiting, takeMessage } from './send-message.ts';
import type { SendDependencies } from './send-message.ts';
import { shown } from './shown.ts';
import { subscription, taskStream } from './task-stream.ts';
import type { ViewOptions } from './task-view.ts';

export interface HandlerDependencies extends SendDependencies {
  card: () => Promise<AgentCard>;
  /** The card that authenticated callers see. */
  extendedCard: (call: A2aCall) => Promise<AgentCard>;
  /** How long a send may wait for the task's end, in milliseconds. */
  waitCapMs: number;
  /** Answers a message by a message, so that no task begins. */
  converse?: (message: Message) => Message | undefined;
  /** Lets a caller open one more stream. @throws {AppError} `RATE_LIMITED`. */
  openStream: (call: A2aCall) => Promise<{ close(): void }>;
  clock: Clock;
  log: Logger;
  /** Says when the credential of a stream opens nothing any more. */
  watch: CredentialWatch;
}

/** A2A's operations over the runtime, for every transport and wire generation of the SDK. */
export function requestHandler(deps: HandlerDependencies): A2ARequestHandler {
  const { runtime } = deps;
  return {
    getAgentCard: () => deps.card(),
    getAuthenticatedExtendedAgentCard: answering((_request: unknown, call) => deps.extendedCard(call)),
    sendMessage: answering((request: SendMessageRequest, call) => sendMessage(deps, request, call)),
    sendMessageStream: streaming(deps, (request: SendMessageRequest, call) => sendMessageStream(deps, request, call)),
    getTask: answering(async ({ id, historyLength }, call) => {
      checkHistoryLength(historyLength);
      return shown(deps, await runtime.read(call.caller, checkedTaskId(id, 'id')), call, { historyLength });
    }),
    listTasks: answering((request, call) => listTasksOverA2a(deps, request, call)),
    cancelTask: answering(async ({ id }, call) =>
      shown(deps, await runtime.cancel(call.caller, checkedTaskId(id, 'id')), call),
    ),
    resubscribe: streaming(deps, ({ id }: { id: string }, call) => subscription(deps, id, call)),
    createTaskPushNotificationConfig: answering((request, call) => createPushConfig(runtime, request, call)),
    getTaskPushNotificationConfig: answering((request, call) => getPushConfig(runtime, request, call)),
    listTaskPushNotificationConfigs: answering((request, call) => listPushConfigs(runtime, request, call)),
    deleteTaskPushNotificationConfig: answering((request, call) => deletePushConfig(runtime, request, call)),
  };
}

async function sendMessage(
  deps: HandlerDependencies,
  request: SendMessageRequest,
  call: A2aCall,
): Promise<Task | Message> {
  const reply = request.message && deps.converse?.(request.message);
  if (reply !== undefined) return reply;
  const { historyLength, acceptedOutputModes } = request.configuration ?? {};
  const takes = partsTaken(acceptedOutputModes);
  if (isAnybody(call.caller)) return discovered(deps, request, call, { takes });
  const answer = await publicAnswer(deps, request, call, { historyLength, takes });
  if (answer !== undefined) return answer;
  const { run, replayed } = await takeMessage(deps, request, call);
  const waited = isWaiting(request, call) ? await deps.runtime.waitWhileInHand(run, deps.waitCapMs, call.signal) : run;
  return shown(deps, waited, call, { historyLength, replayed, takes });
}

/** The answer to a message in the public dialect; undefined for one in our own. */
async function publicAnswer(
  { dialects, ...deps }: HandlerDependencies,
  request: SendMessageRequest,
  call: A2aCall,
  options: ViewOptions,
): Promise<Task | undefined> {
  if (dialects === undefined) return undefined;
  const message = await publicMessage({ ...deps, dialects }, request, call);
  if (message === undefined) return undefined;
  try {
    return publicView(await answerPublic({ ...deps, dialects }, message, request, call), call.wire, options);
  } catch (error) {
    return faultAnswer({ ...deps, dialects }, message, error, call, options);
  }
}

/** The answer to whoever comes without a credential. @throws {AppError} `UNAUTHORIZED` for what needs one. */
async function discovered(
  { dialects, ids, clock, ...deps }: HandlerDependencies,
  request: SendMessageRequest,
  call: A2aCall,
  options: ViewOptions,
): Promise<Task> {
  const asked = dialects && (await publicMessage({ ...deps, dialects }, request, call));
  if (dialects === undefined || asked === undefined) throw new MissingCredential();
  const { message, ...given } = asked;
  try {
    const answer = await dialects.discover(given);
    const contextId = message.contextId === '' ? ids.newId() : message.contextId;
    const timestamp = toTimestamp(clock.now());
    return passingView(answer, call.wire, { ...options, ids: { id: ids.newId(), contextId }, timestamp });
  } catch (error) {
    return faultAnswer({ ...deps, dialects, ids, clock }, asked, error, call, options);
  }
}

async function* sendMessageStream(
  deps: HandlerDependencies,
  request: SendMessageRequest,
  call: A2aCall,
): AsyncGenerator<StreamResponse, void, undefined> {
  const reply = request.message && deps.converse?.(request.message);
  if (reply !== undefined) {
    yield { payload: { $case: 'message', value: reply } };
    return;
  }
  const { historyLength, acceptedOutputModes } = request.configuration ?? {};
  const takes = partsTaken(acceptedOutputModes);
  if (isAnybody(call.caller)) {
    yield { payload: { $case: 'task', value: await discovered(deps, request, call, { takes }) } };
    return;
  }
  const answer = await publicAnswer(deps, request, call, { historyLength, takes });
  if (answer !== undefined) {
    yield { payload: { $case: 'task', value: answer } };
    return;
  }
  const { run, replayed } = await takeMessage(deps, request, call);
  yield* taskStream(deps, run, call, { historyLength, replayed, takes, untilInterrupted: true });
}

/**
 * Keeps what was thrown for the edge to show, and gives the SDK an error without secrets: it would show the bare text of
 * anything that it does not know.
 */
function answering<Request, Answer>(operation: (request: Request, call: A2aCall) => Promise<Answer>) {
  return async (request: Request, context: ServerCallContext): Promise<Answer> => {
    const call = callOf(context);
    call.entered = true;
    try {
      return asWireHasIt(await operation(request, call), call);
    } catch (error) {
      throw kept(call, error);
    }
  };
}

function streaming<Request>(
  { openStream, watch }: HandlerDependencies,
  operation: (request: Request, call: A2aCall) => AsyncGenerator<StreamResponse, void, undefined>,
) {
  return async function* stream(
    request: Request,
    context: ServerCallContext,
  ): AsyncGenerator<StreamResponse, void, undefined> {
    const call = callOf(context);
    call.entered = true;
    const credential = new AbortController();
    const unwatch = watch.watch(call.caller, (why) => {
      credential.abort(why);
    });
    let slot: { close(): void } | undefined;
    try {
      slot = await openStream(call);
      const signal = AbortSignal.any([call.signal, credential.signal]);
      for await (const response of operation(request, until(signal, call))) yield asWireHasIt(response, call);
      // An end like any other to the SDK; the edge tells why.
      if (credential.signal.aborted) call.failure = credential.signal.reason;
    } catch (error) {
      throw kept(call, error);
    } finally {
      slot?.close();
      unwatch();
    }
  };
}

/** The same call, over when this signal aborts. */
function until(signal: AbortSignal, call: A2aCall): A2aCall {
  return Object.create(call, { signal: { value: signal } }) as A2aCall;
}

/** In protobuf a number is a double and an object has no order: nothing can be told as it was written (rule W19). */
function asWireHasIt<Answer>(answer: Answer, { binding }: A2aCall): Answer {
  return binding === 'GRPC' ? apart(answer).value : answer;
}

function kept(call: A2aCall, error: unknown): Error {
  call.failure = error;
  return sdkError(error);
}
