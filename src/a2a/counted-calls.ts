import type { SendMessageRequest, StreamResponse } from '@a2a-js/sdk';
import type { A2ARequestHandler, ServerCallContext } from '@a2a-js/sdk/server';
import { isObject } from '../platform/json-object.ts';
import type { Counters } from '../platform/metrics/metrics.ts';
import { callOf } from './call.ts';
import { failureOf } from './failure.ts';

/** Counts the messages that a handler takes, each once its outcome is known: a stream's by its first event. */
export function countedCalls(
  handler: A2ARequestHandler,
  counters: Counters,
  skills: ReadonlyMap<string, unknown>,
): A2ARequestHandler {
  function count(request: SendMessageRequest, context: ServerCallContext, outcome: 'ok' | 'error'): void {
    const call = callOf(context);
    const code = outcome === 'ok' ? 'ok' : failureOf(call.failure).body.code.toLowerCase();
    counters.add('a2a_calls_total', { skill: skillOf(request, skills), wire: call.wire, outcome: code });
  }

  return {
    ...handler,
    async sendMessage(request, context) {
      try {
        const answer = await handler.sendMessage(request, context);
        count(request, context, 'ok');
        return answer;
      } catch (error) {
        count(request, context, 'error');
        throw error;
      }
    },
    async *sendMessageStream(request, context): AsyncGenerator<StreamResponse, void, undefined> {
      let isCounted = false;
      try {
        for await (const event of handler.sendMessageStream(request, context)) {
          if (!isCounted) count(request, context, 'ok');
          isCounted = true;
          yield event;
        }
      } catch (error) {
        if (!isCounted) count(request, context, 'error');
        throw error;
      }
    },
  };
}

/** The skill that a message names: one of ours, `unknown`, or `none`. */
function skillOf({ message }: SendMessageRequest, skills: ReadonlyMap<string, unknown>): string {
  for (const { content } of message?.parts ?? []) {
    if (content?.$case !== 'data' || !isObject(content.value)) continue;
    const { skill } = content.value;
    if (typeof skill === 'string') return skills.has(skill) ? skill : 'unknown';
  }
  return 'none';
}
