import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { capOf, FrequencyCapRequest } from '../../../src/sales/targeting/frequency-cap.ts';
import { LineTargeting } from '../../../src/sales/targeting/line-targeting.ts';
import { offeredBy } from '../../../src/sales/targeting/offered-targeting.ts';
import { targetingProblems } from '../../../src/sales/targeting/targeting-problems.ts';
import { TargetingOverlay } from '../../../src/sales/targeting/targeting-overlay.ts';
import { toldTargeting } from '../../../src/sales/targeting/told-targeting.ts';
import { demoCatalog, productOf } from '../support/demo-catalog.ts';

const catalog = await demoCatalog();
const offered = offeredBy(productOf(catalog, 'gazette_run_of_site'));
const told = (overlay: object) => toldTargeting(TargetingOverlay.parse(overlay), offered);
const COUNTRIES = { any: ['US', 'CA'] };
const DEVICES = { any: ['desktop', 'mobile', 'tablet'] };

describe('[B14] the ad server is told the product narrowed by the overlay', () => {
  it.each([
    [{}, { countries: COUNTRIES, devices: DEVICES }],
    [{ geo: { countries: ['CA'] } }, { countries: { any: ['CA'] }, devices: DEVICES }],
    [{ geo_countries_exclude: ['CA', 'FR'] }, { countries: { any: ['US'] }, devices: DEVICES }],
    [{ device_type_exclude: ['desktop', 'ctv'] }, { countries: COUNTRIES, devices: { any: ['mobile', 'tablet'] } }],
    [
      { geo_regions: ['US-NY', 'US-NY'], geo_regions_exclude: ['US-CA'] },
      { countries: COUNTRIES, devices: DEVICES, regions: { any: ['US-NY'], none: ['US-CA'] } },
    ],
    [
      { language: ['EN-us'], audiences: ['news_daily'], audience_exclude: ['premium_households'] },
      {
        countries: COUNTRIES,
        devices: DEVICES,
        languages: { any: ['en-US'] },
        audiences: { any: ['news_daily'], none: ['premium_households'] },
      },
    ],
    [
      { daypart_targets: [{ days: ['friday', 'monday', 'tuesday', 'sunday'], start_hour: 6, end_hour: 24 }] },
      {
        countries: COUNTRIES,
        devices: DEVICES,
        dayparts: { any: ['mon-tue 06:00-24:00 Etc/UTC', 'fri 06:00-24:00 Etc/UTC', 'sun 06:00-24:00 Etc/UTC'] },
      },
    ],
  ])('%j', (overlay, expected) => {
    expect(told(overlay)).toEqual(expected);
  });

  it('where it is not known what was offered, the overlay alone is told, places as system:value', () => {
    const overlay = TargetingOverlay.parse({
      geo_countries: ['FR'],
      device_type_exclude: ['ctv'],
      geo_metros: [{ system: 'nielsen_dma', values: ['501'] }],
      geo_postal_areas_exclude: [{ country: 'US', system: 'zip', values: ['10001'] }, 'us_zip:10002'],
    });
    expect(toldTargeting(overlay, undefined)).toEqual({
      countries: { any: ['FR'] },
      devices: { none: ['ctv'] },
      metros: { any: ['nielsen_dma:501'] },
      postal: { none: ['us_zip:10001', 'us_zip:10002'] },
    });
  });

  it('[I11] whatever an overlay asks for, what is told never reaches beyond the product or the overlay', () => {
    const some = (...values: string[]) => fc.option(fc.subarray(values, { minLength: 1 }), { nil: undefined });
    const overlays = fc.record({
      geo_countries: some('US', 'CA', 'FR'),
      geo_countries_exclude: some('US', 'CA', 'FR'),
      geo_regions: some('US-NY', 'US-OH', 'CA-ON'),
      device_type: some('mobile', 'ctv', 'desktop'),
      device_type_exclude: some('mobile', 'ctv', 'desktop'),
      audiences: some('news_daily', 'nobody'),
      language: some('en', 'en-GB', 'de'),
    });
    fc.assert(
      fc.property(overlays, (overlay) => {
        const targeting = LineTargeting.parse(toldTargeting(overlay as TargetingOverlay, offered));
        const any = { countries: targeting.countries?.any ?? [], devices: targeting.devices?.any ?? [] };
        expect(offered.countries).toEqual(expect.arrayContaining(any.countries));
        expect(offered.devices).toEqual(expect.arrayContaining(any.devices));
        if (overlay.geo_countries !== undefined)
          expect(overlay.geo_countries).toEqual(expect.arrayContaining(any.countries));
        for (const code of overlay.geo_countries_exclude ?? []) expect(any.countries).not.toContain(code);
        if (overlay.audiences !== undefined) expect(targeting.audiences?.any).not.toContain('nobody');
        const asked = { product_id: 'gazette_run_of_site', offered };
        const isTaken = targetingProblems(overlay as TargetingOverlay, asked, []).length === 0;
        // What is taken can be met: no axis reaches nobody, and nothing that was asked for is lost.
        if (isTaken) expect(Object.values(targeting).filter((choice) => choice?.any?.length === 0)).toEqual([]);
        if (isTaken && overlay.geo_regions) expect(targeting.regions?.any).toEqual(overlay.geo_regions);
      }),
    );
  });
});

describe('[B14] a frequency cap is told as one count in a time', () => {
  it.each([
    [
      { max_impressions: 3, window: { interval: 7, unit: 'days' } },
      { max: 3, per: 7, unit: 'day' },
    ],
    [
      { max_impressions: 5, window: { interval: 1, unit: 'campaign' } },
      { max: 5, per: 1, unit: 'lifetime' },
    ],
    [{ suppress: { interval: 2, unit: 'hours' } }, { max: 1, per: 2, unit: 'hour' }],
    [{ suppress_minutes: 30 }, { max: 1, per: 30, unit: 'minute' }],
  ])('%j', (cap, expected) => {
    expect(capOf(FrequencyCapRequest.parse(cap))).toEqual(expected);
  });
});
