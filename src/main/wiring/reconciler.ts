import { setTimeout as delay } from 'node:timers/promises';
import type { Counters } from '../../platform/metrics/metrics.ts';
import { createSparingLog } from '../../platform/sparing-log.ts';
import { within } from '../../platform/within.ts';
import type { Core } from './compose.ts';

/** How often the queue is asked whether it lost its memory. */
const FLUSH_CHECK_MS = 1_000;
/** How often the store is searched for what is owed and long due. */
const SWEEP_MS = 5_000;
/** Owed for this long without being done, work is taken to have lost its job. */
const OVERDUE_MS = 10_000;
/** How long a look under way may hold up the stop. */
const STOP_WITHIN_MS = 1_000;

/** What is kept right. */
export interface Reconciled extends Pick<Core, 'log'> {
  metrics: Counters;
  queues: Pick<Core['queues'], 'wasFlushed'>;
  runtime: Pick<Core['runtime'], 'reconcile'>;
  webhooks: Pick<Core['webhooks'], 'reconcile'>;
}

/**
 * Keeps the queues what the store says they should be: rebuilds them at once after a flush, and now and then looks for
 * what fell between a write and its job. Every worker runs one; doing it twice is harmless.
 */
export function startReconciler({ queues, runtime, webhooks, log, metrics }: Reconciled): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  /** The queue has lost its memory and was not rebuilt yet. */
  let owesAll = false;
  let sweptAt = Date.now();
  const sparing = createSparingLog();

  async function look(): Promise<void> {
    if (await queues.wasFlushed()) {
      owesAll = true;
      metrics.add('redis_flushes_total', {});
    }
    if (!owesAll && Date.now() - sweptAt < SWEEP_MS) return;
    const overdueMs = owesAll ? 0 : OVERDUE_MS;
    const found = await both(
      counted('tasks', runtime.reconcile(overdueMs)),
      counted('webhooks', webhooks.reconcile(overdueMs)),
    );
    if (found > 0) log.info({ found, flushed: owesAll }, 'work queued again');
    owesAll = false;
    sweptAt = Date.now();
  }

  async function counted(kind: string, rebuilding: Promise<number>): Promise<number> {
    const found = await rebuilding;
    if (found > 0) metrics.add('reconciler_rebuilt_total', { kind }, found);
    return found;
  }

  async function loop(): Promise<void> {
    while (!signal.aborted) {
      await look().catch((error: unknown) => {
        if (signal.aborted) return;
        sparing(error instanceof Error ? error.message : 'unknown', (repeated) => {
          log.warn({ repeated, err: error }, 'reconciling failed; trying again');
        });
      });
      await delay(FLUSH_CHECK_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  const running = loop();
  return {
    async stop() {
      stopping.abort();
      await within(STOP_WITHIN_MS, running, () => undefined);
    },
  };
}

/** The sum of both, once both have ended, so that trouble with one never keeps the other from being looked after. */
async function both(one: Promise<number>, other: Promise<number>): Promise<number> {
  const outcomes = await Promise.allSettled([one, other]);
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  return (await one) + (await other);
}
