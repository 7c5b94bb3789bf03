import type { HeldPlace } from '../redis/places-redis.ts';

/** Places of which each process counts its own: takes one of `size`, or answers undefined when all are taken. */
export function placesHere(): (key: string, size: number) => HeldPlace | undefined {
  const taken = new Map<string, number>();
  return (key, size) => {
    const count = taken.get(key) ?? 0;
    if (count >= size) return undefined;
    taken.set(key, count + 1);
    let isHeld = true;
    return {
      letGo() {
        if (!isHeld) return;
        isHeld = false;
        const now = (taken.get(key) ?? 1) - 1;
        if (now === 0) taken.delete(key);
        else taken.set(key, now);
      },
    };
  };
}
