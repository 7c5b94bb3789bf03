import { expect, it } from 'vitest';
import { exactOnly, totalMatching } from '../../src/dialects/adcp/pagination.ts';

it('[T5.total] a total that stands for more is never told as if it were exact', () => {
  expect([exactOnly(0), exactOnly(999), exactOnly(1_000)]).toEqual([0, 999, undefined]);
  expect(totalMatching(999)).toEqual({ total_matching: 999 });
  expect(totalMatching(1_000)).toEqual({ total_matching: 1_000, total_relation: 'gte' });
});
