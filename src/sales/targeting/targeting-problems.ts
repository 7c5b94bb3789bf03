import { fieldPath } from '../../platform/field-path.ts';
import { nearest } from '../../platform/nearest-name.ts';
import { inabilities } from './ad-server-abilities.ts';
import type { AdServerAbilities } from './ad-server-abilities.ts';
import { capProblems } from './frequency-cap.ts';
import { namedIn } from './named-values.ts';
import type { NamedValues } from './named-values.ts';
import type { OfferedTargeting } from './offered-targeting.ts';
import { covers, isExtent, offeredOn } from './offers.ts';
import type { TargetingProblem } from './problem.ts';
import { AXES_NOT_SOLD } from './targeting-overlay.ts';
import type { TargetingOverlay } from './targeting-overlay.ts';
import { toldTargeting } from './told-targeting.ts';

/** Of long lists, this many values are written out. */
const MAX_SHOWN = 10;

/** What a targeting is checked against. */
export interface TargetingChecks {
  product_id: string;
  offered: OfferedTargeting;
  /** What the ad server can do; absent where it is not known, or was asked before. */
  adServer?: AdServerAbilities | undefined;
}

/**
 * Checks what an overlay asks for against what the product offers and the ad server can do (rules B14, B14.ad-server):
 * `UNSUPPORTED_FEATURE` for an axis or a value outside of it, `INVALID_REQUEST` for what contradicts itself. `at` is the overlay's place in the request, such as
 * `['packages', 0, 'targeting_overlay']`. Pure; finds every problem.
 */
export function targetingProblems(
  overlay: TargetingOverlay,
  { product_id, offered, adServer }: TargetingChecks,
  at: readonly PropertyKey[],
): TargetingProblem[] {
  const named = namedIn(overlay);
  const problems = [
    ...notSold(overlay, product_id, at),
    ...named.flatMap((one, i) => [
      ...spelledTwice(one, named.slice(0, i), at),
      ...outside(one, product_id, offered, at),
    ]),
    ...capNotKept(overlay, product_id, offered, at),
  ];
  const known = new Set(problems.map(({ path }) => fieldPath(path)));
  const beyond = adServer === undefined ? [] : inabilities(overlay, adServer, at);
  problems.push(...beyond.filter(({ path }) => !known.has(fieldPath(path))));
  return problems.length > 0 ? problems : contradictions(overlay, offered, named, at);
}

function notSold(overlay: TargetingOverlay, product_id: string, at: readonly PropertyKey[]): TargetingProblem[] {
  return AXES_NOT_SOLD.filter((axis) => overlay[axis] !== undefined).map((axis) => ({
    code: 'UNSUPPORTED_FEATURE',
    path: [...at, axis],
    message: `product ${product_id} cannot be targeted by ${axis}; leave it out`,
  }));
}

function spelledTwice(
  { axis, side, field }: NamedValues,
  earlier: readonly NamedValues[],
  at: readonly PropertyKey[],
): TargetingProblem[] {
  const twin = earlier.find((one) => one.axis === axis && one.side === side);
  if (twin === undefined) return [];
  const message = `is another name of ${twin.field.join('.')}; send one of the two`;
  return [{ code: 'INVALID_REQUEST', path: [...at, ...field], message }];
}

function outside(
  { axis, side, field, values }: NamedValues,
  product_id: string,
  offered: OfferedTargeting,
  at: readonly PropertyKey[],
): TargetingProblem[] {
  // What the product never reaches is excluded as it is.
  if (side === 'none' && isExtent(axis)) return [];
  const available = offeredOn(axis, offered);
  const path = [...at, ...field];
  if (available.length === 0) {
    const message = `product ${product_id} cannot be targeted by ${field.join('.')}; leave it out`;
    return [{ code: 'UNSUPPORTED_FEATURE', path, message }];
  }
  const missing = values.filter((value) => !covers(axis, available, value));
  if (available === 'all' || missing.length === 0) return [];
  const near = missing.length === 1 ? nearest(missing[0] ?? '', available) : undefined;
  const message = `product ${product_id} does not offer ${shown(missing)}; it offers ${shown(available)}`;
  return [{ code: 'UNSUPPORTED_FEATURE', path, message, suggestion: near ?? `one or more of ${shown(available)}` }];
}

function capNotKept(
  { frequency_cap }: TargetingOverlay,
  product_id: string,
  offered: OfferedTargeting,
  at: readonly PropertyKey[],
): TargetingProblem[] {
  if (frequency_cap === undefined) return [];
  const path = [...at, 'frequency_cap'];
  if (offered.frequency_cap) return capProblems(frequency_cap, path);
  const message = `product ${product_id} cannot cap the frequency; leave it out`;
  return [{ code: 'UNSUPPORTED_FEATURE', path, message }];
}

/** What leaves nobody to reach, though every value is offered. */
function contradictions(
  overlay: TargetingOverlay,
  offered: OfferedTargeting,
  named: readonly NamedValues[],
  at: readonly PropertyKey[],
): TargetingProblem[] {
  const told = toldTargeting(overlay, offered);
  const problems = named.flatMap(({ axis, side, field }): TargetingProblem[] => {
    if (side === 'any' || told[axis]?.any?.length !== 0) return [];
    return [{ code: 'INVALID_REQUEST', path: [...at, ...field], message: 'excludes all that the package could reach' }];
  });
  const countries = told.countries?.any ?? [];
  for (const { axis, side, field, values } of named) {
    if (axis !== 'regions' || side === 'none') continue;
    const elsewhere = values.filter((region) => !countries.includes(region.slice(0, 2)));
    if (elsewhere.length === 0) continue;
    const message = `${shown(elsewhere)} lies in none of the countries that are left, ${shown(countries)}`;
    problems.push({ code: 'INVALID_REQUEST', path: [...at, ...field], message });
  }
  return problems;
}

function shown(values: readonly string[]): string {
  const more = values.length - MAX_SHOWN;
  return values.slice(0, MAX_SHOWN).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
