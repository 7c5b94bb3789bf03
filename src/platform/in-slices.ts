import { setImmediate as nextTurn } from 'node:timers/promises';

/** The event loop is not kept longer than this by one piece of work, in milliseconds. */
const SLICE_MS = 5;
/** Items between two looks at the clock. */
const LOOK_EVERY = 32;

/** As `items.map(work)`, with a turn of the event loop for others whenever a slice of time is used up. */
export async function mapInSlices<T, U>(items: readonly T[], work: (item: T, index: number) => U): Promise<U[]> {
  const done: U[] = [];
  let began = performance.now();
  for (const [index, item] of items.entries()) {
    done.push(work(item, index));
    if (index % LOOK_EVERY !== LOOK_EVERY - 1 || performance.now() - began < SLICE_MS) continue;
    await nextTurn();
    began = performance.now();
  }
  return done;
}

/** The same where each item may be long by itself: looks at the clock after every one. */
export async function mapLongInSlices<T, U>(items: readonly T[], work: (item: T) => U): Promise<U[]> {
  const done: U[] = [];
  const slices = startSlices();
  for (const item of items) {
    done.push(work(item));
    if (slices.isOver()) await slices.next();
  }
  return done;
}

/** Slices of time, for work that does not fit one call: when one is over, `next` gives others their turn and begins another. */
export function startSlices(): { isOver(): boolean; next(): Promise<void> } {
  let began = performance.now();
  return {
    isOver: () => performance.now() - began >= SLICE_MS,
    async next() {
      await nextTurn();
      began = performance.now();
    },
  };
}
