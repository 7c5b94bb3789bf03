import { refusalOf } from '../../../platform/problem.ts';
import { pathOfField } from '../../../platform/field-path.ts';
import { agreeOnTerms } from '../../../sales/product/agree-on-terms.ts';
import type { MeasurementTerms } from '../../../sales/product/measurement-terms.ts';
import type { Product } from '../../../sales/product/product.ts';
import { refuseUnsupported } from '../unsupported.ts';
import type { AdcpPackage } from './schema.ts';

const OF_THE_PRODUCT = {
  measurement_terms: 'the terms are those of the product',
};

/**
 * The terms of measurement that a package and its product agree on; undefined where it asks for none, and where there is no such product,
 * which is left to the task.
 * @param at where the package stands, such as `packages[0].`.
 * @throws {AppError} `TERMS_REJECTED` with each term that the product does not offer, beside what it does.
 */
export function termsAgreed(one: AdcpPackage, at: string, product: Product | undefined): MeasurementTerms | undefined {
  const { measurement_terms: asked } = one;
  const offered = product?.measurement_terms;
  if (product !== undefined && offered === undefined)
    refuseUnsupported(one, OF_THE_PRODUCT, { at, code: 'TERMS_REJECTED' });
  if (product === undefined || offered === undefined || !asked || Object.keys(asked).length === 0) return undefined;
  const { product_id } = product;
  const path = pathOfField(`${at}measurement_terms`);
  const agreed = agreeOnTerms(asked, { product_id, measurement_terms: offered }, path);
  if (!agreed.ok) throw refusalOf(agreed.problems);
  return agreed.terms;
}
