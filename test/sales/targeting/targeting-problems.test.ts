import { describe, expect, it } from 'vitest';
import { fieldPath } from '../../../src/platform/field-path.ts';
import { offeredBy } from '../../../src/sales/targeting/offered-targeting.ts';
import { targetingProblems } from '../../../src/sales/targeting/targeting-problems.ts';
import { TargetingOverlay } from '../../../src/sales/targeting/targeting-overlay.ts';
import { demoCatalog, productOf } from '../support/demo-catalog.ts';

const catalog = await demoCatalog();
/** Offers US and CA, seven states, two audiences, English, dayparts and caps. */
const RUN_OF_SITE = 'gazette_run_of_site';
/** Offers the US and devices, and no audience, region, daypart or cap. */
const TAKEOVER = 'gazette_front_page_takeover';

function problemsOf(product_id: string, overlay: object) {
  const asked = { product_id, offered: offeredBy(productOf(catalog, product_id)) };
  return targetingProblems(TargetingOverlay.parse(overlay), asked, ['packages', 1, 'targeting_overlay']).map(
    ({ code, path, message, suggestion }) => ({ code, field: fieldPath(path), message, suggestion }),
  );
}

describe('[B14] what a product does not offer is UNSUPPORTED_FEATURE at its path', () => {
  it.each([
    [RUN_OF_SITE, { geo: { countries: ['FR'] } }, 'geo.countries', /does not offer FR; it offers US, CA/],
    [RUN_OF_SITE, { geo_countries: ['US', 'FR', 'DE'] }, 'geo_countries', /does not offer FR, DE/],
    [RUN_OF_SITE, { geo_regions: ['US-OH'] }, 'geo_regions', /does not offer US-OH/],
    [RUN_OF_SITE, { geo_regions_exclude: ['US-OH'] }, 'geo_regions_exclude', /does not offer US-OH/],
    [RUN_OF_SITE, { geo_metros: ['nielsen_dma:501'] }, 'geo_metros', /cannot be targeted by geo_metros/],
    [RUN_OF_SITE, { geo_postal: ['us_zip:10001'] }, 'geo_postal', /cannot be targeted/],
    [RUN_OF_SITE, { geo_postal_areas_exclude: ['us_zip:10001'] }, 'geo_postal_areas_exclude', /cannot be targeted/],
    [RUN_OF_SITE, { device_type: ['ctv'] }, 'device_type', /does not offer ctv/],
    [RUN_OF_SITE, { language: ['fr'] }, 'language', /does not offer fr; it offers en/],
    [RUN_OF_SITE, { audiences: ['nobody'] }, 'audiences', /does not offer nobody/],
    [RUN_OF_SITE, { audience_exclude: ['nobody'] }, 'audience_exclude', /does not offer nobody/],
    [RUN_OF_SITE, { device_platform: ['ios'] }, 'device_platform', /cannot be targeted by device_platform/],
    [RUN_OF_SITE, { age_restriction: { min: 21 } }, 'age_restriction', /cannot be targeted/],
    [
      RUN_OF_SITE,
      { frequency_cap: { max_impressions: 2, per: 'households', window: { interval: 1, unit: 'days' } } },
      'frequency_cap.per',
      /cannot count by households/,
    ],
    [
      RUN_OF_SITE,
      { frequency_cap: { max_impressions: 2, window: { interval: 1, unit: 'days' }, suppress_minutes: 30 } },
      'frequency_cap',
      /one cap/,
    ],
    [TAKEOVER, { geo_regions: ['US-NY'] }, 'geo_regions', /cannot be targeted by geo_regions/],
    [TAKEOVER, { audiences: ['news_daily'] }, 'audiences', /cannot be targeted by audiences/],
    [TAKEOVER, { frequency_cap: { suppress_minutes: 30 } }, 'frequency_cap', /cannot cap the frequency/],
    [
      TAKEOVER,
      { daypart_targets: [{ days: ['monday'], start_hour: 6, end_hour: 10 }] },
      'daypart_targets',
      /cannot be targeted by daypart_targets/,
    ],
  ])('%s with %j', (product_id, overlay, field, message) => {
    const [problem, ...others] = problemsOf(product_id, overlay);
    expect(others).toEqual([]);
    expect(problem).toMatchObject({ code: 'UNSUPPORTED_FEATURE', field: `packages[1].targeting_overlay.${field}` });
    expect(problem?.message).toMatch(message);
  });

  it('names everything wrong at once, and the nearest value where one was likely meant', () => {
    const problems = problemsOf(RUN_OF_SITE, {
      geo: { countries: ['FR'] },
      audiences: ['news_dayly'],
      language: ['de'],
    });
    expect(problems.map(({ field }) => field.split('.').at(-1))).toEqual(['countries', 'language', 'audiences']);
    expect(problems.at(-1)).toMatchObject({ suggestion: 'news_daily' });
  });
});

describe('[B14] what contradicts itself is INVALID_REQUEST', () => {
  it.each([
    [{ geo: { countries: ['US'] }, geo_countries: ['CA'] }, 'geo_countries', /another name of geo.countries/],
    [{ audiences: ['news_daily'], audience_include: ['news_daily'] }, 'audience_include', /another name/],
    [{ geo_countries_exclude: ['US', 'CA'] }, 'geo_countries_exclude', /excludes all/],
    [{ geo_countries: ['US'], geo_countries_exclude: ['US'] }, 'geo_countries_exclude', /excludes all/],
    [{ device_type: ['mobile'], device_type_exclude: ['mobile'] }, 'device_type_exclude', /excludes all/],
    [{ geo_countries: ['CA'], geo_regions: ['US-NY'] }, 'geo_regions', /US-NY lies in none of the countries/],
  ])('%j', (overlay, field, message) => {
    const [problem, ...others] = problemsOf(RUN_OF_SITE, overlay);
    expect(others).toEqual([]);
    expect(problem).toMatchObject({ code: 'INVALID_REQUEST', field: `packages[1].targeting_overlay.${field}` });
    expect(problem?.message).toMatch(message);
  });
});

describe('[B14] what a product offers is taken', () => {
  it.each([
    [RUN_OF_SITE, {}],
    [RUN_OF_SITE, { geo: {} }],
    [RUN_OF_SITE, { geo_countries: ['CA'] }],
    [RUN_OF_SITE, { geo_countries_exclude: ['FR', 'CA'] }],
    [RUN_OF_SITE, { geo: { countries: ['US'], regions: ['US-NY', 'US-CA'] } }],
    [RUN_OF_SITE, { device_type_exclude: ['dooh', 'unknown', 'desktop'] }],
    [RUN_OF_SITE, { language: ['en-gb'] }],
    [RUN_OF_SITE, { audiences: ['news_daily'], audience_exclude: ['premium_households'] }],
    [RUN_OF_SITE, { daypart_targets: [{ days: ['sunday'], start_hour: 0, end_hour: 24 }] }],
    [RUN_OF_SITE, { frequency_cap: { suppress: { interval: 30, unit: 'minutes' } } }],
    [TAKEOVER, { geo: { countries: ['US'] }, device_type: ['desktop'] }],
  ])('%s with %j', (product_id, overlay) => {
    expect(problemsOf(product_id, overlay)).toEqual([]);
  });
});
