import { setImmediate as nextTurn } from 'node:timers/promises';
import { mapInSlices } from './in-slices.ts';

/** Items that are sorted in one go. */
const RUN = 1024;

/**
 * As `[...items].sort(compare)`, stable too, with turns of the event loop for others in between: for lists of strangers, which may be
 * long.
 */
export async function sortedInSlices<T>(items: readonly T[], compare: (a: T, b: T) => number): Promise<T[]> {
  let runs: T[][] = [];
  for (let i = 0; i < items.length; i += RUN) {
    if (i > 0) await nextTurn();
    runs.push(items.slice(i, i + RUN).sort(compare));
  }
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let i = 0; i < runs.length; i += 2) merged.push(await merge(runs[i] ?? [], runs[i + 1] ?? [], compare));
    runs = merged;
  }
  return runs[0] ?? [];
}

/** Merges two sorted lists; of equals those of the first come first. */
function merge<T>(left: readonly T[], right: readonly T[], compare: (a: T, b: T) => number): Promise<T[]> {
  let [l, r] = [0, 0];
  const places = Array.from({ length: left.length + right.length }, () => undefined);
  return mapInSlices(places, () => {
    const isLeft = r >= right.length || (l < left.length && compare(left[l] as T, right[r] as T) <= 0);
    return (isLeft ? left[l++] : right[r++]) as T;
  });
}
