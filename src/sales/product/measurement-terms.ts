import { z } from 'zod';
import { Domain, Text, distinct } from '../catalog-values.ts';

/** How a seller makes good what was not delivered. */
export const MakegoodRemedy = z.enum(['additional_delivery', 'credit', 'invoice_adjustment']);

/** As the public protocol writes it. */
const BrandId = z.string().regex(/^[a-z0-9_]{1,128}$/, 'must be 1–128 small letters, digits or "_"');

/** Whose count is billed, and what becomes of what falls short: promises of the seller's, by which nothing is counted here. */
export const MeasurementTerms = z
  .strictObject({
    billing_measurement: z
      .strictObject({
        /** Who measures: a domain, and which brand of that house. */
        vendor: z.strictObject({ domain: Domain, brand_id: BrandId.optional() }),
        /** By when a count is final, such as `c7`. */
        measurement_window: Text.max(128).optional(),
        /** By how much the vendor's count and the seller's may differ, in percent. */
        max_variance_percent: z.number().min(0).lt(100).optional(),
      })
      .optional(),
    makegood_policy: z.strictObject({ available_remedies: distinct(MakegoodRemedy).min(1) }).optional(),
  })
  .refine((terms) => Object.keys(terms).length > 0, 'must have billing_measurement, makegood_policy, or both');
export type MeasurementTerms = z.infer<typeof MeasurementTerms>;
