import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/platform/errors.ts';
import type { ErrorBody } from '../../../src/platform/errors.ts';
import { parseInput } from '../../../src/platform/validation.ts';
import { readStoredOverlay } from '../../../src/sales/targeting/stored-overlay.ts';
import { TargetingOverlay } from '../../../src/sales/targeting/targeting-overlay.ts';

/** What a caller is told of an overlay, or undefined when it has the right form. */
function refusalOf(overlay: unknown): ErrorBody | undefined {
  try {
    parseInput(TargetingOverlay, overlay, ['targeting_overlay']);
    return undefined;
  } catch (error) {
    if (error instanceof AppError) return error.toBody();
    throw error;
  }
}

const ALL = {
  geo_countries: ['US', 'GB'],
  geo_countries_exclude: ['FR'],
  geo_regions: ['US-NY', 'GB-LND'],
  geo_regions_exclude: ['US-CA'],
  geo_metros: [{ system: 'nielsen_dma', values: ['501', '602'] }, 'uk_itl2:UKI3'],
  geo_metros_exclude: ['nielsen_dma:803'],
  geo_postal: ['us_zip:10001', 'gb_full:SW1A 1AA'],
  geo_postal_areas: [{ country: 'US', system: 'zip', values: ['10001'] }],
  geo_postal_areas_exclude: [{ system: 'us_zip', values: ['94103'] }],
  device_type: ['mobile', 'ctv'],
  device_type_exclude: ['desktop'],
  language: ['en', 'pt-BR', 'zh-Hant-TW'],
  audiences: ['news_daily'],
  audience_include: ['sports_fans'],
  audience_exclude: ['families'],
  daypart_targets: [{ days: ['monday', 'friday'], start_hour: 6, end_hour: 10, label: 'Morning' }],
  frequency_cap: { max_impressions: 3, per: 'devices', window: { interval: 1, unit: 'days' } },
};

describe('[B14] the schema of a targeting overlay', () => {
  it('takes every axis of the public protocol that is sold, and leaves it as it was sent', () => {
    expect(parseInput(TargetingOverlay, ALL)).toEqual(ALL);
    expect(parseInput(TargetingOverlay, { geo: { countries: ['US'], regions: ['US-NY'] } })).toEqual({
      geo: { countries: ['US'], regions: ['US-NY'] },
    });
    expect(parseInput(TargetingOverlay, {})).toEqual({});
  });

  it.each([
    [{ geoo: 1 }, 'geoo', /unknown key; did you mean geo\?/],
    [{ geo_country: ['US'] }, 'geo_country', /did you mean geo_countries\?/],
    [{ geo: { country: ['US'] } }, 'geo.country', /unknown key/],
    [{ geo: 1.5 }, 'geo', /send an object/],
    [{ geo_countries: 'US' }, 'geo_countries', /send an array/],
    [{ geo_countries: [] }, 'geo_countries', /must not be empty/],
    [{ geo_countries: ['us'] }, 'geo_countries[0]', /two-letter country code in capitals/],
    [{ geo_countries: ['US', 'ZZ'] }, 'geo_countries[1]', /ISO 3166-1/],
    [{ geo_countries_exclude: ['UK'] }, 'geo_countries_exclude[0]', /such as GB/],
    [{ geo_countries_exclude: ['EU'] }, 'geo_countries_exclude[0]', /ISO 3166-1/],
    [{ geo_regions: ['NY'] }, 'geo_regions[0]', /ISO 3166-2/],
    [{ geo_metros: ['501'] }, 'geo_metros[0]', /system:value/],
    [{ geo_metros: [{ system: 'nielsen_dma', values: [] }] }, 'geo_metros[0].values', /must not be empty/],
    [{ geo_postal_areas: [{ values: ['10001'] }] }, 'geo_postal_areas[0].system', /required/],
    [{ device_type: ['mobil'] }, 'device_type[0]', /did you mean "mobile"\?/],
    [{ language: ['en_US'] }, 'language[0]', /language tag/],
    [{ audiences: [{ id: 'x' }] }, 'audiences[0]', /send a string/],
    [{ daypart_targets: [{ days: ['monday'], start_hour: 22, end_hour: 6 }] }, 'daypart_targets[0].end_hour', /after/],
    [{ daypart_targets: [{ days: ['mon'], start_hour: 1, end_hour: 6 }] }, 'daypart_targets[0].days[0]', /monday/],
    [{ frequency_cap: {} }, 'frequency_cap', /max_impressions with its window, or suppress/],
    [{ frequency_cap: { max_impressions: 3 } }, 'frequency_cap.window', /required with max_impressions/],
    [{ frequency_cap: { suppress_minutes: 1, max_impressions: 0 } }, 'frequency_cap.window', /required/],
    [{ frequency_cap: { suppress_minutes: 0 } }, 'frequency_cap.suppress_minutes', /1 or more/],
    [{ frequency_cap: { per: 'devices' } }, 'frequency_cap', /max_impressions/],
    [
      { frequency_cap: { suppress: { interval: 2, unit: 'campaign' } } },
      'frequency_cap.suppress.interval',
      /must be 1 for the unit campaign/,
    ],
  ])('refuses %j at %s', (overlay, field, message) => {
    const refusal = refusalOf(overlay);
    expect(refusal).toMatchObject({ code: 'VALIDATION_ERROR', field: `targeting_overlay.${field}` });
    expect(refusal?.message).toMatch(message);
  });

  it('whatever is sent, nothing is thrown but a refusal, and no unknown axis passes', () => {
    const known = Object.keys(TargetingOverlay.shape);
    const axis = fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...known) }, fc.string());
    const value = fc.oneof(
      fc.jsonValue(),
      fc.array(fc.oneof(fc.string(), fc.constantFrom('US', 'US-NY', 'en', 'mobile', 'us_zip:1', '__proto__'))),
      fc.dictionary(
        fc.constantFrom('countries', 'system', 'values', 'days', 'window', 'max_impressions'),
        fc.jsonValue(),
      ),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(axis, value), { maxLength: 4 }), (entries) => {
        const overlay = Object.fromEntries(entries) as Record<string, unknown>;
        const refusal = refusalOf(overlay);
        const isKnown = Object.keys(overlay).every((name) => known.includes(name));
        if (refusal === undefined) expect(isKnown).toBe(true);
        const stored = readStoredOverlay(overlay);
        expect(TargetingOverlay.safeParse(stored.overlay).success).toBe(true);
        expect([...Object.keys(stored.overlay), ...stored.unread].sort()).toEqual(Object.keys(overlay).sort());
      }),
      { numRuns: 500 },
    );
  });
});

describe('[B14] a stored overlay', () => {
  it('is read axis by axis: what has another form than today’s is named, and the rest is understood', () => {
    const stored = { geo: 1.5, geoo: 1, geo_countries: ['US'], device_platform: ['ios'], toString: 1 };
    expect(readStoredOverlay(stored)).toEqual({
      overlay: { geo_countries: ['US'] },
      unread: ['geo', 'geoo', 'device_platform', 'toString'],
    });
    expect(readStoredOverlay(ALL)).toEqual({ overlay: ALL, unread: [] });
  });
});
