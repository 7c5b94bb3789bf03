import type { Collection, Row } from '../../platform/store/collection.ts';

/** A row that is found by what it says. */
export interface Indexed {
  /** Null or absent: it is not yet found by what it says now (`keep-searchable.ts`). */
  indexed_as?: string | null | undefined;
}

/** For a collection's changes: who changes what a row is found by, as `said` has it, owes that it is found so. */
export function owingIndex<R extends Indexed>(said: (row: R) => readonly unknown[]): (before: R, after: R) => R {
  return (before, after) => {
    if (after.indexed_as == null || before.indexed_as == null) return after;
    return JSON.stringify(said(before)) === JSON.stringify(said(after)) ? after : { ...after, indexed_as: null };
  };
}

/** The same of a row by its key, whatever has changed. Costs a read where it is owed already. */
export async function oweIndex<R extends Row & Indexed>(rows: Collection<R>, key: string): Promise<void> {
  await rows.update(key, (row) => (row.indexed_as == null ? undefined : { ...row, indexed_as: null }));
}
