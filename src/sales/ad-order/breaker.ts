import { z } from 'zod';
import { fromTimestamp, toTimestamp } from '../../platform/clock.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Collection, CollectionSpec } from '../../platform/store/collection.ts';
import type { Logger } from '../../platform/log.ts';
import { Unreachable } from '../ad-server/faults.ts';

/** So many unreachable answers in a row open the breaker. */
export const OPENS_AFTER = 5;
/** How often an ad server that cannot be reached is probed. */
export const PROBE_EVERY_MS = 15_000;

const Timestamp = z.iso.datetime({ precision: 3 });

/** Whether an ad server can be reached, as all processes know it. */
export const AdServerHealth = z.object({
  ad_server_id: z.string(),
  /** `open`: only probes are sent. */
  state: z.enum(['closed', 'open']),
  /** Since when. */
  since: Timestamp,
  /** Unreachable answers in a row. */
  failures: z.int().min(0),
  /** When to probe next; null while it is closed. */
  probe_due_at: Timestamp.nullable(),
  /** In words; null once it answers again. */
  last_fault: z.string().nullable(),
  revision: z.int(),
});
export type AdServerHealth = z.infer<typeof AdServerHealth>;

export const AdServerHealths: CollectionSpec<AdServerHealth> = {
  name: 'ad_servers',
  key: 'ad_server_id',
  schema: AdServerHealth,
  indexes: [],
};

export interface BreakerDependencies {
  health: Collection<AdServerHealth>;
  clock: Clock;
  log: Logger;
  ad_server_id: string;
  /** The cheapest question there is. */
  probe: () => Promise<unknown>;
  /**
   * Makes everything that waits due, before anybody may tell it: the ad server answers again. May be called twice; what comes in
   * between is due by itself soon.
   */
  onClosing: () => Promise<void>;
}

/** Keeps an ad server that cannot be reached from being asked anything but whether it is back. One for all processes. */
export interface Breaker {
  isOpen(): Promise<boolean>;
  /** An answer came. */
  answered(): Promise<void>;
  /** A call failed; only {@link Unreachable} counts. */
  failed(fault: unknown): Promise<void>;
  /** Probes an ad server that is due for it. Answers whether it did. */
  probeDue(): Promise<boolean>;
  /** For the operator; undefined while nothing has ever failed. */
  read(): Promise<AdServerHealth | undefined>;
}

export function createBreaker(deps: BreakerDependencies): Breaker {
  const { health, clock, log, ad_server_id, probe, onClosing } = deps;
  /** This process has counted failures that an answer must take back. */
  let owesAnswer = true;

  async function count(fault: Unreachable): Promise<void> {
    const at = toTimestamp(clock.now());
    const probe_due_at = toTimestamp(clock.now() + PROBE_EVERY_MS);
    const first = { ad_server_id, state: 'closed', since: at, failures: 1, probe_due_at: null, revision: 1 } as const;
    owesAnswer = true;
    for (;;) {
      const outcome = await health.update(ad_server_id, (row) => {
        const failures = row.failures + 1;
        const last_fault = fault.message;
        if (row.state === 'open') return { ...row, failures, last_fault, probe_due_at };
        if (failures < OPENS_AFTER) return { ...row, failures, last_fault };
        return { ...row, state: 'open', since: at, failures, last_fault, probe_due_at };
      });
      if (outcome !== undefined) {
        const { state, failures } = outcome.row;
        if (state === 'open' && failures === OPENS_AFTER)
          log.error({ ad_server_id, err: fault }, 'the ad server cannot be reached; it is only probed');
        return;
      }
      if ((await health.insert({ ...first, last_fault: fault.message })).inserted) return;
    }
  }

  async function answered(): Promise<void> {
    if (!owesAnswer) return;
    // In this order: a process that dies between the two leaves it to the next probe.
    const isOpen = (await health.get(ad_server_id))?.state === 'open';
    if (isOpen) await onClosing();
    await health.update(ad_server_id, (row) => {
      if (row.state === 'closed' && row.failures === 0) return undefined;
      const since = row.state === 'open' ? toTimestamp(clock.now()) : row.since;
      return { ...row, state: 'closed', since, failures: 0, probe_due_at: null, last_fault: null };
    });
    if (isOpen) log.info({ ad_server_id }, 'the ad server answers again');
    owesAnswer = false;
  }

  return {
    isOpen: async () => (await health.get(ad_server_id))?.state === 'open',
    answered,
    async failed(fault) {
      if (fault instanceof Unreachable) await count(fault);
    },
    async probeDue() {
      const nowMs = clock.now();
      const claimed = await health.update(ad_server_id, (row) => {
        const isDue = row.probe_due_at !== null && fromTimestamp(row.probe_due_at) <= nowMs;
        return isDue ? { ...row, probe_due_at: toTimestamp(nowMs + PROBE_EVERY_MS) } : undefined;
      });
      if (claimed?.changed !== true) return false;
      owesAnswer = true;
      try {
        await probe();
      } catch (error) {
        await health.update(ad_server_id, (row) =>
          error instanceof Error ? { ...row, last_fault: error.message } : undefined,
        );
        return true;
      }
      await answered();
      return true;
    },
    read: () => health.get(ad_server_id),
  };
}
