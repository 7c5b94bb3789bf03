import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { sparingRing } from '../../src/platform/sparing-ring.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('[O1.live] rings at once, then once a second for each topic, and loses no ring', () => {
  const rung: string[] = [];
  const ring = sparingRing((topic, note) => rung.push(`${topic} ${note}`), 1_000);
  const since = () => rung.splice(0);
  for (const note of ['1', '2', '2']) ring('a', note);
  ring('b', '7');
  expect(since()).toEqual(['a 1', 'b 7']);
  vi.advanceTimersByTime(999);
  expect(since()).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(since()).toEqual(['a 2']);
  for (const note of ['3', '4']) ring('a', note);
  vi.advanceTimersByTime(1_000);
  expect(since()).toEqual(['a ']);
  vi.advanceTimersByTime(5_000);
  expect(since()).toEqual([]);
  ring('a', '5');
  expect(since()).toEqual(['a 5']);
});
