import { expect, it } from 'vitest';
import { describeSimulator } from '../../src/adservers/simulator/description.ts';
import { unsoldThere } from '../../src/tasks/create-media-buy/sold-there.ts';

const able = describeSimulator(1);
const at = ['packages', 1];
const sold = { pricing_model: 'cpm', delivery_type: 'guaranteed', currency: 'USD' };

it('[B14.ad-server] what an ad server does not sell, by currency, price or delivery, is refused at its pricing option', () => {
  expect(unsoldThere(sold, able, at)).toEqual([]);
  expect(unsoldThere(sold, { ...able, currencies: ['USD'] }, at)).toEqual([]);
  expect(unsoldThere(sold, { ...able, currencies: ['EUR'], pricing: [] }, at)).toEqual(
    ['in USD', 'guaranteed by cpm'].map((what) => ({
      code: 'UNSUPPORTED_FEATURE',
      path: ['packages', 1, 'pricing_option_id'],
      message: `the ad server does not sell ${what}; take another pricing option`,
    })),
  );
  const pricing = [{ model: 'cpm', delivery_types: ['non_guaranteed' as const] }];
  expect(unsoldThere(sold, { ...able, pricing }, at)).toHaveLength(1);
});
