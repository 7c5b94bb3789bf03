import { fromTimestamp } from '../../platform/clock.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Counters } from '../../platform/metrics/metrics.ts';
import type { Attempt, Delivery } from './delivery.ts';

export interface CountAttemptDependencies {
  counters: Counters;
  clock: Clock;
}

/** Counts an attempt, and the end of its delivery where `stored` says that this was the last. */
export function countAttempt(
  { counters, clock }: CountAttemptDependencies,
  { mode }: Pick<Delivery, 'mode'>,
  { status, timings }: Attempt,
  stored: Delivery | undefined,
): void {
  counters.add('webhook_attempts_total', { mode, outcome: status });
  if (timings !== undefined) {
    const { dns_ms, connect_ms, tls_ms, first_byte_ms } = timings;
    for (const [phase, ms] of Object.entries({ dns: dns_ms, connect: connect_ms, tls: tls_ms, answer: first_byte_ms }))
      // A phase that was not needed took no time, and would hide how long it takes where it is.
      if (ms > 0) counters.observe('webhook_phase_seconds', { phase }, ms / 1000);
  }
  if (stored === undefined || stored.state === 'pending') return;
  counters.add('webhook_deliveries_total', { state: stored.state });
  if (stored.state !== 'delivered') return;
  counters.observe('webhook_event_to_delivered_seconds', {}, (clock.now() - fromTimestamp(stored.created_at)) / 1000);
}
