import { z } from 'zod';
import { MeasurementTerms } from '../product/measurement-terms.ts';
import type { MediaBuy } from './media-buy.ts';

/** Of what a buyer said in a dialect of its own, the terms of measurement that the product was sold by. */
const WithTerms = z.object({ measurement_terms: MeasurementTerms.optional() });
const OfPackages = z.object({ packages: z.array(z.unknown()).optional() });

/** The terms of measurement that were agreed with packages of a buy, by `package_id`; of those that asked for none, nothing. Pure. */
export function agreedTerms({ asked, packages }: MediaBuy): ReadonlyMap<string, MeasurementTerms> {
  const first = OfPackages.safeParse(asked).data?.packages ?? [];
  return new Map(
    packages.flatMap(({ package_id, asked: added }, i) => {
      const terms = WithTerms.safeParse(added ?? first[i]).data?.measurement_terms;
      return terms === undefined ? [] : [[package_id, terms] as const];
    }),
  );
}
