import { AppError } from '../../platform/errors.ts';
import type { OutboundResult } from '../../platform/outbound/outbound-result.ts';
import type { Admission, AdmissionDependencies } from './admission.ts';
import { attemptThroughGate } from './attempt-through-gate.ts';
import type { AttemptDependencies, AttemptResult } from './attempt.ts';
import type { Delivery } from './delivery.ts';
import { gateTargetOf } from './gate-target.ts';

/** One attempt, and the receiver's answer to it. */
export interface SentOnce {
  made: AttemptResult;
  result: OutboundResult;
}

/**
 * Sends a delivery that is not stored, once, as any other is sent, and through the same gate: nobody can aim the agent at a stranger
 * (rule W18). Where the breaker is open it is the one that tries the receiver.
 * @throws {AppError} `INVALID_STATE` while the seller has paused the destination, `RATE_LIMITED` while not even a probe goes there,
 * with when one does.
 */
export async function sendOnce(deps: AdmissionDependencies & AttemptDependencies, row: Delivery): Promise<SentOnce> {
  const seen: OutboundResult[] = [];
  const outbound: AttemptDependencies['outbound'] = {
    send: async (request) => {
      const result = await deps.outbound.send(request);
      seen.push(result);
      return result;
    },
  };
  const passed = await attemptThroughGate<never>({ ...deps, outbound }, gateTargetOf(row), {
    isProbe: true,
    next: () => Promise.resolve({ row }),
    signal: new AbortController().signal,
  });
  if ('refused' in passed) throw notNow(passed.refused);
  const [result] = seen;
  if (!('made' in passed) || result === undefined) throw new Error('nothing was sent');
  return { made: passed.made, result };
}

function notNow({ reason, waitMs }: Extract<Admission, { allowed: false }>): AppError {
  if (reason === 'paused')
    return new AppError('INVALID_STATE', 'url: the seller sends nothing there for now; ask them why', { field: 'url' });
  // Those refused at one moment are given times a little apart.
  const retry_after = Math.max(1, Math.ceil((waitMs - 100) / 1000));
  return new AppError(
    'RATE_LIMITED',
    `url: this receiver is spared for now, since it asked for a pause, is being tried, or has never taken a webhook; try again in ${retry_after} s`,
    { field: 'url', retry_after },
  );
}
