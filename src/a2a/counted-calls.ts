import type { SendMessageRequest, StreamResponse } from '@a2a-js/sdk';
import type { A2ARequestHandler, ServerCallContext } from '@a2a-js/sdk/server';
import { isObject } from '../platform/json-object.ts';
import type { Counters } from '../platform/metrics/metrics.ts';
import { inServerSpan, openServerSpan } from '../platform/telemetry/spans.ts';
import type { OpenSpan } from '../platform/telemetry/spans.ts';
import { callOf } from './call.ts';
import { failureOf } from './failure.ts';

/**
 * Counts the messages that a handler takes, each once its outcome is known: a stream's by its first event. Each is a span, whichever
 * way it came; so is each wish to cancel.
 */
export function countedCalls(
  handler: A2ARequestHandler,
  counters: Counters,
  skills: ReadonlyMap<string, unknown>,
): A2ARequestHandler {
  function count(request: SendMessageRequest, context: ServerCallContext, outcome: 'ok' | 'error'): void {
    const call = callOf(context);
    const isOk = outcome === 'ok' && call.fault === undefined;
    const code = isOk ? 'ok' : failureOf(call.fault ?? call.failure).body.code.toLowerCase();
    counters.add('a2a_calls_total', { skill: skillOf(request, skills), wire: call.wire, outcome: code });
  }

  function begun(request: SendMessageRequest, context: ServerCallContext, isStream: boolean): OpenSpan {
    return openServerSpan('a2a SendMessage', () => ({
      ...{ ...wireOf(context), 'a2a.is_stream': isStream },
      'a2a.skill': skillOf(request, skills),
    }));
  }

  return {
    ...handler,
    async sendMessage(request, context) {
      const span = begun(request, context, false);
      try {
        const answer = await span.run(() => handler.sendMessage(request, context));
        count(request, context, 'ok');
        return answer;
      } catch (error) {
        count(request, context, 'error');
        span.fail(error);
        throw error;
      } finally {
        span.end();
      }
    },
    async *sendMessageStream(request, context): AsyncGenerator<StreamResponse, void, undefined> {
      let isCounted = false;
      const span = begun(request, context, true);
      const events = handler.sendMessageStream(request, context);
      try {
        for (;;) {
          // What it does, it does while it is asked for the next one.
          const next = await span.run(() => events.next());
          if (next.done === true) return;
          if (!isCounted) count(request, context, 'ok');
          isCounted = true;
          yield next.value;
        }
      } catch (error) {
        if (!isCounted) count(request, context, 'error');
        span.fail(error);
        throw error;
      } finally {
        span.end();
        await events.return(undefined);
      }
    },
    cancelTask: (request, context) =>
      inServerSpan(
        'a2a CancelTask',
        () => wireOf(context),
        async (span) => {
          const task = await handler.cancelTask(request, context);
          // Of the answer: what was asked for may be any text.
          span.note({ task_id: task.id });
          return task;
        },
      ),
  };
}

function wireOf(context: ServerCallContext) {
  const { wire, binding } = callOf(context);
  return { 'rpc.system': 'a2a', 'a2a.wire': wire, 'a2a.binding': binding };
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
