import { z } from 'zod';
import { Channel, Country, DeliveryType, Domain, Identifier, Region, Text, distinct } from '../catalog-values.ts';
import { FormatId } from '../format/format.ts';
import { MeasurementTerms } from './measurement-terms.ts';
import { PricingOption } from './pricing-option.ts';
import { CancellationPolicy, CreativePolicy } from './product-policies.ts';

/** What a buyer may aim at inside the product. An absent aspect cannot be targeted. */
export const Targeting = z.strictObject({
  geo: z.strictObject({
    /** Where the product delivers, and so what a buyer may choose among. */
    countries: distinct(Country).min(1),
    regions: distinct(Region).optional(),
    cities: distinct(Text).optional(),
  }),
  audiences: z.array(z.strictObject({ audience_id: Identifier, name: Text, description: Text })).default([]),
  devices: distinct(z.enum(['desktop', 'mobile', 'tablet', 'ctv', 'smart_speaker'])).min(1),
  /** Subjects of the editorial around the ad. */
  topics: distinct(Text).default([]),
  languages: distinct(z.string().regex(/^[a-z]{2}(?:-[A-Z]{2})?$/, 'must be a language tag, such as en')).default([]),
  dayparting: z.boolean().default(false),
  frequency_cap: z.boolean().default(false),
});
export type Targeting = z.infer<typeof Targeting>;

/** What is usually there to buy. Impressions a day, over all buyers; for a newsletter, sends opened a day. */
export const Forecast = z.strictObject({
  impressions_per_day: z.int().positive().max(1_000_000_000_000),
  notes: Text.optional(),
});

/** The most days a flight of any product may have: 100 years (rule B16). */
export const MAX_FLIGHT_DAYS = 36_525;

/** How long and how soon. A begun day counts whole. */
export const FlightTerms = z
  .strictObject({
    min_days: z.int().min(1).max(366),
    max_days: z.int().min(1).max(MAX_FLIGHT_DAYS),
    /** Between the order and the first impression. */
    lead_time_days: z.int().min(0).max(366).default(0),
  })
  .refine((flight) => flight.min_days <= flight.max_days, { path: ['max_days'], error: 'must not be below min_days' });

/** The properties a product runs on, by the domain that speaks for them (as in the public protocol). */
export const PublisherProperties = z.strictObject({
  publisher_domain: Domain,
  selection_type: z.literal('by_id'),
  property_ids: z.array(Identifier).min(1),
});

/** Fields a seller writes as they are answered. */
export const productFields = {
  product_id: Identifier,
  name: Text,
  /** For people and for search: what it is, where it runs, whom it reaches, when to choose it. */
  description: Text.min(40, 'must tell a buyer at least a sentence'),
  channels: distinct(Channel).min(1),
  delivery_type: DeliveryType,
  targeting: Targeting,
  forecast: Forecast,
  flight: FlightTerms,
  /** Who counts the impressions that are billed. */
  delivery_measurement: z.strictObject({ provider: Text, notes: Text.optional() }),
  /** What is promised of measurement to who asks for it; without them, nobody can ask for any. Told in the public protocol alone. */
  measurement_terms: MeasurementTerms.optional(),
  /** These two likewise: what canceling costs, and what creatives must be beyond their format. */
  cancellation_policy: CancellationPolicy.optional(),
  creative_policy: CreativePolicy.optional(),
};

/** Something to buy, as `get_products` answers it (rule C.resources.product). */
export const Product = z.strictObject({
  ...productFields,
  pricing_options: z.array(PricingOption).min(1),
  format_ids: z.array(FormatId).min(1),
  publisher_properties: z.array(PublisherProperties).min(1),
});
export type Product = z.infer<typeof Product>;
