import type { Core } from './compose.ts';

/** How often the queue is asked whether it lost its memory. */
const FLUSH_CHECK_MS = 1_000;
/** How often the store is searched for what is owed and long due. */
const SWEEP_MS = 5_000;
/** Owed for this long without being done, work is taken to have lost its job. */
const OVERDUE_MS = 10_000;

/**
 * Keeps the queues what the store says they should be: rebuilds them at once after a flush, and now and then looks for
 * what fell between a write and its job. Every worker runs one; doing it twice is harmless.
 */
export function startReconciler({ queues, runtime, webhooks, log }: Core): { stop(): Promise<void> } {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let wake: (() => void) | undefined;
  let sweptAt = Date.now();

  async function look(): Promise<void> {
    try {
      const flushed = await queues.wasFlushed();
      if (!flushed && Date.now() - sweptAt < SWEEP_MS) return;
      const overdueMs = flushed ? 0 : OVERDUE_MS;
      const found = (await runtime.reconcile(overdueMs)) + (await webhooks.reconcile(overdueMs));
      sweptAt = Date.now();
      if (found > 0) log.info({ found, flushed }, 'work queued again');
    } catch (error) {
      log.warn({ err: error }, 'reconciling failed; trying again');
    }
  }

  async function loop(): Promise<void> {
    while (!stopped) {
      await look();
      await new Promise<void>((resolve) => {
        wake = resolve;
        timer = setTimeout(resolve, FLUSH_CHECK_MS);
      });
    }
  }

  const running = loop();
  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      wake?.();
      await running;
    },
  };
}
