import { describe, expect, it } from 'vitest';
import { judgedBodies } from '../../../../src/platform/store/sqlite/judged-bodies.ts';

describe('what a process wrote itself', () => {
  it('is known by every letter of it, and by its place', () => {
    const judged = judgedBodies();
    judged.note('things', 'a', '{"n":1}');
    expect(judged.has('things', 'a', '{"n":1}')).toBe(true);
    expect(judged.has('things', 'a', '{"n":2}')).toBe(false);
    expect(judged.has('things', 'b', '{"n":1}')).toBe(false);
    expect(judged.has('others', 'a', '{"n":1}')).toBe(false);
    judged.note('things', 'a', '{"n":2}');
    expect(judged.has('things', 'a', '{"n":1}')).toBe(false);
  });

  it('is forgotten from the oldest on when it is too much, and what is large alone is not kept', () => {
    const judged = judgedBodies(80);
    const body = 'x'.repeat(10);
    for (let n = 0; n < 9; n++) judged.note('things', String(n), body);
    expect([0, 1, 8].map((n) => judged.has('things', String(n), body))).toEqual([false, true, true]);
    judged.note('things', '8', 'x'.repeat(11));
    expect(judged.has('things', '8', 'x'.repeat(11))).toBe(false);
    judged.note('things', 'new', body);
    expect(judged.has('things', '1', body)).toBe(true);
  });
});
