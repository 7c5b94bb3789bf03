import { z } from 'zod';
import { toTimestamp } from '../../platform/clock.ts';
import type { Clock } from '../../platform/clock.ts';
import { allRows } from '../../platform/store/all-rows.ts';
import type { Collection, CollectionSpec } from '../../platform/store/collection.ts';

/** A destination that an operator has paused; without a row, it is not. */
export const PausedDestination = z.strictObject({
  /** Scheme, host and port. */
  destination: z.string(),
  paused_at: z.string(),
  paused_by: z.string(),
  reason: z.string(),
  revision: z.int(),
});
export type PausedDestination = z.infer<typeof PausedDestination>;

export const PausedDestinations: CollectionSpec<PausedDestination> = {
  name: 'paused_destinations',
  key: 'destination',
  schema: PausedDestination,
  indexes: [],
};

/** How long a process may not know of a pause, in milliseconds. */
const REFRESH_MS = 5_000;

/** What an operator is shown of a pause; null where it cannot be read. */
export type PauseView = Pick<PausedDestination, 'destination' | 'reason'> &
  Record<'paused_at' | 'paused_by', string | null>;

/** Which destinations are paused, as this process knows it: at most 5 s behind the store. */
export interface Pauses {
  isPaused(destination: string): Promise<boolean>;
  /** Those that cannot be read too: somebody has paused them. */
  list(): Promise<PauseView[]>;
  /** Repeats do nothing. */
  pause(given: { destination: string; by: string; reason: string }): Promise<void>;
  /** Answers whether it was paused. */
  resume(destination: string): Promise<boolean>;
}

export function createPauses({ rows, clock }: { rows: Collection<PausedDestination>; clock: Clock }): Pauses {
  let paused: ReadonlySet<string> = new Set();
  let loadedAt = -Infinity;
  let loading: Promise<void> | undefined;

  async function load(): Promise<void> {
    const found = await list();
    paused = new Set(found.map(({ destination }) => destination));
    loadedAt = clock.now();
  }

  async function list(): Promise<PauseView[]> {
    const found: PauseView[] = [];
    const onSkipped = (keys: readonly string[]) => found.push(...keys.map(unreadable));
    for await (const row of allRows(rows, { where: {}, onSkipped })) found.push(row);
    return found;
  }

  return {
    list,
    async isPaused(destination) {
      if (Math.abs(clock.now() - loadedAt) >= REFRESH_MS) {
        await (loading ??= load().finally(() => (loading = undefined)));
      }
      return paused.has(destination);
    },
    async pause({ destination, by, reason }) {
      const paused_at = toTimestamp(clock.now());
      await rows.insert({ destination, paused_at, paused_by: by, reason, revision: 1 });
      await load();
    },
    async resume(destination) {
      const wasPaused = await rows.delete(destination);
      await load();
      return wasPaused;
    },
  };
}

/** The key of a pause is all that must be known of it. */
function unreadable(destination: string): PauseView {
  const reason = 'the stored pause cannot be read; resume the destination to take it back';
  return { destination, paused_at: null, paused_by: null, reason };
}
