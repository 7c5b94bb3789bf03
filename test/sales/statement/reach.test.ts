import { describe, expect, it } from 'vitest';
import {
  askFrom,
  completeUntil,
  finalUntil,
  firstHour,
  isDelayed,
  isFinal,
  recordedUntil,
} from '../../../src/sales/statement/reach.ts';
import { buyTerms, hourAt, lineTerms } from './support/open-facts.ts';

describe('how far a statement reaches', () => {
  it('is said for all buys, or for each', () => {
    const all = { complete_until: hourAt(3), final_until: hourAt(1) };
    expect([completeUntil(all, 'mb_1'), finalUntil(all, 'mb_1')]).toEqual([hourAt(3), hourAt(1)]);
    const each = { complete_until: { mb_1: hourAt(3) }, final_until: { mb_2: hourAt(1) } };
    expect([completeUntil(each, 'mb_1'), completeUntil(each, 'mb_2')]).toEqual([hourAt(3), undefined]);
    expect([finalUntil(each, 'mb_1'), finalUntil(each, 'mb_2')]).toEqual([undefined, hourAt(1)]);
    expect(finalUntil({}, 'mb_1')).toBeUndefined();
  });

  it.each([
    [5, 0, 5],
    [5.99, 0, 5],
    [5.5, 30, 5],
    [5.49, 30, 4],
    [5.75, 345, 5],
    [5, -210, 4],
  ])('complete until %d with hours at %d minutes is recorded until %d', (hours, offset, recorded) => {
    expect(recordedUntil(hourAt(hours), offset)).toBe(hourAt(recorded));
  });
});

describe('a buy is asked for', () => {
  const first = hourAt(-10);

  it.each([
    ['from what is not recorded, if nothing is restated', 50, 0, undefined, 50],
    ['from as long ago as hours are restated', 50, 24, undefined, 26],
    ['from its first hour at the earliest', 50, 72, undefined, -10],
    ['not before what is final', 50, 24, 40, 39],
    ['from what is not recorded, if all that is is final', 50, 24, 70, 50],
  ])('%s', (_, recorded, restates, final, from) => {
    const final_until = final === undefined ? undefined : hourAt(final);
    expect(askFrom(hourAt(recorded), restates, { first, final_until })).toBe(hourAt(from));
  });

  it('from the hour in which its first line begins, or in which it was made', () => {
    const lines = [lineTerms({ start: hourAt(5.5) }), lineTerms({ start: hourAt(3.2) })];
    expect(firstHour(buyTerms({ created_at: hourAt(9), lines }))).toBe(hourAt(3));
    expect(firstHour(buyTerms({ created_at: hourAt(1.1), lines }))).toBe(hourAt(1));
  });
});

describe('delivery is final', () => {
  const described = { offset_minutes: 0, restates_hours: 24 };

  it.each([
    ['when its last hour is in and final', 21, 21, true],
    ['when its last hour is in and older than is restated', 45, undefined, true],
    ['not while its last hour may be stated otherwise', 44.9, 20, false],
    ['not before its last hour is in', 20.9, 21, false],
  ])('%s', (_, complete, final, isIt) => {
    const final_until = final === undefined ? null : hourAt(final);
    expect(isFinal({ complete_until: hourAt(complete), final_until }, hourAt(20.4), described)).toBe(isIt);
  });

  it('by the ends of its own hours, and never without a statement', () => {
    const half = { offset_minutes: 30, restates_hours: 0 };
    const at = (hours: number) => ({ complete_until: hourAt(hours), final_until: null });
    expect([20.4, 20.5].map((hours) => isFinal(at(hours), hourAt(20.4), half))).toEqual([false, true]);
    expect([21.4, 21.5].map((hours) => isFinal(at(hours), hourAt(20.6), half))).toEqual([false, true]);
    expect(isFinal({ complete_until: null, final_until: null }, hourAt(20), half)).toBe(false);
  });
});

describe('delivery is late', () => {
  const described = { offset_minutes: 0, delay_minutes: 90 };
  const flight = { start: hourAt(2.5), end: hourAt(20) };

  it.each([
    ['once an hour should be in and is not', 5, 7.5, true],
    ['not before', 5, 7.49, false],
    ['not before the first hour of the flight should be in', 0, 4.49, false],
    ['once the first hour of the flight should be in', 0, 4.5, true],
    ['not when all of the flight is in', 20, 99, false],
    ['while the last hour of the flight is missing', 19, 99, true],
  ])('%s', (_, recorded, now, late) => {
    const stand = { ...flight, recorded_until: hourAt(recorded), now: hourAt(now) };
    expect(isDelayed(stand, described)).toBe(late);
  });

  it('by the ends of its own hours', () => {
    const stand = { ...flight, recorded_until: hourAt(5) };
    expect(isDelayed({ ...stand, now: hourAt(7.9) }, { ...described, offset_minutes: 30 })).toBe(false);
    expect(isDelayed({ ...stand, now: hourAt(8) }, { ...described, offset_minutes: 30 })).toBe(true);
  });
});
