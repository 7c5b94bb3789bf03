import type { Description } from '../ad-server/description.ts';
import { capOf } from './frequency-cap.ts';
import { namedIn } from './named-values.ts';
import type { NamedValues } from './named-values.ts';
import { covers } from './offers.ts';
import type { TargetingProblem } from './problem.ts';
import type { TargetingOverlay } from './targeting-overlay.ts';

/** What of an ad server's description a targeting needs. */
export type AdServerAbilities = Pick<Description, 'targeting' | 'cap_units'>;

/** Axes on which a list of the ad server's names systems or forms of its own, not values that could be looked for. */
const OWN_NAMES: ReadonlySet<NamedValues['axis']> = new Set(['metros', 'postal', 'dayparts', 'key_values']);

/**
 * What an overlay asks for and the ad server cannot do, though the product offers it: `UNSUPPORTED_FEATURE` at its path (rule
 * B14.ad-server). `at`: the overlay's place in the request. Pure.
 */
export function inabilities(
  overlay: TargetingOverlay,
  { targeting, cap_units }: AdServerAbilities,
  at: readonly PropertyKey[],
): TargetingProblem[] {
  const unsupported = (field: readonly PropertyKey[], message: string): TargetingProblem => {
    return { code: 'UNSUPPORTED_FEATURE', path: [...at, ...field], message };
  };
  const problems = namedIn(overlay).flatMap(({ axis, field, values }) => {
    const able = targeting[axis];
    if (able === true) return [];
    if (able === undefined || able.length === 0)
      return [unsupported(field, `the ad server cannot aim by ${field.join('.')}; leave it out`)];
    const missing = OWN_NAMES.has(axis) ? [] : values.filter((value) => !covers(axis, able, value));
    if (missing.length === 0) return [];
    return [unsupported(field, `the ad server cannot aim at ${missing.join(', ')}; leave it out`)];
  });
  const cap = overlay.frequency_cap && capOf(overlay.frequency_cap);
  if (cap === undefined || cap_units.includes(cap.unit)) return problems;
  const instead = cap_units.length === 0 ? 'leave it out' : `it counts by ${cap_units.join(', ')}`;
  return [...problems, unsupported(['frequency_cap'], `the ad server keeps no cap by the ${cap.unit}; ${instead}`)];
}
