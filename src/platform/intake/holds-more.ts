/** Whether a value holds more than so many others; looks no further than that. */
export function holdsMoreThan(most: number, value: unknown): boolean {
  let left = most;
  function isOver(inner: unknown): boolean {
    if (typeof inner !== 'object' || inner === null || ArrayBuffer.isView(inner)) return false;
    const members: unknown[] = Array.isArray(inner) ? inner : Object.values(inner);
    left -= members.length;
    return left < 0 || members.some(isOver);
  }
  return isOver(value);
}
