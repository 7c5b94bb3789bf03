import { expect, it } from 'vitest';
import { AppError } from '../../src/platform/errors.ts';
import { planMediaBuy } from '../../src/tasks/create-media-buy/plan.ts';
import type { CreateMediaBuyRequest } from '../../src/tasks/create-media-buy/schema.ts';
import { retarget } from '../../src/tasks/update-media-buy/retarget.ts';
import type { Updates } from '../../src/tasks/update-media-buy/schema.ts';
import { demoCatalog } from '../sales/support/demo-catalog.ts';
import { sampleMediaBuy } from '../sales/support/sample-media-buy.ts';

const catalog = await demoCatalog();
const NOW = Date.parse('2027-01-01T10:00:00Z');

/** What a task that 0.1.0 took and this release goes on with may hold. */
const OLD = [
  { geo: 1.5 },
  { geo_metros: 5 },
  { daypart_targets: [{ days: 'monday' }] },
  { language: ['e n'] },
  { geoo: 1 },
];

function refusalOf(run: () => unknown) {
  try {
    run();
    return undefined;
  } catch (error) {
    if (error instanceof AppError) return error.toBody();
    throw error;
  }
}

it.each(OLD)('[B14] a stored task whose targeting has no known form, such as %j, is refused by its path', (overlay) => {
  const [axis = ''] = Object.keys(overlay);
  const line = { product_id: 'gazette_run_of_site', pricing_option_id: 'ros_fixed_usd', budget: 5000 };
  const request = {
    ...{ buyer_ref: 'old', brand_manifest: { name: 'Acme' }, start_time: 'asap', end_time: '2027-02-01T00:00:00Z' },
    packages: [{ ...line, targeting_overlay: overlay }],
  } as unknown as CreateMediaBuyRequest;
  expect(refusalOf(() => planMediaBuy(request, catalog, NOW))).toMatchObject({
    code: 'VALIDATION_ERROR',
    field: expect.stringContaining(`packages[0].targeting_overlay.${axis}`) as string,
  });
  const [sold] = sampleMediaBuy().packages;
  if (sold === undefined) throw new Error('the sample has no package');
  const updates = { targeting: overlay } as unknown as Updates;
  expect(refusalOf(() => retarget(sold, updates, { products: [...catalog.products.values()] }, []))).toMatchObject({
    code: 'VALIDATION_ERROR',
    field: expect.stringContaining(`updates.targeting.${axis}`) as string,
  });
});
