import type { AgentCard, Message, SendMessageRequest, StreamResponse, Task } from '@a2a-js/sdk';
import type { A2ARequestHandler, ServerCallContext } from '@a2a-js/sdk/server';
import { apart } from '../platform/json-text.ts';
import { callOf } from './call.ts';
import type { A2aCall } from './call.ts';
import type { CredentialWatch } from './credential-watch.ts';
import { listTasksOverA2a } from './list-tasks.ts';
import { checkedTaskId, checkHistoryLength } from './message-check.ts';
import { partsTaken } from './output-modes.ts';
import { createPushConfig, deletePushConfig, getPushConfig, listPushConfigs } from './push-configs.ts';
import { sdkError } from './sdk-error.ts';
import { isWaiting, takeMessage } from './send-message.ts';
import type { SendDependencies } from './send-message.ts';
import { subscription, taskStream } from './task-stream.ts';
import { taskView } from './task-view.ts';

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
      return taskView(await runtime.read(call.caller, checkedTaskId(id, 'id')), { historyLength });
    }),
    listTasks: answering((request, call) => listTasksOverA2a(runtime, request, call)),
    cancelTask: answering(async ({ id }, call) => taskView(await runtime.cancel(call.caller, checkedTaskId(id, 'id')))),
    resubscribe: streaming(deps, ({ id }: { id: string }, call) => subscription(runtime, id, call)),
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
  const { run, replayed } = await takeMessage(deps, request, call);
  const shown = isWaiting(request, call) ? await deps.runtime.waitWhileInHand(run, deps.waitCapMs, call.signal) : run;
  return taskView(shown, { historyLength, replayed, takes });
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
  const { run, replayed } = await takeMessage(deps, request, call);
  yield* taskStream(deps.runtime, run, call, { historyLength, replayed, takes, untilInterrupted: true });
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
