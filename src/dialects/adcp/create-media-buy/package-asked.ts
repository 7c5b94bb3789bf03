import { invalidRequest } from '../../../platform/errors.ts';
import { INPUT_LIMITS } from '../../../platform/intake/input-limits.ts';
import type { JsonObject } from '../../../platform/json-object.ts';
import type { MeasurementTerms } from '../../../sales/product/measurement-terms.ts';
import { pricingOptionOf } from '../../../sales/product/pricing-option.ts';
import { formatNamer, ourCreative } from '../creatives.ts';
import { canonicalFormat } from '../formats/creative-format.ts';
import type { TakenWhere } from '../formats/creative-format.ts';
import type { Release } from '../release.ts';
import { assertFormatsTaken } from '../formats/package-formats.ts';
import { assertBudgeted, refuseControlsOfPackage } from '../spend-controls.ts';
import { refuseUnsupported } from '../unsupported.ts';
import { bidAsked } from './bid.ts';
import type { AdcpCreative, AdcpPackage } from './schema.ts';
import { termsAgreed } from './terms-asked.ts';

/** Of a package that is booked, what cannot be kept here, besides what bounds its spending. */
const NOT_OF_A_PACKAGE = {
  paused: 'a package cannot begin paused; pause it by update_media_buy',
};
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

/** The packages of a list of that name in a request. @throws {AppError} for what cannot be kept. */
export function packagesTaken(
  packages: readonly AdcpPackage[],
  list: string,
  { catalog, release }: Pick<TakenWhere, 'catalog' | 'release'>,
): PackageTaken[] {
  assertAmounts(packages, list, release);
  const nameFormat = formatNamer(catalog);
  return packages.map((one, i) => packageTaken(one, `${list}[${i}].`, { catalog, release, nameFormat }));
}

function packageTaken(one: AdcpPackage, at: string, where: Omit<TakenWhere, 'product'>): PackageTaken {
  refuseUnsupported(one, NOT_OF_A_PACKAGE, { at });
  refuseControlsOfPackage(one, at);
  refuseUnsupported(one, NO_TERMS, { at, code: 'TERMS_REJECTED' });
  const { product_id, pricing_option_id, budget, targeting_overlay } = one;
  const { creative_assignments, creatives } = one;
  const product = where.catalog.products.get(product_id);
  const taken: TakenWhere = { ...where, product };
  const terms = termsAgreed(one, at, product);
  assertFormatsTaken(one, at, taken);
  const option = product && pricingOptionOf(product, pricing_option_id);
  const isFixed = option !== undefined && option.pricing_model !== 'cpm-auction';
  const asked = {
    ...{ product_id, pricing_option_id, budget },
    ...bidAsked(one, at, { release: where.release, isFixed }),
    ...(targeting_overlay && Object.keys(targeting_overlay).length > 0 && { targeting_overlay }),
    ...(creative_assignments && { creative_ids: creative_assignments.map(({ creative_id }) => creative_id) }),
    ...(creatives && {
      creatives: creatives.map((creative, i) => broughtAlong(creative, `${at}creatives[${i}].`, taken)),
    }),
  };
  return { asked, told: toldAgain(one, terms) };
}

/** A creative that comes with a package, which its product must take. */
function broughtAlong(creative: AdcpCreative, at: string, where: TakenWhere): JsonObject {
  const format_id = canonicalFormat(creative, at, where) ?? creative.format_id;
  return ourCreative({ ...creative, format_id }, where.nameFormat);
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
  const { context, creative_assignments } = one;
  const { format_ids, format_option_refs, format_kind, params } = one;
  const formats = Object.entries({ format_ids, format_option_refs, format_kind, params });
  return {
    ...(context !== undefined && { context }),
    ...(creative_assignments && { creative_assignments }),
    ...(measurement_terms && { measurement_terms }),
    ...Object.fromEntries(formats.filter(([, value]) => value !== undefined && value !== null)),
  };
}

/** @throws {AppError} when what is kept of a media buy to be told again, as JSON, is too much. */
export function assertKept(kept: string, field: string): void {
  if (Buffer.byteLength(kept) <= INPUT_LIMITS.contextBytes) return;
  const most = `at most ${INPUT_LIMITS.contextBytes} bytes`;
  throw invalidRequest(field, `what is only told again, contexts and ext, must come to ${most} in all`);
}
