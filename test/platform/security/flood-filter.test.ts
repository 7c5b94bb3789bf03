import { describe, expect, it } from 'vitest';
import { createFloodFilter, FLOOD } from '../../../src/platform/security/flood-filter.ts';
import { testClock } from '../../directory/support/installation.ts';

describe('what strangers can have written', () => {
  it('[S5.record] is a few lines a minute of one key, and a bounded number of all', () => {
    const clock = testClock();
    const filter = createFloodFilter(clock);
    const passed = (key: string, times: number) =>
      Array.from({ length: times }, () => filter.passes(key)).filter(Boolean);
    expect(passed('a', 100)).toHaveLength(FLOOD.perKey);
    const others = Array.from({ length: 1000 }, (_, n) => passed(`k${n}`, 2)).flat();
    expect(others).toHaveLength(FLOOD.all - FLOOD.perKey);
    const held = filter.heldBack();
    expect(held).toHaveLength(FLOOD.told + 1);
    expect(held[0]).toEqual({ key: 'a', count: 100 - FLOOD.perKey });
    expect(held.at(-1)?.key).toBeUndefined();
    expect(held.reduce((sum, { count }) => sum + count, 0)).toBe(100 + 2000 - FLOOD.all);
    expect(filter.heldBack()).toEqual([]);
    expect(filter.passes('a')).toBe(false);
    clock.advance(FLOOD.minuteMs);
    expect(passed('a', 100)).toHaveLength(FLOOD.perKey);
  });

  it('[S5.record] takes bounded memory, and nothing that is held back goes uncounted', () => {
    const filter = createFloodFilter(testClock());
    const all = FLOOD.keys + FLOOD.all + 500;
    for (let n = 0; n < all; n += 1) filter.passes(`k${n}`);
    const held = filter.heldBack();
    expect(held.reduce((sum, { count }) => sum + count, 0)).toBe(all - FLOOD.all);
  });
});
