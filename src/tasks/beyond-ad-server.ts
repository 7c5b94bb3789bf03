import type { Description } from '../sales/ad-server/description.ts';
import { capOf } from '../sales/targeting/frequency-cap.ts';
import { namedIn } from '../sales/targeting/named-values.ts';
import type { TargetingOverlay } from '../sales/targeting/targeting-overlay.ts';
import { refusalOf } from './problems.ts';
import type { Problem } from './problems.ts';

/** What of a package is asked for. */
export interface AskedPackage {
  /** The overlay's place in the request, such as `['packages', 0, 'targeting_overlay']`. */
  overlay?: { at: readonly PropertyKey[]; asked: TargetingOverlay };
  /** The price's place, and what is sold by it. */
  pricing?: { at: readonly PropertyKey[]; pricing_model: string; delivery_type: string; currency: string };
}

/**
 * Refuses what the ad server has said that it cannot do, before anything is made of it: the ad server would refuse it, too, but
 * later. Passes everything while it has said nothing.
 * @throws {AppError} `UNSUPPORTED_FEATURE`, with every problem in `issues`.
 */
export function assertWithinAdServer(able: Description | undefined, packages: readonly AskedPackage[]): void {
  if (able === undefined) return;
  const problems = packages.flatMap(({ overlay, pricing }) => [
    ...(pricing === undefined ? [] : pricingProblems(pricing, able)),
    ...(overlay === undefined ? [] : [...aimProblems(overlay, able), ...cappingProblems(overlay, able)]),
  ]);
  if (problems.length > 0) throw refusalOf(problems);
}

function pricingProblems(
  { at, pricing_model, delivery_type, currency }: NonNullable<AskedPackage['pricing']>,
  { currencies, pricing }: Description,
): Problem[] {
  const model = pricing.find((one) => one.model === pricing_model);
  const unsold = [
    ...(currencies === 'any' || currencies.includes(currency) ? [] : [`in ${currency}`]),
    ...(model?.delivery_types.includes(delivery_type) === true ? [] : [`${delivery_type} by ${pricing_model}`]),
  ];
  return unsold.map((what) => refused(at, `the ad server does not sell ${what}; take another pricing option`));
}

function aimProblems({ at, asked }: NonNullable<AskedPackage['overlay']>, { targeting }: Description): Problem[] {
  return namedIn(asked).flatMap(({ axis, side, field, values }) => {
    const aims = targeting[axis];
    if (aims === true) return [];
    const path = [...at, ...field];
    if (aims === undefined || aims.length === 0)
      return [refused(path, `the ad server cannot aim by ${axis}; leave it out`)];
    // What a list of dayparts, or of places, names is the ad server's own system.
    if (side === 'none' || axis === 'dayparts' || axis === 'metros' || axis === 'postal') return [];
    const missing = values.filter((value) => !aims.includes(value));
    if (missing.length === 0) return [];
    return [refused(path, `the ad server cannot aim at ${missing.join(', ')}; leave it out`)];
  });
}

function cappingProblems(
  { at, asked: { frequency_cap } }: NonNullable<AskedPackage['overlay']>,
  { cap_units }: Description,
): Problem[] {
  const unit = frequency_cap && capOf(frequency_cap)?.unit;
  if (unit === undefined || cap_units.includes(unit)) return [];
  const path = [...at, 'frequency_cap'];
  const kept = cap_units.length === 0 ? 'none at all' : `those per ${cap_units.join(', ')}`;
  return [refused(path, `the ad server keeps no frequency cap per ${unit}, but ${kept}`)];
}

function refused(path: readonly PropertyKey[], message: string): Problem {
  return { code: 'UNSUPPORTED_FEATURE', path, message };
}
