/** A timer that is later than this, in milliseconds, is so because its process stood still. */
const HELD_UP_MS = 100;

/**
 * Calls `late` once `ms` milliseconds have passed and what has come by then has been read. A process that stood still does not blame
 * others for it: for so long as it was late to look it waits again, once, and no longer than before. Answers how to call it off.
 */
export function afterDeadline(ms: number, late: () => void): () => void {
  let reading: NodeJS.Immediate | undefined;
  const dueAt = performance.now() + ms;
  const read = (): void => {
    reading = setImmediate(late);
  };
  let timer = setTimeout(() => {
    const heldUpMs = performance.now() - dueAt;
    if (heldUpMs > HELD_UP_MS) timer = setTimeout(read, Math.min(heldUpMs, ms));
    else read();
  }, ms);
  return () => {
    clearTimeout(timer);
    clearImmediate(reading);
  };
}
