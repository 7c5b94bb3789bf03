import type { Problem } from '../../platform/errors.ts';
import type { JsonObject } from '../../platform/json-object.ts';
import type { MeasurementTerms } from './measurement-terms.ts';

/** Terms of measurement that a buyer asks for; what else they say is looked at, too. Null says nothing. */
export interface TermsAsked extends JsonObject {
  billing_measurement?:
    | (JsonObject & {
        vendor: JsonObject & { domain: string; brand_id?: string | undefined };
        measurement_window?: string | null | undefined;
        max_variance_percent?: number | null | undefined;
      })
    | null
    | undefined;
  makegood_policy?: (JsonObject & { available_remedies: readonly string[] }) | null | undefined;
}

export type AgreedTerms = { ok: true; terms: MeasurementTerms } | { ok: false; problems: Problem[] };

/** What a product promises of measurement. */
interface Offer {
  product_id: string;
  measurement_terms: MeasurementTerms;
}

/**
 * Holds terms that are asked for against those of the product: the same vendor and window, no smaller variance, none but its remedies.
 * Agreed is what was asked, and of what was not, what the product has. `at` is where the terms stand in the request. Pure; finds every
 * problem.
 */
export function agreeOnTerms(asked: TermsAsked, offer: Offer, at: readonly PropertyKey[]): AgreedTerms {
  const { billing_measurement: offered, makegood_policy: policy } = offer.measurement_terms;
  const { billing_measurement: measured, makegood_policy: made, ...others } = asked;
  const problems: Problem[] = [];
  const note = noter(problems, offer, at);
  noteUnknown(others, [], note);
  if (measured) noteMeasurement(measured, offered, note);
  if (made) noteRemedies(made, policy?.available_remedies ?? [], note);
  if (problems.length > 0) return { ok: false, problems };
  const variance = measured?.max_variance_percent ?? offered?.max_variance_percent;
  const remedies = policy?.available_remedies.filter((one) => made?.available_remedies.includes(one) ?? true);
  const terms = {
    ...(offered && {
      billing_measurement: { ...offered, ...(variance !== undefined && { max_variance_percent: variance }) },
    }),
    ...(remedies && { makegood_policy: { available_remedies: remedies } }),
  };
  return { ok: true, terms };
}

/** Notes what is asked for at a place, beside what is offered of that. */
type Note = (path: readonly PropertyKey[], asked: unknown, offered: unknown) => void;

function noter(problems: Problem[], { product_id, measurement_terms }: Offer, at: readonly PropertyKey[]): Note {
  return (path, asked, offered) => {
    const isNothing = offered === undefined;
    const offers = isNothing ? 'nothing of the kind' : shown(offered);
    problems.push({
      code: 'TERMS_REJECTED',
      path: [...at, ...path],
      message: `${shown(asked)} is asked for, and product ${product_id} offers ${offers}`,
      suggestion: isNothing ? 'leave it out' : shown(offered),
      details: { measurement_terms },
    });
  };
}

function noteMeasurement(
  asked: NonNullable<TermsAsked['billing_measurement']>,
  offered: MeasurementTerms['billing_measurement'],
  note: Note,
): void {
  const at = 'billing_measurement';
  const { vendor, measurement_window, max_variance_percent, ...others } = asked;
  const { domain, brand_id, ...aboutVendor } = vendor;
  if (!offered) {
    note([at], asked, undefined);
    return;
  }
  if (domain.toLowerCase() !== offered.vendor.domain) note([at, 'vendor', 'domain'], domain, offered.vendor.domain);
  else if (brand_id !== offered.vendor.brand_id) note([at, 'vendor', 'brand_id'], brand_id, offered.vendor.brand_id);
  noteUnknown(aboutVendor, [at, 'vendor'], note);
  if (isSaid(measurement_window) && measurement_window !== offered.measurement_window)
    note([at, 'measurement_window'], measurement_window, offered.measurement_window);
  const least = offered.max_variance_percent;
  if (isSaid(max_variance_percent) && (least === undefined || max_variance_percent < least))
    note([at, 'max_variance_percent'], max_variance_percent, least);
  noteUnknown(others, [at], note);
}

function noteRemedies(
  { available_remedies, ...others }: NonNullable<TermsAsked['makegood_policy']>,
  offered: readonly string[],
  note: Note,
): void {
  const at = 'makegood_policy';
  if (offered.length === 0) {
    note([at], { available_remedies }, undefined);
    return;
  }
  available_remedies.forEach((remedy, i) => {
    if (!offered.includes(remedy)) note([at, 'available_remedies', i], remedy, offered);
  });
  noteUnknown(others, [at], note);
}

function noteUnknown(others: JsonObject, at: readonly PropertyKey[], note: Note): void {
  for (const [name, value] of Object.entries(others)) if (isSaid(value)) note([...at, name], value, undefined);
}

function isSaid<T>(value: T): value is NonNullable<T> {
  return value !== undefined && value !== null;
}

/** As JSON, cut short. */
function shown(value: unknown): string {
  const text = value === undefined ? 'none' : Array.isArray(value) ? value.join(', ') : JSON.stringify(value);
  return text.length <= 200 ? text : `${text.slice(0, 200)}…`;
}
