import { invalidRequest } from '../../../platform/errors.ts';
import { INPUT_LIMITS } from '../../../platform/intake/input-limits.ts';
import type { JsonObject } from '../../../platform/json-object.ts';
import type { MeasurementTerms } from '../../../sales/product/measurement-terms.ts';
import { pricingOptionOf } from '../../../sales/product/pricing-option.ts';
import { assertEven, turnsAt } from '../creative-assignments.ts';
import type { SaidTurn } from '../creative-assignments.ts';
import { creativeTaken } from '../creative-taken.ts';
import { formatNamer } from '../creatives.ts';
import type { TakenWhere } from '../formats/creative-format.ts';
import type { Release } from '../release.ts';
import { assertFormatsTaken } from '../formats/package-formats.ts';
import { overlayTaken } from '../media-buys/dayparts.ts';
import { ownTimesAsked } from '../media-buys/package-times.ts';
import type { FlightAround } from '../media-buys/package-times.ts';
import { assertBudgeted, refuseControlsOfPackage } from '../spend-controls.ts';
import { refuseUnsupported } from '../unsupported.ts';
import { bidAsked } from './bid.ts';
import type { AdcpPackage } from './schema.ts';
import { termsAgreed } from './terms-asked.ts';

/** Terms that no product has. */
export const NO_TERMS = {
  performance_standards: 'no standards are promised beyond those of the product',
};

/** What is made of a package that is asked for. */
export interface PackageTaken {
  /** In our own fields; it has no name of the buyer's. */
  asked: JsonObject;
  /** What the buyer says of it that is only told again, and what was agreed with it. */
  told: JsonObject;
}

/** The packages of a list of that name in a request, for a flight. @throws {AppError} for what cannot be kept. */
export function packagesTaken(
  packages: readonly AdcpPackage[],
  list: string,
  { catalog, release, flight }: Pick<TakenWhere, 'catalog' | 'release'> & { flight: FlightAround | undefined },
): PackageTaken[] {
  assertAmounts(packages, list, release);
  const nameFormat = formatNamer(catalog);
  return packages.map((one, i) => {
    const at = `${list}[${i}].`;
    const times = flight === undefined ? {} : ownTimesAsked(one, at, flight);
    const { asked, told } = packageTaken(one, at, { catalog, release, nameFormat });
    return { asked: { ...asked, ...times }, told };
  });
}

function packageTaken(one: AdcpPackage, at: string, where: Omit<TakenWhere, 'product'>): PackageTaken {
  refuseControlsOfPackage(one, at);
  refuseUnsupported(one, NO_TERMS, { at, code: 'TERMS_REJECTED' });
  const { product_id, pricing_option_id, budget, targeting_overlay } = one;
  const { creative_assignments, creatives } = one;
  assertEven(turnsOf(one, at));
  const product = where.catalog.products.get(product_id);
  const taken: TakenWhere = { ...where, product };
  const terms = termsAgreed(one, at, product);
  assertFormatsTaken(one, at, taken);
  const option = product && pricingOptionOf(product, pricing_option_id);
  const isFixed = option !== undefined && option.pricing_model !== 'cpm-auction';
  const asked = {
    ...{ product_id, pricing_option_id, budget },
    ...(one.paused === true && { paused: true }),
    ...bidAsked(one, at, { release: where.release, isFixed }),
    ...(targeting_overlay &&
      Object.keys(targeting_overlay).length > 0 && {
        targeting_overlay: overlayTaken(targeting_overlay, `${at}targeting_overlay`, where.release),
      }),
    ...(creative_assignments && { creative_ids: creative_assignments.map(({ creative_id }) => creative_id) }),
    ...(creatives && {
      creatives: creatives.map((creative, i) => creativeTaken(creative, `${at}creatives[${i}].`, taken)),
    }),
  };
  return { asked, told: toldAgain(one, terms) };
}

/** What is said of the turns of a package's creatives, whichever list names them. Pure. */
export function turnsOf(
  { creative_assignments = [], creatives = [] }: Pick<AdcpPackage, 'creative_assignments' | 'creatives'>,
  at: string,
): SaidTurn[] {
  return [...turnsAt(creative_assignments, `${at}creative_assignments`), ...turnsAt(creatives, `${at}creatives`)];
}

/** An amount that can never do is told before what the ids name. @throws {AppError} */
function assertAmounts(packages: readonly AdcpPackage[], list: string, release: Release): void {
  packages.forEach((one, i) => {
    const { budget } = one;
    // Only 3.2 has packages without one.
    if (release === '3.2') assertBudgeted(one, `${list}[${i}].`);
    if (typeof budget !== 'number' || !(budget > 0)) {
      throw invalidRequest(`${list}[${i}].budget`, 'send an amount above 0');
    }
  });
}

function toldAgain(one: AdcpPackage, measurement_terms: MeasurementTerms | undefined): JsonObject {
  const { context, ext, agency_estimate_number } = one;
  const { format_ids, format_option_refs, format_kind, params } = one;
  const said = { context, ext, agency_estimate_number, format_ids, format_option_refs, format_kind, params };
  return {
    ...(measurement_terms && { measurement_terms }),
    ...Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined && value !== null)),
  };
}

/** @throws {AppError} when what is kept of a media buy to be told again, as JSON, is too much. */
export function assertKept(kept: string, field: string): void {
  if (Buffer.byteLength(kept) <= INPUT_LIMITS.contextBytes) return;
  const most = `at most ${INPUT_LIMITS.contextBytes} bytes`;
  throw invalidRequest(field, `what is only told again, contexts and ext, must come to ${most} in all`);
}
