import { expect, it } from 'vitest';
import { instantsOfDays } from '../../src/platform/hours.ts';

it('days are the instants from the first of one to the last of the other, of UTC; what is no day stays as it is', () => {
  const [first, after] = ['2026-02-28T00:00:00.000Z', '2026-03-01T00:00:00.000Z'];
  expect(instantsOfDays({ since: '2026-02-28', until: '2026-02-28' })).toEqual({ gte: first, lt: after });
  expect(instantsOfDays({ since: '2026-02-28' })).toEqual({ gte: first });
  expect(instantsOfDays({ until: '2026-02-28' })).toEqual({ lt: after });
  expect(instantsOfDays({})).toEqual({});
  for (const no of ['soon', '2026-02-30', '2026-2-3', '']) {
    expect(instantsOfDays({ since: no, until: no })).toEqual({ gte: no, lt: no });
  }
});
