import type { MeasurementTerms } from '../../../sales/product/measurement-terms.ts';

/** Terms of measurement in words: by whom, by when, how closely, and what becomes of what falls short. Pure. */
export function termsWords({ billing_measurement: by, makegood_policy: policy }: MeasurementTerms): string {
  const { vendor, measurement_window: window, max_variance_percent: variance } = by ?? {};
  const brand = vendor?.brand_id === undefined ? '' : ` (${vendor.brand_id})`;
  const remedies = policy?.available_remedies.map((one) => one.replaceAll('_', ' ')).join(' or ');
  const parts = [
    vendor && `measured by ${vendor.domain}${brand}`,
    window && `final in window ${window}`,
    variance !== undefined && `off by ${variance} % at most`,
    remedies && `made good by ${remedies}`,
  ];
  return parts.filter((part) => typeof part === 'string').join(', ');
}
