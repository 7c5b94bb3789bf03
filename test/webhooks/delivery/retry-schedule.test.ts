import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  HORIZON_MS,
  isWithinHorizon,
  nextAttemptMs,
  RETRY_STEPS_MS,
} from '../../../src/webhooks/delivery/retry-schedule.ts';

const HOUR = 3_600_000;
const T0 = Date.UTC(2026, 0, 1);
const LAST = 23.75 * HOUR;

describe('[W7] the schedule', () => {
  it('[W7] has 12 attempts: 0, 5 s, 30 s, 2 min, 8 min, 20 min, 45 min, 1.5 h, 3 h, 5 h, 6 h after the one before, and a last', () => {
    const seconds = [0, 5, 30, 120, 480, 1200, 2700, 5400, 10_800, 18_000, 21_600];
    expect(RETRY_STEPS_MS.slice(0, -1)).toEqual(seconds.map((s) => s * 1000));
    expect(RETRY_STEPS_MS).toHaveLength(12);
  });

  it('[W7] spans 23 h 45 min without jitter, then is over', () => {
    const times = walk(() => ({ random: 0 }));
    expect(times).toHaveLength(12);
    expect((times.at(-1) ?? 0) - T0).toBe(LAST);
  });

  it('[W7] plans the last by the first, and by chance up to 10 % of that wait earlier', () => {
    const tried = { attempts: 11, firstMs: T0, nowMs: T0 + 18 * HOUR };
    expect(nextAttemptMs({ ...tried, random: 0 })).toBe(T0 + LAST);
    expect(nextAttemptMs({ ...tried, random: 0.5 })).toBe(T0 + LAST - 0.05 * (LAST - 18 * HOUR));
    expect(nextAttemptMs({ ...tried, retryAfterMs: 6 * HOUR, random: 0 })).toBeUndefined();
  });

  it('[W7] goes on from what an earlier release, whose last attempt came 22 h 16 min after the first, has planned', () => {
    const nowMs = T0 + 22 * HOUR + 16 * 60_000;
    expect(nextAttemptMs({ attempts: 11, firstMs: T0, nowMs, random: 0 })).toBe(T0 + LAST);
    expect(nextAttemptMs({ attempts: 12, firstMs: T0, nowMs, random: 0 })).toBeUndefined();
  });

  it('[W7] lets no attempt under one key begin that could reach beyond 24 hours', () => {
    expect(HORIZON_MS).toBe(24 * HOUR);
    expect(isWithinHorizon(T0, T0 + 24 * HOUR - 15_000)).toBe(true);
    expect(isWithinHorizon(T0, T0 + 24 * HOUR - 14_999)).toBe(false);
  });

  it('[W7] adds up to 10 % jitter to a step', () => {
    const tried = { attempts: 3, firstMs: T0, nowMs: T0 };
    expect(nextAttemptMs({ ...tried, random: 0 })).toBe(T0 + 120_000);
    expect(nextAttemptMs({ ...tried, random: 0.5 })).toBe(T0 + 126_000);
    expect(nextAttemptMs({ ...tried, random: 0.999_999 })).toBeLessThanOrEqual(T0 + 132_000);
  });

  it.each([
    ['shorter than the step changes nothing', 60_000, 120_000],
    ['longer than the step is honoured', 200_000, 200_000],
    ['is honoured up to twice the step', 240_000, 240_000],
    ['beyond twice the step is cut to twice', 86_400_000, 240_000],
  ])('[W7] Retry-After %s', (_what, asked, wait) => {
    expect(nextAttemptMs({ attempts: 3, firstMs: T0, nowMs: T0, retryAfterMs: asked, random: 0 })).toBe(T0 + wait);
  });

  it('[W7] plans nothing later than 23 h 45 min after the first attempt, whatever chance and receivers do', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            random: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
            retryAfterMs: fc.option(fc.integer({ min: 0, max: 2 * 86_400_000 }), { nil: undefined }),
            tookMs: fc.integer({ min: 0, max: 15_000 }),
          }),
          { minLength: 12, maxLength: 12 },
        ),
        (chances) => {
          const times = walk((n) => chances[n] ?? { random: 0 });
          expect(times.length).toBeLessThanOrEqual(12);
          expect(Math.max(...times)).toBeLessThanOrEqual(T0 + LAST);
        },
      ),
    );
  });

  it('[W7] keeps its 12th attempt whatever chance adds to the steps before', () => {
    expect(walk(() => ({ random: 0.999_999, tookMs: 15_000 }))).toHaveLength(12);
  });
});

interface Chance {
  random: number;
  retryAfterMs?: number | undefined;
  tookMs?: number;
}

/** When each attempt begins, if all fail. */
function walk(chance: (attempts: number) => Chance): number[] {
  const times = [T0];
  for (;;) {
    const { tookMs = 0, ...given } = chance(times.length - 1);
    const next = nextAttemptMs({ attempts: times.length, firstMs: T0, nowMs: (times.at(-1) ?? T0) + tookMs, ...given });
    if (next === undefined) return times;
    times.push(next);
  }
}
