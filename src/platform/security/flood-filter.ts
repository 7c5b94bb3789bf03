import type { Clock } from '../clock.ts';

/** What of a minute was not written. */
export interface HeldBack {
  /** As it was given to {@link FloodFilter.passes}; undefined: of many keys together. */
  key: string | undefined;
  count: number;
}

/** Lets the first few lines of a key through in each minute, and counts the rest. */
export interface FloodFilter {
  /** Whether a line of this key may be written now. */
  passes(key: string): boolean;
  /** What was held back since it was last asked, most first: the {@link FLOOD.told} keys with most, and the rest together. */
  heldBack(): HeldBack[];
}

/** Of one process, in a minute: `perKey` lines of one key, `all` of all keys together; `keys` are told apart. */
export const FLOOD = { perKey: 5, all: 120, keys: 10_000, told: 20, minuteMs: 60_000 } as const;

/** Bounds what strangers can have written, and the memory it takes: at most 10,000 keys, forgotten each minute. */
export function createFloodFilter({ now }: Clock): FloodFilter {
  const written = new Map<string, number>();
  const held = new Map<string, number>();
  let heldOfOthers = 0;
  let all = 0;
  let until = -Infinity;

  function hold(key: string): void {
    if (held.has(key) || held.size < FLOOD.keys) held.set(key, (held.get(key) ?? 0) + 1);
    else heldOfOthers += 1;
  }

  return {
    passes(key) {
      const at = now();
      if (at >= until || at < until - FLOOD.minuteMs) {
        until = at + FLOOD.minuteMs;
        written.clear();
        all = 0;
      }
      const before = written.get(key) ?? 0;
      if (before >= FLOOD.perKey || all >= FLOOD.all) {
        hold(key);
        return false;
      }
      written.set(key, before + 1);
      all += 1;
      return true;
    },
    heldBack() {
      const most = [...held].sort(([, a], [, b]) => b - a);
      const rest = most.slice(FLOOD.told).reduce((sum, [, count]) => sum + count, heldOfOthers);
      held.clear();
      heldOfOthers = 0;
      const told: HeldBack[] = most.slice(0, FLOOD.told).map(([key, count]) => ({ key, count }));
      return rest === 0 ? told : [...told, { key: undefined, count: rest }];
    },
  };
}
