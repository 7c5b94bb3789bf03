import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { toTimestamp } from '../clock.ts';
import type { Clock } from '../clock.ts';
import type { Collection, CollectionSpec } from './collection.ts';

/** What one process at a time may do, and who may now. */
export const Lease = z.object({
  /** What it is for. */
  name: z.string(),
  holder: z.string(),
  /** Until then, unless it is renewed. */
  held_until: z.string(),
  revision: z.int(),
});
export type Lease = z.infer<typeof Lease>;

export const LeaseRows: CollectionSpec<Lease> = { name: 'leases', key: 'name', schema: Lease, indexes: [] };

/** How long a holder that is heard of no more keeps others out, in milliseconds. */
const LEASE_MS = 15_000;
const RENEW_EVERY_MS = LEASE_MS / 3;
/** How often one who waits looks. */
const LOOK_EVERY_MS = 100;

export interface Leases {
  /**
   * Does `work` while no other process does work of this name; waits until it may. A process that is killed lets go after
   * {@link LEASE_MS}. One that was held up for longer may find another at work beside it: its signal aborts, and the work
   * must be safe to be done by two.
   * @param stop Ends the wait, and aborts the work.
   * @throws the reason of `stop`.
   */
  hold<T>(name: string, work: (signal: AbortSignal) => Promise<T>, stop?: AbortSignal): Promise<T>;
}

export function createLeases(rows: () => Collection<Lease>, clock: Clock): Leases {
  const until = () => toTimestamp(clock.now() + LEASE_MS);

  async function take(name: string, holder: string): Promise<boolean> {
    if ((await rows().insert({ name, holder, held_until: until(), revision: 1 })).inserted) return true;
    const now = toTimestamp(clock.now());
    const latest = toTimestamp(clock.now() + 2 * LEASE_MS);
    const outcome = await rows().update(name, (row) =>
      // One held for far longer than a lease lasts was taken before the clock was set back; clocks differ a little.
      row.held_until > now && row.held_until <= latest ? undefined : { ...row, holder, held_until: until() },
    );
    return outcome?.changed ?? false;
  }

  async function renew(name: string, holder: string): Promise<boolean> {
    const outcome = await rows().update(name, (row) =>
      row.holder === holder ? { ...row, held_until: until() } : undefined,
    );
    return outcome?.changed ?? false;
  }

  async function release(name: string, holder: string): Promise<void> {
    const row = await rows().get(name);
    if (row?.holder === holder) await rows().delete(name, row.revision);
  }

  return {
    async hold(name, work, stop) {
      const holder = randomUUID();
      stop?.throwIfAborted();
      while (!(await take(name, holder))) {
        await delay(LOOK_EVERY_MS, undefined, stop && { signal: stop }).catch(() => undefined);
        stop?.throwIfAborted();
      }
      const lost = new AbortController();
      const renewing = setInterval(() => {
        renew(name, holder).then(
          (isOurs) => {
            if (!isOurs) lost.abort(new Error(`the lease ${name} was lost`));
          },
          () => undefined, // the store is away, for others too
        );
      }, RENEW_EVERY_MS);
      try {
        return await work(stop === undefined ? lost.signal : AbortSignal.any([lost.signal, stop]));
      } finally {
        clearInterval(renewing);
        await release(name, holder);
      }
    },
  };
}
