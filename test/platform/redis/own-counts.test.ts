import { expect, it } from 'vitest';
import { ownCounts } from '../../../src/platform/redis/own-counts.ts';

const LIMIT = { name: 'tries', points: 2, seconds: 60 };

it('[S2.away] a process that counts for itself takes all or nothing, until the window of the first is over', () => {
  const clock = { nowMs: 0 };
  const counts = ownCounts(() => clock.nowMs);
  expect(counts.take(LIMIT, 'a', 2)).toEqual({ isTaken: true, used: 2, restMs: 60_000 });
  clock.nowMs = 20_000;
  expect(counts.take(LIMIT, 'a', 1)).toEqual({ isTaken: false, used: 2, restMs: 40_000 });
  expect(counts.take(LIMIT, 'b', 3)).toMatchObject({ isTaken: false, used: 0 });
  counts.giveBack(LIMIT, 'a', 1);
  expect(counts.take(LIMIT, 'a', 1)).toMatchObject({ isTaken: true, used: 2 });
  clock.nowMs = 60_000;
  expect(counts.take(LIMIT, 'a', 1)).toEqual({ isTaken: true, used: 1, restMs: 60_000 });
});

it('[S2.away] it remembers so many keys and no more, and forgets those first that began first', () => {
  const counts = ownCounts(() => 0);
  const use = (key: number) => counts.take({ ...LIMIT, points: 1 }, String(key), 1).isTaken;
  for (let key = 0; key <= 50_000; key++) use(key);
  expect([use(50_000), use(1_000), use(0)]).toEqual([false, false, true]);
});
