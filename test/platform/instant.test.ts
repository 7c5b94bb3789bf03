import { expect, it } from 'vitest';
import { Instant } from '../../src/platform/instant.ts';

const YEARS = 'send a date-time in the years 0000 to 9999 of UTC';
const SHAPE = expect.stringContaining('with an offset, such as 2027-01-15T09:00:00Z') as unknown;

it.each([
  ['2027-01-15T09:00:00Z', undefined],
  ['2027-01-15T09:00:00.123456+05:30', undefined],
  ['9999-12-31T23:59:59.999Z', undefined],
  ['9999-12-31T23:59:59-00:01', YEARS],
  ['0000-01-01T00:00:00Z', undefined],
  ['0000-01-01T00:00:00+00:01', YEARS],
  ['2027-01-15T09:00:00', SHAPE],
  ['2027-01-15', SHAPE],
  ['2027-02-30T09:00:00Z', SHAPE],
  [1_800_000_000, SHAPE],
])('of %s as a date-time it says %s', (given, said) => {
  expect(Instant.safeParse(given).error?.issues[0]?.message).toEqual(said);
});
