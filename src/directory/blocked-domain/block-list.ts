import { toTimestamp } from '../../platform/clock.ts';
import type { Clock } from '../../platform/clock.ts';
import { allRows } from '../../platform/store/all-rows.ts';
import type { Store } from '../../platform/store/collection.ts';
import { BlockedDomains } from './blocked-domain-row.ts';
import { blockedDomainFinder } from './blocked-domain.ts';
import type { BlockedDomain, FindBlocked } from './blocked-domain.ts';

/** How long a process may not know of a change that it was not told of, in milliseconds. */
const KNOWN_WITHIN_MS = 3_000;

/** What is blocked, as this process knows it (rule R2.rows). */
export interface BlockList {
  /** As of now where changes are told, else at most 3 s behind the store. */
  finder(): Promise<FindBlocked>;
  /** Something was changed: what is known is read anew before it is used again. */
  forget(): void;
}

interface BlockListDeps {
  store: Store;
  clock: Clock;
}

export function createBlockList({ store, clock }: BlockListDeps): BlockList {
  let find = blockedDomainFinder([]);
  let loadedAt = -Infinity;
  let changes = 0;
  let begun = 0;
  /** The number of the last reading that nothing was changed during. */
  let whole = 0;
  let loading: Promise<void> | undefined;

  async function load(): Promise<void> {
    const [askedAt, before, own] = [clock.now(), changes, ++begun];
    const entries: BlockedDomain[] = [];
    const all = allRows(store.collection(BlockedDomains), { where: { state: 'blocked' }, limit: 1_000 });
    for await (const row of all) entries.push(row);
    find = blockedDomainFinder(entries);
    // What was changed while it was read may be in it or not.
    if (before === changes) [loadedAt, whole] = [askedAt, own];
  }

  return {
    async finder() {
      // Who comes while others read may know of a change that they did not see; what was begun later will do, however long it takes.
      const before = begun;
      while (whole <= before && Math.abs(clock.now() - loadedAt) >= KNOWN_WITHIN_MS) {
        await (loading ??= load().finally(() => (loading = undefined)));
      }
      return find;
    },
    forget() {
      changes++;
      loadedAt = -Infinity;
    },
  };
}

/** Puts what the list begins with into the store; what is there already stays as it is. Answers how many are new. */
export async function plantBlocked(
  { store, clock }: BlockListDeps,
  entries: readonly BlockedDomain[],
): Promise<number> {
  const rows = store.collection(BlockedDomains);
  const there = await rows.getField(
    entries.map(({ domain }) => domain),
    'state',
  );
  const missing = entries.filter(({ domain }) => !there.has(domain));
  if (missing.length === 0) return 0;
  const changed_at = toTimestamp(clock.now());
  return rows.insertMany(
    missing.map((entry) => ({
      ...entry,
      ...{ state: 'blocked', changed_at, changed_by: null, unblocked_reason: null, change_id: null, revision: 1 },
    })),
  );
}
