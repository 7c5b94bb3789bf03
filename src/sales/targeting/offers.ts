import type { LineTargeting } from './line-targeting.ts';
import type { OfferedTargeting } from './offered-targeting.ts';

type Axis = keyof LineTargeting;

/** What a buyer may choose from on an axis: a list, all there is, or nothing, since the axis is not offered. */
export function offeredOn(axis: Axis, offered: OfferedTargeting): readonly string[] | 'all' {
  switch (axis) {
    case 'countries':
    case 'devices':
    case 'regions':
    case 'languages':
    case 'audiences':
      return offered[axis];
    case 'dayparts':
      return offered.dayparting ? 'all' : [];
    case 'metros':
    case 'postal':
    case 'topics':
    case 'key_values':
      return [];
  }
}

/** Whether what is offered on an axis holds a value. A language holds its variants: `en` holds `en-GB`, not the reverse. */
export function covers(axis: Axis, offered: readonly string[] | 'all', value: string): boolean {
  if (offered === 'all' || offered.includes(value)) return true;
  return axis === 'languages' && offered.some((one) => value.startsWith(`${one}-`));
}

/** Axes on which the product lists all it reaches: whatever is not listed is excluded already. */
export function isExtent(axis: Axis): axis is 'countries' | 'devices' {
  return axis === 'countries' || axis === 'devices';
}
