import { dayparts } from './dayparts.ts';
import type { LineTargeting } from './line-targeting.ts';
import type { Place, TargetingOverlay } from './targeting-overlay.ts';

/** What an overlay names on one axis, in the ad server's form. `field`: where in the overlay. */
export interface NamedValues {
  axis: keyof LineTargeting;
  side: 'any' | 'none';
  field: readonly string[];
  values: readonly string[];
}

/** Everything an overlay names but its frequency cap, in the order of the schema; each value once. Pure. */
export function namedIn(overlay: TargetingOverlay): NamedValues[] {
  const found: NamedValues[] = [];
  const note = (axis: NamedValues['axis'], side: NamedValues['side'], field: string[], values?: readonly string[]) => {
    if (values !== undefined) found.push({ axis, side, field, values: [...new Set(values)] });
  };
  note('countries', 'any', ['geo', 'countries'], overlay.geo?.countries);
  note('regions', 'any', ['geo', 'regions'], overlay.geo?.regions);
  note('countries', 'any', ['geo_countries'], overlay.geo_countries);
  note('countries', 'none', ['geo_countries_exclude'], overlay.geo_countries_exclude);
  note('regions', 'any', ['geo_regions'], overlay.geo_regions);
  note('regions', 'none', ['geo_regions_exclude'], overlay.geo_regions_exclude);
  note('metros', 'any', ['geo_metros'], overlay.geo_metros?.flatMap(places));
  note('metros', 'none', ['geo_metros_exclude'], overlay.geo_metros_exclude?.flatMap(places));
  note('postal', 'any', ['geo_postal'], overlay.geo_postal?.flatMap(places));
  note('postal', 'any', ['geo_postal_areas'], overlay.geo_postal_areas?.flatMap(places));
  note('postal', 'none', ['geo_postal_areas_exclude'], overlay.geo_postal_areas_exclude?.flatMap(places));
  note('devices', 'any', ['device_type'], overlay.device_type);
  note('devices', 'none', ['device_type_exclude'], overlay.device_type_exclude);
  note(
    'languages',
    'any',
    ['language'],
    overlay.language?.flatMap((tag) => Intl.getCanonicalLocales(tag)),
  );
  note('audiences', 'any', ['audiences'], overlay.audiences);
  note('audiences', 'any', ['audience_include'], overlay.audience_include);
  note('audiences', 'none', ['audience_exclude'], overlay.audience_exclude);
  note('dayparts', 'any', ['daypart_targets'], overlay.daypart_targets?.flatMap(dayparts));
  return found;
}

/** `{country: "US", system: "zip"}` is the system that is also called `us_zip`. */
function places(place: Place): string[] {
  if (typeof place === 'string') return [place];
  const { country, system, values } = place;
  const name = country === undefined ? system : `${country.toLowerCase()}_${system}`;
  return values.map((value) => `${name}:${value}`);
}
