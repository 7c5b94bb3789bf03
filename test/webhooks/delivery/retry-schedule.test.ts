import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HORIZON_MS, nextAttemptMs, RETRY_STEPS_MS } from '../../../src/webhooks/delivery/retry-schedule.ts';

const HOUR = 3_600_000;
const T0 = Date.UTC(2026, 0, 1);

describe('[W7] the schedule', () => {
  it('[W7] has 12 attempts: 0, 5 s, 30 s, 2 min, 8 min, 20 min, 45 min, 1.5 h, 3 h, 5 h, 6 h, 5.5 h after the one before', () => {
    const seconds = [0, 5, 30, 120, 480, 1200, 2700, 5400, 10_800, 18_000, 21_600, 19_800];
    expect(RETRY_STEPS_MS).toEqual(seconds.map((s) => s * 1000));
  });

  it('[W7] spans 22 h 16 min without jitter, then is over', () => {
    const times = walk(() => ({ random: 0 }));
    expect(times).toHaveLength(12);
    expect((times.at(-1) ?? 0) - T0).toBe(22 * HOUR + 15 * 60_000 + 35_000);
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

  it('[W7] plans nothing later than 23 h 55 min after the first attempt, whatever chance and receivers do', () => {
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
          expect(Math.max(...times)).toBeLessThanOrEqual(T0 + HORIZON_MS);
        },
      ),
    );
  });

  it('[W7] keeps its 12th attempt when jitter alone would carry it over the horizon', () => {
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
