import { AppError } from '../../../platform/errors.ts';
import { isObject } from '../../../platform/json-object.ts';
import type { JsonObject } from '../../../platform/json-object.ts';
import { isFrom } from '../release.ts';
import type { Release } from '../release.ts';

/** The names of the one clock by which packages run here, in the order of preference. */
export const CLOCKS = ['UTC', 'Etc/UTC'] as const;

/**
 * A targeting as it is asked for, with its hours in our own words, which are of UTC. From 3.2 on hours are of the time zone that they
 * name, and without one of the place where the inventory is, which is not known here.
 * @param at where the targeting stands, such as `packages[0].targeting_overlay`.
 * @throws {AppError} `UNSUPPORTED_FEATURE` for hours by another clock.
 */
export function overlayTaken(overlay: JsonObject, at: string, release: Release): JsonObject {
  return withDayparts(overlay, release, (daypart, i) => {
    const { timezone, ...hours } = daypart;
    if ((CLOCKS as readonly unknown[]).includes(timezone)) return hours;
    const field = `${at}.daypart_targets[${i}].timezone`;
    throw new AppError('UNSUPPORTED_FEATURE', `${field}: ${whyNot(timezone)}`, { field, suggestion: CLOCKS[0] });
  });
}

/** A targeting as it is told: from 3.2 on with the time zone of its hours, without which they would be those of the place. Pure. */
export function overlayTold(overlay: JsonObject, release: Release): JsonObject {
  return withDayparts(overlay, release, (daypart) => ({ ...daypart, timezone: CLOCKS[0] }));
}

function whyNot(timezone: unknown): string {
  return timezone === undefined || timezone === null || timezone === 'inventory_local'
    ? 'the local time of inventory is not known here; send the hours in UTC, and say so'
    : 'packages run by UTC here; send the hours in it';
}

/** What is no list of hours is left to the task, which refuses it. */
function withDayparts(
  overlay: JsonObject,
  release: Release,
  change: (daypart: JsonObject, i: number) => JsonObject,
): JsonObject {
  const { daypart_targets } = overlay;
  if (!isFrom(release, '3.2') || !Array.isArray(daypart_targets)) return overlay;
  const changed = daypart_targets.map((one: unknown, i) => (isObject(one) ? change(one, i) : one));
  return { ...overlay, daypart_targets: changed };
}
