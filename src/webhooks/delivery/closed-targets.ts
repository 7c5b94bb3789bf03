import type { GateTarget } from '../../platform/redis/target-gate.ts';

/** How long a process takes a target for closed without asking its gate again, in milliseconds. */
const KNOWN_MS = 1_000;

/** Targets remembered at once; of those beyond, the gate is asked each time. */
const MAX_KNOWN = 10_000;

/**
 * Targets that have just refused, as one process knows them: a hundred thousand attempts that wait for a few of them are then
 * put away without a word to Redis. Each has had its wake-up when it is noted here.
 */
export interface ClosedTargets {
  /** It takes nothing for so many milliseconds; it is known here for a second of that at most. */
  note(key: string, target: GateTarget, waitMs: number): void;
  /**
   * Whether it is closed as far as is known here. Whoever leaves an attempt to its wake-up for that says so by `leaves`: it may
   * have opened since, and its wake-up have looked already. So it gets another one when this is forgotten.
   */
  has(key: string, leaves?: 'leaves'): boolean;
  /** It is open, or may be. */
  forget(key: string): void;
}

/** @param wakeAgain has a target looked at again, unless it will be anyway. */
export function createClosedTargets(nowMs: () => number, wakeAgain: (target: GateTarget) => void): ClosedTargets {
  const closed = new Map<string, { target: GateTarget; untilMs: number; isLeft: boolean; timer: NodeJS.Timeout }>();

  function forget(key: string): void {
    const known = closed.get(key);
    if (known === undefined) return;
    closed.delete(key);
    clearTimeout(known.timer);
    if (known.isLeft) wakeAgain(known.target);
  }

  return {
    forget,
    note(key, target, waitMs) {
      if (waitMs <= 0 || closed.has(key) || closed.size >= MAX_KNOWN) return;
      const knownMs = Math.min(waitMs, KNOWN_MS);
      const timer = setTimeout(() => {
        forget(key);
      }, knownMs).unref();
      closed.set(key, { target, untilMs: nowMs() + knownMs, isLeft: false, timer });
    },
    has(key, leaves) {
      const known = closed.get(key);
      if (known !== undefined && known.untilMs <= nowMs()) forget(key);
      const still = closed.get(key);
      if (still !== undefined && leaves === 'leaves') still.isLeft = true;
      return still !== undefined;
    },
  };
}
