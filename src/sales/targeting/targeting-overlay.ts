import { z } from 'zod';
import { isCountry } from '../../platform/country.ts';
import { Country, Identifier, Region } from '../catalog-values.ts';
import { DaypartTarget } from './dayparts.ts';
import { FrequencyCapRequest } from './frequency-cap.ts';

/** Values of one axis. */
const MAX_VALUES = 1000;

function values<T extends z.ZodType>(item: T) {
  return z
    .array(item)
    .min(1, 'must not be empty; leave it out instead')
    .max(MAX_VALUES, `send at most ${MAX_VALUES} values`)
    .optional();
}

/** A country there is: an excluded one is checked against nothing else, and a slip would exclude nobody. */
const CountryCode = Country.refine(
  // What is no code at all has been told already.
  (code) => !/^[A-Z]{2}$/.test(code) || isCountry(code),
  'must be a country of ISO 3166-1, such as GB',
);

/** A language by RFC 5646 (BCP 47). */
const LanguageTag = z
  .string()
  .max(35, 'must be at most 35 characters')
  .refine(isLanguage, 'must be a language tag, such as en or pt-BR');

const PlaceSystem = z.string().regex(/^[a-z][a-z0-9_]{0,63}$/, 'must name a system, such as nielsen_dma or us_zip');
const PlaceCode = z.string().regex(/^[A-Za-z0-9](?:[A-Za-z0-9 -]{0,30}[A-Za-z0-9])?$/, 'must be a code of the system');

/** Metro or postal areas: codes of a system, or one as `system:value`. With `country`, a system of that country. */
const Place = z.union([
  z
    .string()
    .regex(
      /^[a-z][a-z0-9_]{0,63}:[A-Za-z0-9](?:[A-Za-z0-9 -]{0,30}[A-Za-z0-9])?$/,
      'must be system:value, such as nielsen_dma:501',
    ),
  z.strictObject({
    country: CountryCode.optional(),
    system: PlaceSystem,
    values: z.array(PlaceCode).min(1, 'must not be empty').max(MAX_VALUES, `send at most ${MAX_VALUES} values`),
  }),
]);
export type Place = z.infer<typeof Place>;

const Device = z.enum(['desktop', 'mobile', 'tablet', 'ctv', 'smart_speaker', 'dooh', 'unknown']);

/** What the public protocol can say and nothing sold here can do. */
export const AXES_NOT_SOLD = [
  'age_restriction',
  'axe_exclude_segment',
  'axe_include_segment',
  'collection_list',
  'collection_list_exclude',
  'device_platform',
  'geo_proximity',
  'keyword_targets',
  'negative_keywords',
  'property_list',
  'store_catchments',
] as const;
const NotSold = z.unknown().optional().meta({ not: {} });

/**
 * What a buyer narrows a package to, in the public protocol's names, or by `geo` (rule B14). All axes hold at once;
 * `…_exclude` takes away. Form only: whether the product offers it, `targetingProblems` says.
 */
export const TargetingOverlay = z.strictObject({
  geo: z.strictObject({ countries: values(CountryCode), regions: values(Region) }).optional(),
  geo_countries: values(CountryCode),
  geo_countries_exclude: values(CountryCode),
  geo_regions: values(Region),
  geo_regions_exclude: values(Region),
  geo_metros: values(Place),
  geo_metros_exclude: values(Place),
  geo_postal: values(Place),
  geo_postal_areas: values(Place),
  geo_postal_areas_exclude: values(Place),
  device_type: values(Device),
  device_type_exclude: values(Device),
  language: values(LanguageTag),
  audiences: values(Identifier),
  audience_include: values(Identifier),
  audience_exclude: values(Identifier),
  daypart_targets: values(DaypartTarget),
  frequency_cap: FrequencyCapRequest.optional(),
  ...(Object.fromEntries(AXES_NOT_SOLD.map((axis) => [axis, NotSold])) as Record<
    (typeof AXES_NOT_SOLD)[number],
    typeof NotSold
  >),
});
export type TargetingOverlay = z.infer<typeof TargetingOverlay>;

function isLanguage(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}
