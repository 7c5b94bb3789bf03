import type { Task } from '@a2a-js/sdk';
import type { ErrorCode } from '../platform/errors.ts';
import { toTimestamp } from '../platform/clock.ts';
import type { Clock, Ids } from '../platform/clock.ts';
import type { Logger } from '../platform/log.ts';
import { shownError } from '../platform/store/shown-error.ts';
import type { Dialects } from '../dialects/dialects.ts';
import type { A2aCall } from './call.ts';
import type { PublicMessage } from './public-send.ts';
import { passingView } from './public-view.ts';
import type { ViewOptions } from './task-view.ts';

/** What A2A refuses in a form of its own, whatever the dialect. */
const OF_THE_WIRE: ReadonlySet<ErrorCode> = new Set(['UNAUTHORIZED', 'RATE_LIMITED']);

/**
 * The answer to a call in the public dialect that could not be answered, for a fault of ours or a store that is away (rule D2.refusals):
 * clients read nothing but answers. No task is kept of it.
 * @throws what was thrown, where the wire has a form of its own for it or nobody waits for the answer any more.
 */
export function faultAnswer(
  { dialects, ids, clock, log }: { dialects: Dialects; ids: Ids; clock: Clock; log: Logger },
  { message: { contextId }, request }: PublicMessage,
  thrown: unknown,
  call: A2aCall,
  options: ViewOptions,
): Task {
  const error = shownError(thrown);
  if (OF_THE_WIRE.has(error.code) || call.signal.aborted) throw thrown;
  if (error.code === 'INTERNAL_ERROR') log.error({ err: thrown }, 'A2A request failed');
  call.fault = thrown;
  return passingView({ outcome: 'failed', text: error.message, body: dialects.refused(error, request) }, call.wire, {
    ...options,
    ids: { id: ids.newId(), contextId: contextId === '' ? ids.newId() : contextId },
    timestamp: toTimestamp(clock.now()),
  });
}
