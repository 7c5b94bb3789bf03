import type { AgentCard, SendMessageRequest, Task } from '@a2a-js/sdk';
import { ExtendedAgentCardNotConfiguredError, UnsupportedOperationError } from '@a2a-js/sdk/errors';
import type { A2ARequestHandler, ServerCallContext } from '@a2a-js/sdk/server';
import type { Runtime } from '../runtime/runtime.ts';
import { callOf } from './call.ts';
import type { Call } from './call.ts';
import { checkHistoryLength } from './message-check.ts';
import { isWaiting, takeMessage } from './send-message.ts';
import type { SendDependencies } from './send-message.ts';
import { taskView } from './task-view.ts';

export interface HandlerDependencies extends SendDependencies {
  runtime: Runtime;
  card: () => AgentCard;
  /** How long a send may wait for the task's end, in milliseconds. */
  waitCapMs: number;
}

/** A2A's operations over the runtime, for every transport and wire generation of the SDK. */
export function requestHandler(deps: HandlerDependencies): A2ARequestHandler {
  const { runtime } = deps;
  return {
    getAgentCard: () => Promise.resolve(deps.card()),
    getAuthenticatedExtendedAgentCard: () => Promise.reject(new ExtendedAgentCardNotConfiguredError()),
    sendMessage: answering((request: SendMessageRequest, call) => sendMessage(deps, request, call)),
    getTask: answering(async ({ id, historyLength }, call) => {
      checkHistoryLength(historyLength);
      return taskView(await runtime.read(call.caller, id), { historyLength });
    }),
    cancelTask: answering(async ({ id }, call) => taskView(await runtime.cancel(call.caller, id))),
    sendMessageStream: unsupportedStream,
    resubscribe: unsupportedStream,
    listTasks: unsupported,
    createTaskPushNotificationConfig: unsupported,
    getTaskPushNotificationConfig: unsupported,
    listTaskPushNotificationConfigs: unsupported,
    deleteTaskPushNotificationConfig: unsupported,
  };
}

async function sendMessage(deps: HandlerDependencies, request: SendMessageRequest, call: Call): Promise<Task> {
  const { run, replayed } = await takeMessage(deps, request, call);
  const shown = isWaiting(request, call) ? await deps.runtime.settled(run, deps.waitCapMs, call.signal) : run;
  return taskView(shown, { historyLength: request.configuration?.historyLength, replayed });
}

/** Keeps what was thrown for the edge to show, since the SDK would show the bare text of anything it does not know. */
function answering<Request, Answer>(operation: (request: Request, call: Call) => Promise<Answer>) {
  return async (request: Request, context: ServerCallContext): Promise<Answer> => {
    const call = callOf(context);
    call.entered = true;
    try {
      return await operation(request, call);
    } catch (error) {
      call.failure = error;
      throw error;
    }
  };
}

function unsupported(): Promise<never> {
  return Promise.reject(new UnsupportedOperationError());
}

// eslint-disable-next-line @typescript-eslint/require-await
async function* unsupportedStream(): AsyncGenerator<never, void, undefined> {
  throw new UnsupportedOperationError();
}
