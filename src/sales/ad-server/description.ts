import { z } from 'zod';
import { JsonObject } from '../../platform/json-object.ts';
import { LineTargeting } from '../targeting/line-targeting.ts';

/** On which axes of targeting an ad server can aim: `true` at any value, else at these systems or values. */
const TargetingAbilities = z.partialRecord(LineTargeting.keyof(), z.union([z.literal(true), z.array(z.string())]));

/** What an ad server can do. The same while its configuration is. */
export const Description = z.strictObject({
  /** The adapter's name, such as `simulator`. */
  adapter: z.string(),
  protocol: z.literal(1),
  /** How many times faster than the wall clock it plays flights; 1 for every real one. */
  clock_speed: z.number().min(1),
  /** ISO 4217 codes. */
  currencies: z.union([z.array(z.string()), z.literal('any')]),
  pricing: z.array(z.strictObject({ model: z.string(), delivery_types: z.array(z.string()) })),
  /** An axis that is absent cannot be aimed at. */
  targeting: TargetingAbilities,
  /** Units of frequency caps; empty: it keeps none. */
  cap_units: z.array(z.string()),
  daily_cap: z.boolean(),
  pacing: z.array(z.string()),
  /** Asset kinds of the catalog's formats. */
  creative_kinds: z.array(z.string()),
  uploads_creatives: z.boolean(),
  reviews_creatives: z.boolean(),
  /** How it decides on a smaller budget: at the very instant, or against counts that are sure only once the line has been paused. */
  budget_cut: z.enum(['exact', 'after_pause']),
  /** Who lets an order run there. */
  approval: z.enum(['none', 'automatic', 'person']),
  forecast: z.boolean(),
  inventory: z.boolean(),
  statements: z.strictObject({
    time_zone: z.string(),
    /** Where its hours begin, in minutes after those of UTC. */
    offset_minutes: z.int(),
    /** How long after an hour's end it is stated. */
    delay_minutes: z.int().min(0),
    /** For how long an hour may be stated otherwise. */
    restates_hours: z.int().min(0),
    by_creative: z.boolean(),
    spend: z.enum(['stated', 'computed']),
    metrics: z.array(z.string()),
  }),
  limits: z.strictObject({
    calls_per_second: z.number().positive(),
    reports_per_hour: z.number().positive(),
    lines_per_order: z.int().min(1),
  }),
  /** JSON Schema of a product's `implementation_config`. */
  product_config_schema: JsonObject,
});
export type Description = z.infer<typeof Description>;
