import { toTimestamp } from '../../platform/clock.ts';
import type { Clock } from '../../platform/clock.ts';
import { allRows } from '../../platform/store/all-rows.ts';
import type { Store } from '../../platform/store/collection.ts';
import { publisherWatches } from './publisher-watch.ts';

interface RingDeps {
  store: Store;
  clock: Clock;
}

/** A change whose process died is looked for after so long, in milliseconds. */
const HELD_MS = 120_000;

/**
 * Before something about a publisher changes: whatever becomes of this process, those who are to be told are looked at again soon. Costs
 * two look-ups where nobody is.
 */
export async function holdWatches(deps: RingDeps, domain: string): Promise<void> {
  await lookBy(deps, domain, deps.clock.now() + HELD_MS);
}

/** After it: they are looked at now, and those of the publishers that the domain manages. */
export async function ringWatches(deps: RingDeps, domain: string): Promise<void> {
  await lookBy(deps, domain, deps.clock.now());
}

async function lookBy({ store }: RingDeps, domain: string, atMs: number): Promise<void> {
  const rows = store.collection(publisherWatches);
  const look_at = toTimestamp(atMs);
  for (const of of [{ publisher_domain: domain }, { manager_domain: domain }]) {
    const later = allRows(rows, {
      where: { ...of, look_at: { gt: look_at } },
      sort: { field: 'look_at', direction: 'asc' },
    });
    for await (const { registration_id } of later)
      // One that has ended keeps its time: what was about to be sent there must have been made before it is gone.
      await rows.update(registration_id, (row) =>
        row.ended_at === undefined && row.look_at > look_at ? { ...row, look_at } : undefined,
      );
  }
}
