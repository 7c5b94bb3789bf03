import { expect, it } from 'vitest';
import { describeSimulator } from '../../src/adservers/simulator/description.ts';
import { AppError } from '../../src/platform/errors.ts';
import type { Description } from '../../src/sales/ad-server/description.ts';
import { assertWithinAdServer } from '../../src/tasks/beyond-ad-server.ts';
import type { AskedPackage } from '../../src/tasks/beyond-ad-server.ts';
import { askedOverlays } from '../../src/tasks/update-media-buy/retarget.ts';

const able = describeSimulator(1);
const pricing = { at: ['packages', 1, 'pricing_option_id'], pricing_model: 'cpm', delivery_type: 'guaranteed' };

function refusal(changes: Partial<Description>, ...packages: AskedPackage[]) {
  try {
    assertWithinAdServer({ ...able, ...changes }, packages);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { code, message, details } = error;
    return { code, message, field: details.field, places: details.issues?.map(({ pointer }) => pointer) };
  }
  return undefined;
}

const capped = (unit: 'hours' | 'days') =>
  askedOverlays({
    packages: [
      { package_id: 'p1', targeting_overlay: { frequency_cap: { max_impressions: 3, window: { interval: 1, unit } } } },
    ],
  });

it('[B14] a frequency cap of a unit that the ad server does not keep is refused at its place', () => {
  expect(refusal({ cap_units: ['day'] }, ...capped('days'))).toBeUndefined();
  expect(refusal({ cap_units: ['day', 'lifetime'] }, ...capped('hours'))).toEqual({
    code: 'UNSUPPORTED_FEATURE',
    message:
      'updates.packages[0].targeting_overlay.frequency_cap: the ad server keeps no frequency cap per hour, but those per day, lifetime',
    field: 'updates.packages[0].targeting_overlay.frequency_cap',
    places: ['/updates/packages/0/targeting_overlay/frequency_cap'],
  });
  expect(refusal({ cap_units: [] }, ...capped('days'))?.message).toContain('per day, but none at all');
});

it('[B14] an axis, or a value of one, that the ad server cannot aim at is refused, all of them at once', () => {
  const { targeting } = able;
  const asked = {
    geo_regions: ['US-NY'],
    language: ['en'],
    geo_countries: ['US', 'CA'],
    device_type: ['mobile' as const],
  };
  const overlay = { at: ['packages', 0, 'targeting_overlay'], asked };
  const { regions: _regions, ...others } = targeting;
  expect(refusal({}, { overlay })).toBeUndefined();
  expect(refusal({ targeting: { ...others, countries: ['US'], languages: [] } }, { overlay })).toMatchObject({
    code: 'UNSUPPORTED_FEATURE',
    places: ['geo_countries', 'geo_regions', 'language'].map((axis) => `/packages/0/targeting_overlay/${axis}`),
  });
});

it('what is not sold there, by currency, price or delivery, is refused at its pricing option', () => {
  const usd = { pricing: { ...pricing, currency: 'USD' } };
  expect(refusal({ currencies: ['USD'] }, usd)).toBeUndefined();
  expect(refusal({ currencies: ['EUR'] }, usd)).toMatchObject({
    code: 'UNSUPPORTED_FEATURE',
    field: 'packages[1].pricing_option_id',
  });
  expect(refusal({ pricing: [{ model: 'cpm', delivery_types: ['non_guaranteed'] }] }, usd)?.message).toContain(
    'the ad server does not sell guaranteed by cpm',
  );
  expect(refusal({ pricing: [] }, usd)).toBeDefined();
});

it('nothing is refused before the ad server has said what it can do', () => {
  expect(() => {
    assertWithinAdServer(undefined, [{ pricing: { ...pricing, currency: 'XXX' } }]);
  }).not.toThrow();
});
