import type { A2ARequestHandler, ServerCallContext } from '@a2a-js/sdk/server';
import { recordRefusal } from '../platform/security/record-refusal.ts';
import type { SecurityLog } from '../platform/security/security-log.ts';
import { callOf } from './call.ts';

/** Any operation of a handler: its context comes last. */
type Operation = (...given: unknown[]) => unknown;

/** Puts on record what a handler refuses of callers who are known, whatever the operation. */
export function recordedRefusals(handler: A2ARequestHandler, security: SecurityLog): A2ARequestHandler {
  const refused = (given: readonly unknown[]): void => {
    const { caller, failure } = callOf(given.at(-1) as ServerCallContext);
    const { principal_id: subject, organization_id } = caller;
    recordRefusal(security, failure, { subject, organization_id });
  };
  const recorded =
    (operation: Operation): Operation =>
    (...given) => {
      const answer = operation(...given);
      if (answer instanceof Promise)
        return answer.catch((error: unknown) => {
          refused(given);
          throw error;
        });
      return isEvents(answer)
        ? recordedEvents(answer, () => {
            refused(given);
          })
        : answer;
    };
  const operations = Object.entries(handler as unknown as Record<string, Operation>);
  return Object.fromEntries(
    operations.map(([name, operation]) => [name, name === 'getAgentCard' ? operation : recorded(operation)]),
  ) as unknown as A2ARequestHandler;
}

function isEvents(answer: unknown): answer is AsyncIterable<unknown> {
  return typeof answer === 'object' && answer !== null && Symbol.asyncIterator in answer;
}

async function* recordedEvents(events: AsyncIterable<unknown>, refused: () => void): AsyncGenerator<unknown> {
  try {
    yield* events;
  } catch (error) {
    refused();
    throw error;
  }
}
