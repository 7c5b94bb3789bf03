import type { JsonObject } from '../../../platform/json-object.ts';
import { offeredBy } from '../../../sales/targeting/offered-targeting.ts';
import type { OfferedTargeting } from '../../../sales/targeting/offered-targeting.ts';
import type { Product } from '../../../sales/product/product.ts';
import { CLOCKS } from '../media-buys/dayparts.ts';
import type { Release } from '../release.ts';

/**
 * What a package of the product may be narrowed to, in the words of 3.2; nothing in earlier releases. Whatever is told is kept: at the
 * start of the agent every product is held against its ad server. Pure.
 */
export function overlaySupport(product: Pick<Product, 'targeting'>, release: Release): JsonObject {
  if (release !== '3.2') return {};
  const offered = offeredBy(product);
  const { countries, devices, regions, languages, audiences, dayparting, frequency_cap } = offered;
  const support: JsonObject = {
    ...(countries.length > 0 && bothSides('geo_countries', true)),
    ...(regions.length > 0 && bothSides('geo_regions', { countries: regionsByCountry(offered) })),
    ...(devices.length > 0 && bothSides('device_type', true)),
    ...(languages.length > 0 && { language: true }),
    ...(audiences.length > 0 && { audience_include: true, audience_exclude: true }),
    ...(dayparting && { daypart_targets: HOURS }),
    ...(frequency_cap && { frequency_cap_support: CAPS }),
  };
  return { overlay_support: support };
}

/** Hours by our own clock, when they say so, and not by that of the place. */
const HOURS: JsonObject = { timezone_modes: ['iana'], iana_timezones: [...CLOCKS] };

/** One cap of a package, by what an ad server knows. */
const CAPS: JsonObject = {
  supported_control_modes: ['max_impressions', 'suppress'],
  supported_per_units: ['devices', 'cookies'],
};

function bothSides(axis: string, value: JsonObject | true): JsonObject {
  return { [axis]: value, [`${axis}_exclude`]: value };
}

function regionsByCountry({ regions }: OfferedTargeting): JsonObject {
  const countries = [...new Set(regions.map(countryOf))];
  return Object.fromEntries(
    countries.map((country) => [country, { values: regions.filter((region) => countryOf(region) === country) }]),
  );
}

function countryOf(region: string): string {
  return region.slice(0, 2);
}
