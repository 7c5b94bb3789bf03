/**
 * Calls `late` once `ms` milliseconds have passed and what has come by then has been read: a process that stood still does not
 * blame others for it. Answers how to call it off.
 */
export function afterDeadline(ms: number, late: () => void): () => void {
  let reading: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => {
    reading = setImmediate(late);
  }, ms);
  return () => {
    clearTimeout(timer);
    clearImmediate(reading);
  };
}
